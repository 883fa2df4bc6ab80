/** Records as rows of the database, and back. */
import type { Attempt, Status, WebhookRecord } from "./record.ts";

export interface Row {
  id: string;
  account_id: string;
  status: Status;
  code: number;
  created_at: number;
  updated_at: number;
  delay_seconds: number;
  payload: string | null;
  attempts: string;
  retries: number;
  starts: number;
  put_backs: number;
  wake_at: number | null;
}

export const COLUMNS =
  "id, account_id, status, code, created_at, updated_at, delay_seconds, payload, attempts, retries, starts, put_backs, wake_at";

interface WireAttempt {
  at: number;
  code: number;
  duration_ms: number;
}

/** An attempt as a row has it. */
export function toWire({ at, code, durationMs }: Attempt): WireAttempt {
  return { at, code, duration_ms: durationMs };
}

/** A record as a row of `COLUMNS` holds it. */
export function fromRow(row: Row): WebhookRecord {
  const attempts = JSON.parse(row.attempts) as WireAttempt[];
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    code: row.code,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    delaySeconds: row.delay_seconds,
    payload: row.payload,
    attempts: attempts.map(({ at, code, duration_ms }) => ({ at, code, durationMs: duration_ms })),
    retries: row.retries,
    starts: row.starts,
    putBacks: row.put_backs,
    wakeAt: row.wake_at,
  };
}
