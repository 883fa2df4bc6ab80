/** Every kind of job beside every other, each of them pausing wherever it may: they make what each makes alone. */
import { describe, expect, it } from "vitest";

import { type TimeSlice, Thread, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { nativeHeap } from "../../../wasm/load.ts";
import { type Job, JOBS } from "../../support/jobs.ts";

const KINDS = Object.entries(JOBS);
const CASES = KINDS.map(([name, [first]], index) => ({ name, first, index }));

/** A thread on which every job makes way at every time slice, and how often one did. */
function pausing() {
  const counted = { pauses: 0 };
  let clock = 0;
  // Whoever waits for the thread has it before this is over.
  const pause = async () => void counted.pauses++;
  return { counted, thread: new Thread(() => (clock += 1_000), pause) };
}

const alone = new Map<Job, Promise<string>>();

/** What a job makes when nobody else is there. */
function aloneOf(job: Job): Promise<string> {
  const known = alone.get(job) ?? job(UNPAUSED);
  alone.set(job, known);
  return known;
}

const total = { pairs: 0, pauses: 0 };

describe("two jobs that alternate at every pause", () => {
  it.each(CASES)("make what each makes alone: $name, beside every other", async ({ first, index }) => {
    for (const [other, [, second]] of KINDS.slice(index)) {
      const { counted, thread } = pausing();
      const together = await Promise.all([thread.run(first), thread.run(second)]);
      expect(together, other).toEqual([await aloneOf(first), await aloneOf(second)]);
      expect(counted.pauses, other).toBeGreaterThan(1);
      total.pairs++;
      total.pauses += counted.pauses;
    }
    expect(nativeHeap().used).toBe(0);
  });

  it("are all pairs, with some hundred pauses in each", () => {
    expect(total.pairs).toBe((KINDS.length * (KINDS.length + 1)) / 2);
    expect(total.pauses / total.pairs).toBeGreaterThan(50);
  });
});

/** A time slice that does something when so many declarations have been made. */
function counting(timeSlice: TimeSlice, count: number, then: () => void): TimeSlice {
  let declared = 0;
  return {
    spend(ms) {
      if (++declared === count) then();
      return timeSlice.spend(ms);
    },
    worked: () => timeSlice.worked(),
  };
}

async function declarationsOf(job: Job): Promise<number> {
  let declared = 0;
  await job({ spend: () => void declared++, worked: () => 0 });
  return declared;
}

const ABORTED = 50;
/** Every so many jobs, another one is there that nobody gives up. */
const ACCOMPANIED = 5;

describe("a job that nobody waits for any more", () => {
  it.each(CASES)("ends at its next pause, and leaves others and memory alone: $name", async ({ first, index }) => {
    const declarations = await declarationsOf(first);
    const results = new Set<string>();
    for (let round = 0; round < ABORTED; round++) {
      const { thread } = pausing();
      const abort = new AbortController();
      const [, other] = KINDS[(index + round) % KINDS.length]?.[1] ?? [first, first];
      const beside = round % ACCOMPANIED === 0 ? thread.run(other) : undefined;
      const place = 1 + Math.floor((round * declarations) / ABORTED);
      const given = thread.run((timeSlice) => first(counting(timeSlice, place, () => abort.abort())), abort.signal);
      results.add(await given.catch((error: unknown) => (error instanceof Error ? error.name : "thrown")));
      expect(await beside).toBe(beside && (await aloneOf(other)));
      expect(nativeHeap().used, `given up at ${place} of ${declarations}`).toBe(0);
    }
    expect(results).toEqual(new Set(["AbortError"]));
    expect(await first(UNPAUSED)).toBe(await aloneOf(first));
  });
});
