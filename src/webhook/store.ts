/**
 * Records and their jobs in D1: every statement that moves a record is here, and each move is a conditional update, so
 * that of two who try the same move one does it and the other learns that it has been done.
 */
import { WEBHOOK_BODY_DAYS } from "../limits/webhook.ts";
import type { Outcome, WebhookRecord } from "./record.ts";
import { COLUMNS, fromRow, type Row, toWire } from "./rows.ts";

/** What is accepted: sealed target and job, and where the uploaded bytes are. */
export interface NewRecord {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  /** Whoever is told of it by its acceptance has taken it by then. */
  readonly toldUntil: number;
  readonly delaySeconds: number;
  readonly target: Uint8Array;
  readonly job: Uint8Array;
  readonly bytesKey: string | null;
  /** When it wants attention first; absent: at once. */
  readonly wakeAt?: number;
}

/** A job in the hands of whoever holds the claim. */
export interface ClaimedJob {
  readonly record: WebhookRecord;
  readonly job: Uint8Array;
  readonly bytesKey: string | null;
}

export interface ClaimedDelivery {
  readonly record: WebhookRecord;
  readonly payload: string;
  readonly target: Uint8Array;
}

/** When a job that was given back is to be started again. */
export interface Release {
  readonly wakeAt: number;
  /** Whoever is told of it now has taken it by then. */
  readonly toldUntil: number;
  /** Whether the start counts as one; else it found no capacity. */
  readonly counts: boolean;
}

/** What is known when processing ends. Times are milliseconds since 1970. */
export interface EndOfRun {
  /** The exact text of the notification. */
  readonly payload: string;
  readonly dueAt: number;
  readonly now: number;
}

export type Store = ReturnType<typeof storeOf>;

const DAY_MS = 86_400_000;

/** Times are milliseconds since 1970. A call that finds nothing to move answers undefined or false. */
export function storeOf(db: D1Database) {
  return {
    /** Makes an accepted job durable; a second call with the same id changes nothing. */
    insert: (entry: NewRecord) => insert(db, entry),
    /** Takes the job of a created record for as long as the lease lasts. */
    claimRun: (id: string, claim: string, now: number, leaseMs: number) => claimRun(db, id, claim, now, leaseMs),
    /** Prolongs a claim that is still held. */
    renewRun: (id: string, claim: string, wakeAt: number) => renewRun(db, id, claim, wakeAt),
    /** Gives a claim back: to be started again. */
    releaseRun: (id: string, claim: string, release: Release) => releaseRun(db, id, claim, release),
    /** Nobody was told of these records after all: the next sweep hands them out. */
    untell: (ids: readonly string[]) => untell(db, ids),
    /**
     * Ends processing: the payload, the due time, and no job any more. Whoever is first wins, claim or not: a result
     * that came late from a processor taken for dead is as good as that of its successor.
     */
    finishRun: (id: string, end: EndOfRun) => finishRun(db, id, end),
    /**
     * The same, and takes the delivery, which is due at once, for as long as the lease lasts. A second call under the same
     * claim answers like the first: the answer of one may be lost.
     */
    finishRunAndClaim: (id: string, end: EndOfRun, claim: string, leaseMs: number) =>
      finishRunAndClaim(db, id, end, claim, leaseMs),
    /** Takes a due delivery for as long as the lease lasts, a dead one's included. */
    claimDelivery: (id: string, claim: string, now: number, leaseMs: number) =>
      claimDelivery(db, id, claim, now, leaseMs),
    /** What the attempt under this claim came to. */
    finishDelivery: (id: string, claim: string, outcome: Outcome, now: number) =>
      finishDelivery(db, id, claim, outcome, now),
    /** Makes a delivered or failed record due again, by hand. */
    reschedule: (accountId: string, id: string, now: number) => reschedule(db, accountId, id, now),
    /** Takes back what was made durable, and whose work has not begun. */
    withdraw: (id: string) => withdraw(db, id),
    /** When the record wants attention, and in which state. */
    standing: (id: string) => standing(db, id),
    /** Another account's record is not found. */
    find: (accountId: string, id: string) => find(db, accountId, id),
  };
}

async function insert(db: D1Database, entry: NewRecord): Promise<void> {
  await db
    .prepare(
      `INSERT INTO webhooks (id, account_id, status, created_at, updated_at, delay_seconds, target, job, bytes_key, wake_at, stage, sweep_at)
       VALUES (?1, ?2, 'created', ?3, ?3, ?4, ?5, ?6, ?7, ?9, 'waiting', ?8) ON CONFLICT DO NOTHING`,
    )
    .bind(
      entry.id,
      entry.accountId,
      entry.createdAt,
      entry.delaySeconds,
      entry.target,
      entry.job,
      entry.bytesKey,
      entry.toldUntil,
      entry.wakeAt ?? entry.createdAt,
    )
    .run();
}

async function withdraw(db: D1Database, id: string): Promise<void> {
  await db.prepare("DELETE FROM webhooks WHERE id = ? AND status = 'created'").bind(id).run();
}

/** A job nobody holds is free whatever the time: clocks of different machines differ. */
const FREE = "id = ?1 AND status = 'created' AND (claim IS NULL OR wake_at <= ?3)";
const CLAIMED = `claim = ?2, wake_at = ?3 + ?4, starts = starts + 1`;

interface RowWithJob extends Row {
  readonly job: ArrayLike<number> | null;
  readonly bytes_key: string | null;
}

async function claimRun(
  db: D1Database,
  id: string,
  claim: string,
  now: number,
  leaseMs: number,
): Promise<ClaimedJob | undefined> {
  const results = await db.batch<RowWithJob>(
    [
      // The sweep looks at it before its lease ends: nothing that is in an index changes. So it is with nearly every job.
      `UPDATE webhooks SET ${CLAIMED} WHERE ${FREE} AND sweep_at <= ?3 + ?4 RETURNING ${COLUMNS}, job, bytes_key`,
      `UPDATE webhooks SET ${CLAIMED}, sweep_at = ?3 + ?4 WHERE ${FREE} AND sweep_at > ?3 + ?4 RETURNING ${COLUMNS}, job, bytes_key`,
    ].map((sql) => db.prepare(sql).bind(id, claim, now, leaseMs)),
  );
  const row = results.flatMap((result) => result.results)[0];
  // A job that is missing is one that does not open: the record comes to its end like any other.
  return row && { record: fromRow(row), job: Uint8Array.from(row.job ?? []), bytesKey: row.bytes_key };
}

async function renewRun(db: D1Database, id: string, claim: string, wakeAt: number): Promise<boolean> {
  const sql = "UPDATE webhooks SET wake_at = ?3 WHERE id = ?1 AND status = 'created' AND claim = ?2";
  return changed(await db.prepare(sql).bind(id, claim, wakeAt).run());
}

async function releaseRun(
  db: D1Database,
  id: string,
  claim: string,
  { wakeAt, toldUntil, counts }: Release,
): Promise<boolean> {
  const sql = `UPDATE webhooks
    SET claim = NULL, wake_at = ?3, sweep_at = max(sweep_at, ?4), starts = starts - ?5, put_backs = put_backs + ?5
    WHERE id = ?1 AND status = 'created' AND claim = ?2`;
  return changed(
    await db
      .prepare(sql)
      .bind(id, claim, wakeAt, toldUntil, counts ? 0 : 1)
      .run(),
  );
}

async function untell(db: D1Database, ids: readonly string[]): Promise<void> {
  const sql = "UPDATE webhooks SET sweep_at = 0 WHERE id IN (SELECT value FROM json_each(?1)) AND stage = 'waiting'";
  await db.prepare(sql).bind(JSON.stringify(ids)).run();
}

async function finishRun(db: D1Database, id: string, { payload, dueAt, now }: EndOfRun): Promise<boolean> {
  const sql = `UPDATE webhooks
    SET status = 'scheduled', payload = ?2, wake_at = ?3, sweep_at = ?3, updated_at = ?4, claim = NULL, job = NULL, bytes_key = NULL
    WHERE id = ?1 AND status = 'created'`;
  return changed(await db.prepare(sql).bind(id, payload, dueAt, now).run());
}

async function finishRunAndClaim(
  db: D1Database,
  id: string,
  { payload, now }: EndOfRun,
  claim: string,
  leaseMs: number,
): Promise<ClaimedDelivery | undefined> {
  // The sweep looks at it when it would have looked at the job: nothing that is in an index changes.
  const sql = `UPDATE webhooks
    SET status = 'dispatched', payload = ?2, wake_at = ?3 + ?5, updated_at = ?3, claim = ?4, job = NULL, bytes_key = NULL
    WHERE id = ?1 AND (status = 'created' OR (status = 'dispatched' AND claim = ?4)) RETURNING ${COLUMNS}, target`;
  return deliveryOf(await db.prepare(sql).bind(id, payload, now, claim, leaseMs).first<RowWithTarget>());
}

interface RowWithTarget extends Row {
  readonly target: ArrayLike<number>;
}

function deliveryOf(row: RowWithTarget | null): ClaimedDelivery | undefined {
  if (!row || row.payload === null) return undefined;
  return { record: fromRow(row), payload: row.payload, target: Uint8Array.from(row.target) };
}

async function claimDelivery(
  db: D1Database,
  id: string,
  claim: string,
  now: number,
  leaseMs: number,
): Promise<ClaimedDelivery | undefined> {
  const sql = `UPDATE webhooks
    SET status = 'dispatched', claim = ?2, wake_at = ?3 + ?4, stage = 'waiting', sweep_at = ?3 + ?4, updated_at = ?3
    WHERE id = ?1 AND wake_at <= ?3 AND payload IS NOT NULL AND status IN ('scheduled', 'dispatched', 'failed')
    RETURNING ${COLUMNS}, target`;
  return deliveryOf(await db.prepare(sql).bind(id, claim, now, leaseMs).first<RowWithTarget>());
}

async function finishDelivery(
  db: D1Database,
  id: string,
  claim: string,
  { status, code, attempts, retries, wakeAt }: Outcome,
  now: number,
): Promise<boolean> {
  const sql = `UPDATE webhooks SET status = ?3, code = ?4, attempts = ?5, retries = ?6, wake_at = ?7, updated_at = ?8,
    claim = NULL, stage = iif(?7 IS NULL, 'kept', 'waiting'),
    sweep_at = iif(?7 IS NULL, ?8 + ${WEBHOOK_BODY_DAYS * DAY_MS}, max(sweep_at, ?7))
    WHERE id = ?1 AND status = 'dispatched' AND claim = ?2`;
  const shown = JSON.stringify(attempts.map(toWire));
  return changed(await db.prepare(sql).bind(id, claim, status, code, shown, retries, wakeAt, now).run());
}

async function reschedule(db: D1Database, accountId: string, id: string, now: number): Promise<boolean> {
  const sql = `UPDATE webhooks
    SET status = 'scheduled', code = 0, wake_at = ?3, stage = 'waiting', sweep_at = ?3, updated_at = ?3
    WHERE id = ?2 AND account_id = ?1 AND payload IS NOT NULL AND status IN ('delivered', 'failed')`;
  return changed(await db.prepare(sql).bind(accountId, id, now).run());
}

async function standing(db: D1Database, id: string): Promise<Pick<WebhookRecord, "status" | "wakeAt"> | undefined> {
  const row = await db.prepare("SELECT status, wake_at FROM webhooks WHERE id = ?1").bind(id).first<Row>();
  return row ? { status: row.status, wakeAt: row.wake_at } : undefined;
}

async function find(db: D1Database, accountId: string, id: string): Promise<WebhookRecord | undefined> {
  const sql = `SELECT ${COLUMNS} FROM webhooks WHERE id = ?2 AND account_id = ?1`;
  const row = await db.prepare(sql).bind(accountId, id).first<Row>();
  return row ? fromRow(row) : undefined;
}

function changed(result: D1Result<unknown>): boolean {
  return result.meta.changes > 0;
}
