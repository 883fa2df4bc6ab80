/** Results that are to be forgotten before their time. */
import { MAX_PURGE_BATCHES } from "../limits/delivery.ts";
import { rememberPurge } from "./purges.ts";
import { markPurged } from "./records.ts";
import { deliveryPrefix, forget, originalPrefix, shortHash } from "./results.ts";
import { identityOf, type Located } from "./sources.ts";

/** A message of the queue: the results of this delivery that were made before its last purge are to be deleted. */
export interface PurgeMessage {
  readonly kind: "purge";
  readonly id: string;
}

/**
 * Forgets all results of a delivery, or those of one original. It is remembered first, so that work that asked for an
 * original before keeps nothing of it. Edge caches know results by the delivery's edition, which moves on; objects are
 * deleted, those of one original at once.
 */
export async function purge(
  env: Env,
  options: {
    readonly id: string;
    /** Absent: the delivery is gone already. */
    readonly accountId?: string;
    readonly original: Located | undefined;
    readonly now: number;
  },
): Promise<void> {
  const { id, accountId, original, now } = options;
  const name = original && (await shortHash(identityOf(original)));
  await rememberPurge(env.DB, id, name, now);
  if (original !== undefined) {
    await forget(env.BUCKET, await originalPrefix(id, identityOf(original)), Infinity, MAX_PURGE_BATCHES);
  }
  if (accountId !== undefined) await markPurged(env.DB, accountId, id, { all: original === undefined, now });
  if (original === undefined) await env.QUEUE.send({ kind: "purge", id } satisfies PurgeMessage);
}

/** Deletes some of what a purge left; says so to the queue when there is more. */
export async function carryOutPurge(env: Env, id: string): Promise<void> {
  const row = await env.DB.prepare("SELECT purged_at FROM deliveries WHERE id = ?")
    .bind(id)
    .first<{ purged_at: number }>();
  const more = await forget(env.BUCKET, deliveryPrefix(id), row?.purged_at ?? Infinity, MAX_PURGE_BATCHES);
  if (more) await env.QUEUE.send({ kind: "purge", id } satisfies PurgeMessage);
}
