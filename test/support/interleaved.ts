/** Jobs that take turns, as those of one isolate do. */
import { type Breath, Thread } from "../../src/image/breath.ts";

/**
 * Runs jobs at the same time on one thread, each of them pausing wherever it may: at every pause another one goes on.
 * @returns their results, in the order of the jobs
 */
export function interleaved<Result>(jobs: readonly ((breath: Breath) => Promise<Result>)[]): Promise<Result[]> {
  // Every look at the clock finds that a stretch is over.
  let now = 0;
  const thread = new Thread(
    () => (now += 1_000),
    () => new Promise((resolve) => setTimeout(resolve, 0)),
  );
  return Promise.all(jobs.map((work) => thread.run(work)));
}
