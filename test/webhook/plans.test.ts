/** No statement about notifications reads a table from end to end: each finds its rows along an index. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { uploadKey, uploadsOf } from "../../src/webhook/bytes.ts";
import { list } from "../../src/webhook/listing.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";

/** The database, and every statement that is prepared on it. */
function recording() {
  const statements = new Set<string>();
  const db = {
    prepare: (sql: string) => {
      statements.add(sql);
      return env.DB.prepare(sql);
    },
    batch: (given: D1PreparedStatement[]) => env.DB.batch(given),
  } as unknown as D1Database;
  return { db, statements };
}

it("finds its rows along an index", async () => {
  const { db, statements } = recording();
  const store = storeOf(db);
  const [none, nothing] = ["none", new Uint8Array()];
  const entry = {
    id: "id",
    accountId: none,
    createdAt: 0,
    toldUntil: 0,
    delaySeconds: 0,
    target: nothing,
    job: nothing,
  };
  await store.insert({ ...entry, bytesKey: null });
  const outcome = { status: "failed", code: 0, attempts: [], retries: 0, wakeAt: null } as const;
  await store.claimRun(none, none, 0, 0);
  await store.renewRun(none, none, 0);
  await store.releaseRun(none, none, { wakeAt: 0, toldUntil: 0, counts: true });
  await store.finishRun(none, { payload: "", dueAt: 0, now: 0 });
  await store.finishRunAndClaim(none, { payload: "", dueAt: 0, now: 0 }, none, 0);
  await store.claimDelivery(none, none, 0, 0);
  await store.finishDelivery(none, none, outcome, 0);
  await store.reschedule(none, none, 0);
  await store.standing(none);
  await store.find(none, none);
  await store.untell([none]);
  const uploads = uploadsOf(env.BUCKET);
  await uploads.put(uploadKey(none, 0), nothing);
  const now = () => Date.UTC(2026, 10, 20);
  const sweep = { db, uploads, now, random: Math.random, waiting: async () => 0, enqueue: async () => undefined };
  await sweepWebhooks(sweep);
  await list(db, none, { statuses: [], start: 0, end: 1, offset: 0, limit: 1 });
  expect(statements.size).toBeGreaterThanOrEqual(16);
  for (const sql of statements) {
    const bound = Array.from({ length: new Set(sql.match(/\?\d+/g)).size }, () => 0);
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql.replace(/json_each\(\?1\)/, "json_each('[]')")}`)
      .bind(...(sql.includes("json_each") ? [] : bound))
      .all<{ detail: string }>();
    const scans = results.map(({ detail }) => detail).filter((step) => step.startsWith("SCAN webhook"));
    expect(scans, sql).toEqual([]);
  }
});
