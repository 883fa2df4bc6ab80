/** Batches in the database of their account: which there are, how many objects each may work on, what was heard of them last. */
import { BATCH_CONCURRENCY, MAX_KEPT_BATCHES, MAX_OPEN_BATCHES } from "../limits/batch.ts";
import type { Batch, Progress } from "./rules.ts";

interface Row {
  readonly batch: string;
  readonly progress: string | null;
}

export interface KnownBatch {
  readonly batch: Batch;
  /** Undefined: nothing was heard of it yet. */
  readonly progress: Progress | undefined;
}

/** @returns false when the account has as many as it may have, of those that are not over, or at all */
export async function insertBatch(db: D1Database, batch: Batch): Promise<boolean> {
  const sql = `INSERT INTO batches (id, account_id, created_at, batch, is_open)
    SELECT ?1, ?2, ?3, ?4, 1 WHERE (SELECT COUNT(*) FROM batches WHERE account_id = ?2 AND is_open = 1) < ?5
      AND (SELECT COUNT(*) FROM batches WHERE account_id = ?2) < ?6`;
  const { meta } = await db
    .prepare(sql)
    .bind(batch.id, batch.accountId, batch.createdAt, JSON.stringify(batch), MAX_OPEN_BATCHES, MAX_KEPT_BATCHES)
    .run();
  return meta.changes > 0;
}

export async function deleteBatch(db: D1Database, id: string): Promise<void> {
  await db.prepare("DELETE FROM batches WHERE id = ?").bind(id).run();
}

/** Another account's batch is not found. */
export async function findBatch(db: D1Database, accountId: string, id: string): Promise<KnownBatch | undefined> {
  const sql = "SELECT batch, progress FROM batches WHERE id = ? AND account_id = ?";
  const row = await db.prepare(sql).bind(id, accountId).first<Row>();
  return row ? knownOf(row) : undefined;
}

/** Newest first. */
export async function listBatches(
  db: D1Database,
  accountId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<KnownBatch[]> {
  const { results } = await db
    .prepare(`SELECT batch, progress FROM batches WHERE account_id = ? ORDER BY created_at DESC, id LIMIT ? OFFSET ?`)
    .bind(accountId, limit, offset)
    .all<Row>();
  return results.map(knownOf);
}

/**
 * Notes what a batch has come to, and gives it its share of what the account may work on at once. One statement after the
 * other, and each takes no more than the others have left: together they never have more.
 * @param inFlight objects that it works on now, which it keeps; 0 and not at work: it has none any more
 * @returns how many objects it may work on at once; undefined where the account has no such batch
 */
export async function reportBatch(
  db: D1Database,
  { id, accountId }: Pick<Batch, "id" | "accountId">,
  { progress, inFlight, wants }: { readonly progress: Progress; readonly inFlight: number; readonly wants: boolean },
): Promise<number | undefined> {
  // To the database a number that is bound is a real one: divided as it is, it gives parts of objects.
  const sql = `UPDATE batches SET progress = ?3, is_open = ?4, slots = max(?5, iif(?6, min(
      (SELECT max(1, CAST(?7 AS INTEGER) / max(1, COUNT(*))) FROM batches WHERE account_id = ?2 AND (id = ?1 OR wants = 1)),
      ?7 - (SELECT coalesce(SUM(slots), 0) FROM batches WHERE account_id = ?2 AND id <> ?1)), 0)), wants = ?6
    WHERE id = ?1 RETURNING slots`;
  const isOpen = progress.state !== "done" && progress.state !== "canceled" && progress.state !== "failed";
  const row = await db
    .prepare(sql)
    .bind(id, accountId, JSON.stringify(progress), Number(isOpen), inFlight, Number(wants), BATCH_CONCURRENCY)
    .first<{ slots: number }>();
  return row?.slots;
}

function knownOf({ batch, progress }: Row): KnownBatch {
  return {
    batch: JSON.parse(batch) as Batch,
    progress: progress === null ? undefined : (JSON.parse(progress) as Progress),
  };
}
