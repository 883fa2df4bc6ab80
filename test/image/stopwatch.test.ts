import { expect, it } from "vitest";

import { parseBody, UploadBody } from "../../src/contract/request.ts";
import { render } from "../../src/image/render.ts";
import { clocked, startStopwatch } from "../../src/image/stopwatch.ts";
import source from "../fixtures/resample/source.png";

it("counts for a part what its own work takes, without the parts that it runs", () => {
  let now = 5;
  const { run, spent } = startStopwatch(() => now);
  const decode = () => run("decode", () => void (now += 10));
  run("operations", () => {
    now += 1;
    decode();
    now += 2;
    decode();
  });
  now += 100;
  expect(() =>
    run("decode", () => {
      now += 1000;
      throw new RangeError("damaged");
    }),
  ).toThrow("damaged");
  now += 100;
  decode();
  expect(spent).toEqual({ decode: 1030, operations: 3 });
});

it("hands on frames as they are, and that they are wanted no more", () => {
  let closed = 0;
  function* frames() {
    try {
      for (const value of [1, 2, 3]) {
        const read = (_max: number) => Uint8Array.of(value, value, value, 255);
        yield { value, rows: { width: 1, height: 1, opaque: true, read, close: () => void closed++ } };
      }
    } finally {
      closed += 10;
    }
  }
  const watched = clocked(frames, "decode", startStopwatch(Date.now));
  for (const { value, rows } of watched) {
    expect(rows.read(1)).toEqual(Uint8Array.of(value, value, value, 255));
    rows.close();
    if (value === 2) break;
  }
  expect(closed).toBe(12);
});

it("times a job without changing what comes out of it", async () => {
  let ticks = 0;
  const stopwatch = startStopwatch(() => ticks++);
  const { output, optimize, ...operations } = parseBody(UploadBody, {
    resize: { width: 20 },
    output: { format: "png" },
  });
  const order = { operations, output, optimize, overlays: new Map(), accept: undefined };
  const timed = await render(new Uint8Array(source), { ...order, stopwatch });
  expect(timed.output.bytes).toEqual((await render(new Uint8Array(source), order)).output.bytes);
  expect(stopwatch.spent.decode).toBeGreaterThan(0);
  expect(stopwatch.spent.operations).toBeGreaterThan(0);
});
