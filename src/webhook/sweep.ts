/** The sweep: hands out what was lost, deletes what is over; every step is bounded and safe to repeat. */
import {
  LEFTOVER_BYTES_MS,
  SWEEP_BATCHES,
  SWEEP_DELETION_PAGES,
  SWEEP_DELETIONS,
  SWEEP_LEFTOVERS,
  GRACE_MS,
  SWEEP_MESSAGES,
  WEBHOOK_BODY_DAYS,
  WEBHOOK_HISTORY_DAYS,
} from "../limits.ts";
import type { UploadStore } from "./bytes.ts";
import type { Message } from "./ports.ts";
import type { Status } from "./record.ts";

const DAY_MS = 86_400_000;

export interface SweepPorts {
  readonly db: D1Database;
  readonly uploads: UploadStore;
  /** At most SWEEP_MESSAGES at once. */
  readonly enqueue: (messages: readonly Message[]) => Promise<void>;
  readonly now: () => number;
}

/** @throws AggregateError after all steps were tried, when some failed */
export async function sweepWebhooks(ports: SweepPorts): Promise<void> {
  const steps = await Promise.allSettled([
    handOut(ports),
    byPages(ports, OLD_SQL, WEBHOOK_HISTORY_DAYS),
    byPages(ports, BODIES_SQL, WEBHOOK_BODY_DAYS),
    deleteLeftoverBytes(ports),
  ]);
  const reasons = steps.flatMap((step) => (step.status === "rejected" ? [step.reason as unknown] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, "The sweep of webhooks did not do everything");
}

export const OVERDUE_SQL = `SELECT id, status, wake_at FROM webhooks
  WHERE wake_at IS NOT NULL AND (wake_at, id) > (?1, ?2) AND wake_at <= ?3 ORDER BY wake_at, id LIMIT ?4`;

/** Every record that should have been attended to a while ago, the longest overdue first. */
async function handOut({ db, enqueue, now }: SweepPorts): Promise<void> {
  const until = now() - GRACE_MS;
  let last = { wake_at: 0, id: "" };
  for (let batch = 0; batch < SWEEP_BATCHES; batch += 1) {
    const { results } = await db
      .prepare(OVERDUE_SQL)
      .bind(last.wake_at, last.id, until, SWEEP_MESSAGES)
      .all<{ id: string; status: Status; wake_at: number }>();
    if (results.length > 0)
      await enqueue(results.map(({ id, status }) => ({ kind: status === "created" ? "run" : "deliver", id })));
    if (results.length < SWEEP_MESSAGES) return;
    last = results.at(-1) ?? last;
  }
}

export const OLD_SQL = `DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)`;

/** The payload and the address, which are most of a record; the empty address is known to whoever seals anew. */
export const BODIES_SQL = `UPDATE webhooks SET payload = NULL, target = x'' WHERE id IN (
  SELECT id FROM webhooks WHERE wake_at IS NULL AND payload IS NOT NULL AND updated_at < ?1 ORDER BY updated_at LIMIT ?2)`;

/** Small pages, so that requests get their turn between two of them. */
async function byPages({ db, now }: SweepPorts, sql: string, days: number): Promise<void> {
  const before = now() - days * DAY_MS;
  for (let page = 0; page < SWEEP_DELETION_PAGES; page += 1) {
    const { meta } = await db.prepare(sql).bind(before, SWEEP_DELETIONS).run();
    if (meta.changes < SWEEP_DELETIONS) return;
  }
}

/** Bytes of jobs that have ended, and of requests that broke off before their job was accepted. */
async function deleteLeftoverBytes({ db, uploads, now }: SweepPorts): Promise<void> {
  const old = await uploads.olderThan(now() - LEFTOVER_BYTES_MS, SWEEP_LEFTOVERS);
  if (old.length === 0) return;
  const sql = "SELECT id FROM webhook_jobs WHERE id IN (SELECT value FROM json_each(?1))";
  const { results } = await db
    .prepare(sql)
    .bind(JSON.stringify(old.map(({ id }) => id)))
    .all<{ id: string }>();
  const waiting = new Set(results.map(({ id }) => id));
  await uploads.remove(old.filter(({ id }) => !waiting.has(id)).map(({ key }) => key));
}
