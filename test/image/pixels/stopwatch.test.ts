/** The time that each part of a job takes, also when jobs take turns. */
import { expect, it, onTestFinished, vi } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { clocked, startStopwatch } from "../../../src/image/pixels/stopwatch.ts";
import { type TimeSlice, Thread, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import source from "../../fixtures/resample/source.png";
import { rendered } from "../../support/render.ts";

/** A job that has the thread for as long as it is told. */
function clock() {
  let now = 5;
  const timeSlice: TimeSlice = { spend: () => undefined, worked: () => now };
  return { timeSlice, pass: (ms: number) => void (now += ms) };
}

it("counts for a part what its own work takes, without the parts that it runs", async () => {
  const { timeSlice, pass } = clock();
  const { run, spent } = startStopwatch();
  const decode = () => run("decode", timeSlice, async () => pass(10));
  await run("operations", timeSlice, async () => {
    pass(1);
    await decode();
    pass(2);
    await decode();
  });
  pass(100);
  const failing = run("decode", timeSlice, async () => {
    pass(1000);
    throw new RangeError("damaged");
  });
  await expect(failing).rejects.toThrow("damaged");
  pass(100);
  await decode();
  expect(spent).toEqual({ decode: 1030, operations: 3, encode: 0 });
});

it("counts for each of two jobs that take turns what it does itself", async () => {
  let now = 0;
  const thread = new Thread(
    () => now,
    () => Promise.resolve(),
  );
  const job = (stretches: readonly number[]) => {
    const { run, spent } = startStopwatch();
    const work = async (timeSlice: TimeSlice) => {
      for (const ms of stretches) {
        await run("decode", timeSlice, async () => {
          now += ms;
          await timeSlice.spend(ms);
        });
      }
    };
    return { spent, work };
  };
  const [one, other] = [job([50, 60, 70]), job([400, 500])];
  await Promise.all([thread.run(one.work), thread.run(other.work)]);
  expect([one.spent.decode, other.spent.decode]).toEqual([180, 900]);
});

it("hands on frames as they are, and that they are wanted no more", async () => {
  let closed = 0;
  async function* frames() {
    try {
      for (const value of [1, 2, 3]) {
        const read = async (_max: number) => Uint8Array.of(value, value, value, 255);
        yield { value, rows: { width: 1, height: 1, opaque: true, read, close: () => void closed++ } };
      }
    } finally {
      closed += 10;
    }
  }
  const watched = clocked(frames(), "decode", UNPAUSED, startStopwatch());
  for await (const { value, rows } of watched) {
    expect(await rows.read(1)).toEqual(Uint8Array.of(value, value, value, 255));
    rows.close();
    if (value === 2) break;
  }
  expect(closed).toBe(12);
});

it("times a job without changing what comes out of it", async () => {
  // The true clock tells whole milliseconds, which a part may get by without.
  let looks = 0;
  const look = vi.spyOn(performance, "now").mockImplementation(() => ++looks / 100);
  onTestFinished(() => look.mockRestore());
  const stopwatch = startStopwatch();
  const { output, optimize, ...operations } = parseBody(UploadBody, {
    resize: { width: 24, height: 16 },
    output: { format: "jpeg", quality: 80 },
  });
  const order = { operations, output, optimize };
  const timed = await rendered(new Uint8Array(source), { ...order, stopwatch });
  expect(timed.output.bytes).toEqual((await rendered(new Uint8Array(source), order)).output.bytes);
  expect(stopwatch.spent.decode).toBeGreaterThan(0);
  expect(stopwatch.spent.operations).toBeGreaterThan(0);
  expect(stopwatch.spent.encode).toBeGreaterThan(0);
});
