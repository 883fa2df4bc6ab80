/** The fourth entrance: the clock. Hands out work that was lost and deletes what is over. */
import { sweepUsage } from "../account/usage.ts";
import { sweepDeliveries } from "../delivery/sweep.ts";
import { settingsOf } from "../env.ts";
import { MAX_SWEEP_OBJECTS } from "../limits.ts";
import { sweepTemporary } from "../storage/volatile.ts";
import { uploadsOf } from "../webhook/bytes.ts";
import { sweepWebhooks } from "../webhook/sweep.ts";

/** @throws AggregateError after everything was tried */
export async function sweep(env: Env): Promise<void> {
  const outcomes = await Promise.allSettled([
    sweepTemporary(env.BUCKET, Date.now(), MAX_SWEEP_OBJECTS),
    sweepUsage(env.DB, Date.now()),
    sweepDeliveries(env, settingsOf(env), Date.now()),
    sweepWebhooks({
      db: env.DB,
      uploads: uploadsOf(env.BUCKET),
      now: () => Date.now(),
      enqueue: async (messages) => void (await env.QUEUE.sendBatch(messages.map((body) => ({ body })))),
    }),
  ]);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, "The sweep did not do everything");
}
