/** The sweep: hands out what was lost, deletes what is over; every step is bounded and safe to repeat. */
import {
  GRACE_MS,
  HAND_OUT_MS,
  LEFTOVER_BYTES_MS,
  LONG_LINE_MESSAGES,
  MAX_HAND_OUT_MS,
  SWEEP_BATCHES,
  SWEEP_DELETION_PAGES,
  SWEEP_DELETIONS,
  SWEEP_LEFTOVERS,
  SWEEP_MESSAGES,
  WEBHOOK_HISTORY_DAYS,
} from "../limits/webhook.ts";
import { spread } from "./backoff.ts";
import type { UploadStore } from "./bytes.ts";
import type { Message } from "./ports.ts";
import type { Status } from "./record.ts";
import { storeOf } from "./store.ts";

const DAY_MS = 86_400_000;

export interface SweepPorts {
  readonly db: D1Database;
  readonly uploads: UploadStore;
  /** At most SWEEP_MESSAGES at once. */
  readonly enqueue: (messages: readonly Message[]) => Promise<void>;
  /** Messages that wait in the queue. */
  readonly waiting: () => Promise<number>;
  readonly now: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
}

/** @throws AggregateError after all steps were tried, when some failed */
export async function sweepWebhooks(ports: SweepPorts): Promise<void> {
  const steps = await Promise.allSettled([handOut(ports), endRecords(ports), deleteLeftoverBytes(ports)]);
  const reasons = steps.flatMap((step) => (step.status === "rejected" ? [step.reason as unknown] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, "The sweep of webhooks did not do everything");
}

/**
 * Takes the longest overdue records of which nobody was told, and says until when somebody is told now: for as long
 * again as a record has waited, between two bounds, times a number near 1. One statement, so that of two sweeps at the
 * same time one gets a record. Those in somebody's hands wake later, when the lease ends.
 */
export const HAND_OUT_SQL = `UPDATE webhooks
  SET sweep_at = CAST(?1 + min(max(?1 - wake_at, ?3), ?4) * ?5 AS INTEGER)
  WHERE id IN (
    SELECT id FROM webhooks WHERE stage = 'waiting' AND sweep_at <= ?2 AND wake_at <= ?2 ORDER BY sweep_at, id LIMIT ?6)
  RETURNING id, status`;

/** Every record that should have been attended to a while ago. */
async function handOut(ports: SweepPorts): Promise<void> {
  // A queue that does not say how long its line is has none.
  const waiting = await ports.waiting().catch(() => 0);
  const isLong = waiting >= LONG_LINE_MESSAGES;
  for (let batch = 0; batch < (isLong ? 1 : SWEEP_BATCHES); batch += 1) {
    const now = ports.now();
    const { results } = await ports.db
      .prepare(HAND_OUT_SQL)
      .bind(now, now - GRACE_MS, HAND_OUT_MS, MAX_HAND_OUT_MS, spread(1_000, ports.random) / 1_000, SWEEP_MESSAGES)
      .all<{ id: string; status: Status }>();
    if (results.length > 0) await send(results, ports);
    if (results.length < SWEEP_MESSAGES) return;
  }
}

async function send(records: readonly { id: string; status: Status }[], { db, enqueue }: SweepPorts): Promise<void> {
  const messages = records.map(({ id, status }) => ({ kind: status === "created" ? "run" : "deliver", id }) as const);
  try {
    await enqueue(messages);
  } catch (error) {
    await storeOf(db).untell(messages.map(({ id }) => id));
    throw error;
  }
}

export const OLD_SQL = `DELETE FROM webhooks WHERE id IN (
  SELECT id FROM webhooks WHERE stage = 'emptied' AND sweep_at < ?1 ORDER BY sweep_at LIMIT ?2)`;

/** The payload and the address, which are most of a record; the empty address is known to whoever seals anew. */
export const BODIES_SQL = `UPDATE webhooks
  SET payload = NULL, target = x'', stage = 'emptied', sweep_at = created_at + ${WEBHOOK_HISTORY_DAYS * DAY_MS}
  WHERE id IN (SELECT id FROM webhooks WHERE stage = 'kept' AND sweep_at < ?1 ORDER BY sweep_at LIMIT ?2)`;

/** What is emptied may be old enough to be deleted. */
async function endRecords(ports: SweepPorts): Promise<void> {
  await byPages(ports, BODIES_SQL);
  await byPages(ports, OLD_SQL);
}

/** Small pages, so that requests get their turn between two of them. */
async function byPages({ db, now }: SweepPorts, sql: string): Promise<void> {
  const before = now();
  for (let page = 0; page < SWEEP_DELETION_PAGES; page += 1) {
    const { meta } = await db.prepare(sql).bind(before, SWEEP_DELETIONS).run();
    if (meta.changes < SWEEP_DELETIONS) return;
  }
}

/** Bytes of jobs that have ended, and of requests that broke off before their job was accepted. */
async function deleteLeftoverBytes({ db, uploads, now }: SweepPorts): Promise<void> {
  const old = await uploads.olderThan(now() - LEFTOVER_BYTES_MS, SWEEP_LEFTOVERS);
  if (old.length === 0) return;
  const sql = "SELECT id FROM webhooks WHERE id IN (SELECT value FROM json_each(?1)) AND job IS NOT NULL";
  const { results } = await db
    .prepare(sql)
    .bind(JSON.stringify(old.map(({ id }) => id)))
    .all<{ id: string }>();
  const waiting = new Set(results.map(({ id }) => id));
  await uploads.remove(old.filter(({ id }) => !waiting.has(id)).map(({ key }) => key));
}
