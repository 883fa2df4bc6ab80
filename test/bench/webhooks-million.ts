/**
 * Pages of records with a million of them in the database: the plan and the time of every kind of query. SQLite as it
 * comes with Node runs the same schema and the same statements as D1. `RECORDS` in the environment changes how many.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import { listQuery, type Page } from "../../src/webhook/listing.ts";
import { STATUSES } from "../../src/webhook/record.ts";
import { BODIES_SQL, HAND_OUT_SQL, OLD_SQL } from "../../src/webhook/sweep.ts";
import { openDatabase } from "../support/node-database.ts";

const RECORDS = Number(process.env["RECORDS"] ?? 1_000_000);
const DAY_MS = 86_400_000;
const HISTORY_MS = 60 * DAY_MS;
const NOW = Date.UTC(2026, 10, 20, 12);
const ROUNDS = 20;
const WHOLE: Page = { statuses: [], start: 0, end: Number.MAX_SAFE_INTEGER, offset: 0, limit: 50 };

/** Nine of ten records belong to one account, as with a busy customer; nearly all are delivered. */
function fill(database: DatabaseSync): void {
  const insert = database.prepare(
    `INSERT INTO webhooks (id, account_id, status, code, created_at, updated_at, delay_seconds, target, payload, wake_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, x'00', ?, ?)`,
  );
  const payload = JSON.stringify({ success: true, code: 200, filler: "x".repeat(900) });
  database.exec("BEGIN");
  for (let index = 0; index < RECORDS; index += 1) {
    const status = index % 49 === 0 ? (STATUSES[(index / 49) % STATUSES.length] ?? "failed") : "delivered";
    const createdAt = NOW - HISTORY_MS + Math.floor((index / RECORDS) * HISTORY_MS);
    const account = index % 10 === 0 ? `account-${index % 970}` : "busy";
    const isOver = status === "delivered" || status === "failed";
    insert.run(
      randomUUID(),
      account,
      status,
      isOver ? 200 : 0,
      createdAt,
      createdAt,
      payload,
      isOver ? null : NOW + index,
    );
  }
  database.exec("COMMIT");
}

function measure(database: DatabaseSync, title: string, sql: string, values: readonly (string | number)[]): void {
  const statement = database.prepare(sql);
  const durations = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    statement.all(...values);
    return performance.now() - startedAt;
  }).toSorted((a, b) => a - b);
  const rows = statement.all(...values).length;
  console.log(
    `\n${title}: ${rows} rows, median ${durations[ROUNDS / 2]?.toFixed(2)} ms, slowest ${durations.at(-1)?.toFixed(2)} ms`,
  );
  for (const step of database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values))
    console.log(`  ${String(step["detail"])}`);
}

export async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "darkroom-million-"));
  const database = await openDatabase(join(folder, "records.sqlite"));
  fill(database);
  console.log(`${RECORDS} records, 9 of 10 in one account`);
  const pages: readonly (readonly [string, Partial<Page>])[] = [
    ["the newest 50", {}],
    ["100 failed", { statuses: ["failed"], limit: 100 }],
    ["100 failed, created or dispatched", { statuses: ["failed", "created", "dispatched"], limit: 100 }],
    [
      "100 delivered or failed, a week of a month ago",
      { statuses: ["delivered", "failed"], start: NOW - 37 * DAY_MS, end: NOW - 30 * DAY_MS, limit: 100 },
    ],
    ["100 after skipping 100,000", { offset: 100_000, limit: 100 }],
    [
      "100 delivered or failed after skipping 500,000",
      { statuses: ["delivered", "failed"], offset: 500_000, limit: 100 },
    ],
  ];
  for (const [title, changes] of pages) {
    const { sql, values } = listQuery("busy", { ...WHOLE, ...changes });
    measure(database, title, sql, values);
  }
  measure(database, "a batch that the sweep hands out", HAND_OUT_SQL, [NOW, NOW + RECORDS, 300_000, 3_600_000, 1, 100]);
  measure(database, "a page of bodies that are dropped", BODIES_SQL, [NOW - 7 * DAY_MS, 100]);
  measure(database, "a page of records that are deleted", OLD_SQL, [NOW, 100]);
  database.close();
  await rm(folder, { recursive: true });
}
