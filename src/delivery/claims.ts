/** Who makes a final: rows of `delivery_finals`, one for each that is being made, in the whole world. */
import { GRACE_MS, RUN_LEASE_MS, SWEEP_MESSAGES } from "../limits/webhook.ts";

/** A final to be made, as plain data. */
export interface FinalRow {
  readonly key: string;
  readonly deliveryId: string;
  readonly job: string;
  /** The reserved credit of a row that an earlier version has made: messages carry it now. */
  readonly lease: number | null;
  /** Starts so far, this one included. */
  readonly starts: number;
}

/** Whether the final is the caller's to make: nobody else is at it. */
export async function claimFinal(
  db: D1Database,
  { key, deliveryId, job }: Pick<FinalRow, "key" | "deliveryId" | "job">,
  now: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare("INSERT OR IGNORE INTO delivery_finals (key, delivery_id, job, wake_at) VALUES (?, ?, ?, ?)")
    .bind(key, deliveryId, job, now + RUN_LEASE_MS)
    .run();
  return meta.changes > 0;
}

/** Whether somebody is making a final, or is about to. */
export async function isClaimed(db: D1Database, key: string): Promise<boolean> {
  return (await db.prepare("SELECT 1 AS found FROM delivery_finals WHERE key = ?").bind(key).first()) !== null;
}

/** It failed: whoever finds the row may start it again; `starts` is -1 where the failure was not the final's own. */
export async function releaseFinal(db: D1Database, key: string, now: number, starts: number): Promise<void> {
  await db
    .prepare("UPDATE delivery_finals SET wake_at = ?2, starts = starts + ?3 WHERE key = ?1")
    .bind(key, now, starts)
    .run();
}

/**
 * The row, if it may be started; from then on it is the caller's for a while.
 * @param isAnnounced whether who made the claim says that the final is wanted, so that nobody waits for the claim to end
 */
export async function startFinal(
  db: D1Database,
  key: string,
  now: number,
  isAnnounced: boolean,
): Promise<FinalRow | null> {
  return db
    .prepare(
      `UPDATE delivery_finals SET starts = starts + 1, wake_at = ?3
       WHERE key = ?1 AND (wake_at <= ?2 OR (?4 AND starts = 0))
       RETURNING key, delivery_id AS deliveryId, job, lease, starts`,
    )
    .bind(key, now, now + RUN_LEASE_MS, isAnnounced ? 1 : 0)
    .first<FinalRow>();
}

/** Nobody makes it any more: it is made, or given up. */
export async function dropFinal(db: D1Database, key: string): Promise<void> {
  await db.prepare("DELETE FROM delivery_finals WHERE key = ?").bind(key).run();
}

/** Finals that were lost, or whose maker was. */
export async function lostFinals(db: D1Database, now: number): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT key FROM delivery_finals WHERE wake_at <= ? ORDER BY wake_at LIMIT ?")
    .bind(now - GRACE_MS, SWEEP_MESSAGES)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}
