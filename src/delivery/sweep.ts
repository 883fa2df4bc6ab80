/** What the clock does for deliveries: finals that were lost are announced again, what is over is deleted. */
import type { Settings } from "../env.ts";
import { RESULT_MARK_MS } from "../limits/delivery.ts";
import { lostFinals } from "./claims.ts";
import { sweepDeliveryCounts } from "./counts.ts";
import type { FinalMessage } from "./finals.ts";
import { sweepPurges } from "./purges.ts";
import { sweepResults } from "./results.ts";
import { sweepTwins } from "./twin-rows.ts";

const DAY_MS = 86_400_000;

/** @throws AggregateError after everything was tried */
export async function sweepDeliveries(env: Env, { deliveryKeepDays }: Settings, now: number): Promise<void> {
  // A result that is asked for is marked only so often.
  const before = now - deliveryKeepDays * DAY_MS - RESULT_MARK_MS;
  const outcomes = await Promise.allSettled([
    announceLost(env, now),
    sweepDeliveryCounts(env.DB, now),
    sweepPurges(env.DB, now),
    sweepResults(env, before, now),
    sweepTwins(env.DB, before),
  ]);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, "The sweep of deliveries did not do everything");
}

async function announceLost(env: Env, now: number): Promise<void> {
  const keys = await lostFinals(env.DB, now);
  if (keys.length === 0) return;
  await env.QUEUE.sendBatch(keys.map((id) => ({ body: { kind: "final", id } satisfies FinalMessage })));
}
