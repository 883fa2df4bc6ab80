/** The sweep that hands out overdue notifications and deletes old ones. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";

import { uploadKey, uploadsOf } from "../../src/webhook/bytes.ts";
import type { Message } from "../../src/webhook/ports.ts";
import { BODIES_SQL, OLD_SQL, sweepWebhooks } from "../../src/webhook/sweep.ts";
import { store } from "../support/webhooks.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

afterEach(async () => {
  await env.DB.batch([env.DB.prepare("DELETE FROM webhooks"), env.DB.prepare("DELETE FROM webhook_jobs")]);
});

/** One sweep; answers with the batches it sent. */
async function sweep(enqueue = async (): Promise<void> => undefined): Promise<Message[][]> {
  const batches: Message[][] = [];
  await sweepWebhooks({
    db: env.DB,
    uploads: uploadsOf(env.BUCKET),
    now: () => NOW,
    enqueue: async (messages) => {
      batches.push([...messages]);
      await enqueue();
    },
  });
  return batches;
}

async function count(): Promise<unknown> {
  return env.DB.prepare("SELECT COUNT(*) AS count FROM webhooks").first("count");
}

it("hands out what is overdue, the longest first, and leaves alone what is not", async () => {
  const [run, deliver, takeOver] = await store(
    { accountId: "a", status: "created", wakeAt: NOW - 60_000, payload: null },
    { accountId: "b", status: "failed", wakeAt: NOW - 40_000 },
    { accountId: "a", status: "dispatched", wakeAt: NOW - 30_000 },
    { accountId: "a", status: "created", wakeAt: NOW - 14_000, payload: null },
    { accountId: "a", status: "scheduled", wakeAt: NOW + 1 },
    { accountId: "a", status: "delivered" },
    { accountId: "a", status: "failed" },
  );
  expect(await sweep()).toEqual([
    [
      { kind: "run", id: run },
      { kind: "deliver", id: deliver },
      { kind: "deliver", id: takeOver },
    ],
  ]);
});

it("hands out in batches, each record once, also of one moment", async () => {
  const ids = await store(
    ...Array.from({ length: 250 }, () => ({ accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS })),
  );
  const batches = await sweep();
  expect(batches.map((batch) => batch.length)).toEqual([100, 100, 50]);
  expect(
    batches
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(ids.toSorted());
});

it("deletes records after 60 days", async () => {
  const old = { accountId: "a", createdAt: NOW - 60 * DAY_MS - 1 };
  await store(...Array.from({ length: 1_200 }, () => old), { accountId: "a", createdAt: NOW - 60 * DAY_MS });
  await sweep();
  expect(await count()).toBe(1);
});

it("drops the bodies and addresses of records that were finished 7 days ago, and keeps the records", async () => {
  const [over, retried, kept] = await store(
    { accountId: "a", createdAt: NOW - 7 * DAY_MS - 1 },
    { accountId: "a", status: "failed", createdAt: NOW - 7 * DAY_MS - 1, wakeAt: NOW + DAY_MS },
    { accountId: "a", createdAt: NOW - 7 * DAY_MS },
    ...Array.from({ length: 250 }, () => ({ accountId: "a", createdAt: NOW - 8 * DAY_MS })),
  );
  await sweep();
  const { results } = await env.DB.prepare(
    "SELECT id FROM webhooks WHERE payload IS NOT NULL AND length(target) > 0 ORDER BY id",
  ).all<{ id: string }>();
  expect(results.map(({ id }) => id)).toEqual([retried ?? "", kept ?? ""].toSorted((a, b) => (a < b ? -1 : 1)));
  expect(await count()).toBe(253);
  const { payload, target } = (await env.DB.prepare("SELECT payload, target FROM webhooks WHERE id = ?")
    .bind(over)
    .first<{ payload: string | null; target: ArrayLike<number> }>()) ?? { payload: "", target: [0] };
  expect([payload, target.length]).toEqual([null, 0]);
});

it("finds the bodies to drop by an index", async () => {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${BODIES_SQL}`).bind(NOW, 100).all<{ detail: string }>();
  expect(results.map(({ detail }) => detail).join()).toContain("webhooks_with_body");
});

it("deletes in small pages", async () => {
  await store(...Array.from({ length: 250 }, () => ({ accountId: "a", createdAt: NOW - 61 * DAY_MS })));
  const pages: number[] = [];
  const prepare = (sql: string) => ({
    bind: (...values: unknown[]) => {
      if (sql === OLD_SQL) pages.push(Number(values[1]));
      return env.DB.prepare(sql).bind(...values);
    },
  });
  const db = { prepare } as unknown as D1Database;
  await sweepWebhooks({ db, uploads: uploadsOf(env.BUCKET), now: () => NOW, enqueue: async () => undefined });
  expect(pages).toEqual([100, 100, 100]);
  expect(await count()).toBe(0);
});

it("deletes bytes whose job has ended or was never accepted, and keeps those of jobs that wait", async () => {
  const old = NOW - 26 * HOUR_MS;
  const keys = { waiting: uploadKey("waiting", old), left: uploadKey("left", old), fresh: uploadKey("fresh", NOW) };
  for (const key of Object.values(keys)) await env.BUCKET.put(key, "bytes");
  await env.DB.prepare("INSERT INTO webhook_jobs (id, job, bytes_key) VALUES ('waiting', x'00', ?)")
    .bind(keys.waiting)
    .run();
  await sweep();
  const { objects } = await env.BUCKET.list({ prefix: "jobs/" });
  expect(objects.map(({ key }) => key)).toEqual([keys.waiting, keys.fresh]);
});

it("deletes what is over also when the queue is away, and then says so", async () => {
  await store(
    { accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS, createdAt: NOW },
    { accountId: "a", createdAt: NOW - 61 * DAY_MS },
  );
  await expect(sweep(() => Promise.reject(new Error("away")))).rejects.toThrow(
    "The sweep of webhooks did not do everything",
  );
  expect(await count()).toBe(1);
});
