/**
 * Purges that work under way may not know of. Whoever keeps a result looks here before and after: a result whose original
 * was asked for before a purge of it is not kept. Remembered in rows, as long as any work that had begun before may last.
 */
import { PURGE_KEPT_MS } from "../limits/delivery.ts";
import { SWEEP_DELETIONS } from "../limits/webhook.ts";

/** Stands for all originals of a delivery. */
const ALL = "all";

const REMEMBER_SQL = `INSERT INTO delivery_purges (delivery_id, original, purged_at) VALUES (?1, ?2, ?3)
  ON CONFLICT (delivery_id, original) DO UPDATE SET purged_at = max(purged_at, excluded.purged_at)`;

/**
 * Remembers a purge. It must be remembered before anything is deleted.
 * @param original the hash that names the original; absent: all originals of the delivery
 * @param now milliseconds since 1970
 */
export async function rememberPurge(
  db: D1Database,
  delivery: string,
  original: string | undefined,
  now: number,
): Promise<void> {
  await db
    .prepare(REMEMBER_SQL)
    .bind(delivery, original ?? ALL, now)
    .run();
}

/**
 * Whether a delivery, or one of its originals, was purged since a moment.
 * @param moment milliseconds since 1970
 */
export async function isPurgedSince(
  db: D1Database,
  { delivery, original }: { readonly delivery: string; readonly original: string },
  moment: number,
): Promise<boolean> {
  const found = await db
    .prepare(
      "SELECT 1 AS found FROM delivery_purges WHERE delivery_id = ?1 AND original IN (?2, ?3) AND purged_at > ?4",
    )
    .bind(delivery, ALL, original, moment)
    .first();
  return found !== null;
}

/**
 * Forgets purges that no work can have begun before.
 * @param now milliseconds since 1970
 */
export async function sweepPurges(db: D1Database, now: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM delivery_purges WHERE (delivery_id, original) IN
         (SELECT delivery_id, original FROM delivery_purges WHERE purged_at < ?1 LIMIT ?2)`,
    )
    .bind(now - PURGE_KEPT_MS, SWEEP_DELETIONS)
    .run();
}
