/** Jobs of one thread that pause wherever they can. */
import { type TimeSlice, Thread } from "../../src/scheduler/time-slice.ts";
import { digest } from "./rows.ts";

type Job = (timeSlice: TimeSlice) => Promise<Uint8Array | null>;

/**
 * Runs jobs one after the other, and at the same time with a pause at every time slice; gives digests of what came of
 * both.
 */
export async function bothWays(...jobs: readonly Job[]) {
  let pauses = 0;
  let clock = 0;
  // Whoever waits for the thread has it before a pause is over, however short it is.
  const thread = new Thread(
    () => (clock += 1_000),
    async () => void pauses++,
  );
  const run = async (job: Job) => {
    const result = await thread.run(job);
    return result && `${result.length} ${await digest(result)}`;
  };
  const apart: (string | null)[] = [];
  for (const job of jobs) apart.push(await run(job));
  pauses = 0;
  const together = await Promise.all(jobs.map(run));
  return { apart, together, pauses };
}

/**
 * Runs jobs at the same time on one thread, each of them pausing wherever it may: at every pause another one goes on.
 * @returns their results, in the order of the jobs
 */
export function interleaved<Result>(jobs: readonly ((timeSlice: TimeSlice) => Promise<Result>)[]): Promise<Result[]> {
  // Every look at the clock finds that a stretch is over.
  let clock = 0;
  const thread = new Thread(
    () => (clock += 1_000),
    async () => undefined,
  );
  return Promise.all(jobs.map((work) => thread.run(work)));
}

/**
 * The time slice of a job that is given up when it takes time slice for the `after`th time, as when its caller hangs
 * up.
 */
export function abandoned(after: number): TimeSlice {
  let timeSlices = 0;
  return {
    async spend() {
      if (++timeSlices >= after) throw new Error("nobody waits");
    },
    worked: () => 0,
  };
}
