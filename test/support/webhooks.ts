/** What tests of webhooks ask: the receiver on this machine, records as they are stored. */
import { env } from "cloudflare:workers";
import { expect, inject } from "vitest";

import { databasesOf } from "../../src/account/databases.ts";
import { WEBHOOK_BODY_DAYS } from "../../src/limits/webhook.ts";
import { needsInside } from "./api.ts";
import { eventually } from "./eventually.ts";

const DAY_MS = 86_400_000;

export interface Received {
  readonly headers: Record<string, string>;
  readonly url: string;
  readonly body: string;
}

export const ORIGIN = inject("origin");

/** Where a receiver keeps what it is sent, under a name of its own. */
export function receiver(code = 200) {
  const name = crypto.randomUUID();
  return {
    url: `${ORIGIN}/hook/${name}?code=${code}`,
    /** All notifications so far, once there are this many. */
    received: async (count: number): Promise<Received[]> =>
      (await fetch(`${ORIGIN}/hooks/${name}?count=${count}`)).json<Received[]>(),
  };
}

/** Resolves when the record has come to a state. */
export async function untilStatus(id: string, status: string, database = env.DB): Promise<void> {
  needsInside(); // at once: what is waited for is tried again
  await eventually(async () => expect(await column(id, "status", database)).toBe(status));
}

export async function column(
  id: string,
  name: "status" | "wake_at" | "sweep_at" | "claim" | "starts" | "payload" | "attempts" | "code",
  database = env.DB,
): Promise<unknown> {
  needsInside();
  return database.prepare(`SELECT ${name} FROM webhooks WHERE id = ?`).bind(id).first(name);
}

/** In which databases a record is. */
export async function holding(id: string): Promise<string[]> {
  const found = await Promise.all(
    [...databasesOf(env)].map(async ([name, db]) => ((await column(id, "status", db)) === null ? [] : [name])),
  );
  return found.flat();
}

export interface Stored {
  readonly id?: string;
  readonly accountId: string;
  readonly status?: string;
  readonly createdAt?: number;
  readonly wakeAt?: number | null;
  readonly payload?: string | null;
}

/** Puts records there as if they had lived. */
export async function store(...records: readonly Stored[]): Promise<string[]> {
  return storeIn(env.DB, ...records);
}

export async function storeIn(database: D1Database, ...records: readonly Stored[]): Promise<string[]> {
  needsInside();
  const sql = `INSERT INTO webhooks (id, account_id, status, code, created_at, updated_at, delay_seconds, target, payload, wake_at,
      stage, sweep_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0, x'00', ?6, ?7,
      iif(?7 IS NULL, 'kept', 'waiting'), coalesce(?7, ?5 + ${WEBHOOK_BODY_DAYS * DAY_MS}))`;
  const rows = records.map((record) => {
    const { id = crypto.randomUUID(), status = "delivered", createdAt = Date.now() } = record;
    const isOver = status === "delivered" || status === "failed";
    const wakeAt = record.wakeAt ?? (isOver ? null : createdAt);
    const payload = record.payload === undefined ? failure(id) : record.payload;
    return [id, record.accountId, status, status === "delivered" ? 200 : 0, createdAt, payload, wakeAt] as const;
  });
  await database.batch(rows.map((row) => database.prepare(sql).bind(...row)));
  return rows.map(([id]) => id);
}

function failure(id: string): string {
  return JSON.stringify({ success: false, code: 422, id, message: "The image is damaged", error: "image.damaged" });
}
