/** What the metrics say of waiting: how often, for what, how long, and what came of it. */
import { ApiError } from "../errors.ts";
import { count } from "../metrics.ts";
import { busy } from "./busy.ts";

/** Counts a wait; what is there at once is none. */
export async function countedWait<Result>(
  wait: () => Promise<Result>,
  now: () => number,
  what: "originals" | "work",
): Promise<Result> {
  const since = now();
  let outcome = "begun";
  try {
    return await wait();
  } catch (error) {
    outcome = error instanceof ApiError ? "refused" : "left";
    throw error;
  } finally {
    const waitedMs = now() - since;
    if (outcome !== "begun" || waitedMs > 0) {
      count("budget_waits_total", { for: what, outcome });
      count("budget_wait_seconds_total", { for: what }, waitedMs / 1_000);
    }
  }
}

/** The refusal of a request before which more is declared than it may wait. */
export function refusedAtOnce(waitMs: number): ApiError {
  count("budget_waits_total", { for: "a place", outcome: "refused" });
  return busy(waitMs);
}
