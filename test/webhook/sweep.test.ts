/** The sweep that hands out overdue notifications and deletes old ones. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";

import {
  GRACE_MS,
  HAND_OUT_MS,
  LONG_LINE_MESSAGES,
  MAX_HAND_OUT_MS,
  SWEEP_BATCHES,
  SWEEP_MESSAGES,
} from "../../src/limits/webhook.ts";
import { uploadKey, uploadsOf } from "../../src/webhook/bytes.ts";
import type { Message } from "../../src/webhook/ports.ts";
import { BODIES_SQL, OLD_SQL, type SweepPorts, sweepWebhooks } from "../../src/webhook/sweep.ts";
import { column, store } from "../support/webhooks.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

afterEach(async () => {
  await env.DB.prepare("DELETE FROM webhooks").run();
});

const ports: SweepPorts = {
  db: env.DB,
  uploads: uploadsOf(env.BUCKET),
  now: () => NOW,
  random: () => 0.5,
  waiting: async () => 0,
  enqueue: async () => undefined,
};

/** One sweep; answers with the batches it sent. */
async function sweep(given: Partial<SweepPorts> = {}): Promise<Message[][]> {
  const batches: Message[][] = [];
  const { enqueue, ...others } = { ...ports, ...given };
  await sweepWebhooks({
    ...others,
    enqueue: async (messages) => {
      batches.push([...messages]);
      await enqueue(messages);
    },
  });
  return batches;
}

function namesOf(batches: readonly Message[][]): string[] {
  return batches.flat().map(({ id }) => id);
}

async function count(): Promise<unknown> {
  return env.DB.prepare("SELECT COUNT(*) AS count FROM webhooks").first("count");
}

it("hands out what is overdue, and leaves alone what is not", async () => {
  const [run, deliver, takeOver] = await store(
    { accountId: "a", status: "created", wakeAt: NOW - 60_000, payload: null },
    { accountId: "b", status: "failed", wakeAt: NOW - 40_000 },
    { accountId: "a", status: "dispatched", wakeAt: NOW - 30_000 },
    { accountId: "a", status: "created", wakeAt: NOW - 14_000, payload: null },
    { accountId: "a", status: "scheduled", wakeAt: NOW + 1 },
    { accountId: "a", status: "delivered" },
    { accountId: "a", status: "failed" },
  );
  const [batch] = await sweep();
  expect(batch).toHaveLength(3);
  expect(batch).toEqual(
    expect.arrayContaining([
      { kind: "run", id: run },
      { kind: "deliver", id: deliver },
      { kind: "deliver", id: takeOver },
    ]),
  );
});

it("hands out the longest overdue first, so much at a time as one sweep may", async () => {
  const count = SWEEP_BATCHES * SWEEP_MESSAGES;
  const ids = await store(
    ...Array.from({ length: count + 3 }, (_, index) => ({
      accountId: "a",
      status: "scheduled",
      wakeAt: NOW - DAY_MS - index,
    })),
  );
  expect(new Set(namesOf(await sweep()))).toEqual(new Set(ids.slice(3)));
  expect(new Set(namesOf(await sweep()))).toEqual(new Set(ids.slice(0, 3)));
});

it("hands out a record again after as long as it has waited already, and no sooner", async () => {
  const [id = ""] = await store({ accountId: "a", status: "created", wakeAt: NOW - 1_000_000, payload: null });
  const at = async (now: number) => namesOf(await sweep({ now: () => now }));
  expect(await at(NOW)).toEqual([id]);
  expect(await at(NOW + 1_000_000)).toEqual([]);
  expect(await at(NOW + 1_000_000 + GRACE_MS)).toEqual([id]);
  expect(await at(NOW + 3_000_000)).toEqual([]);
  expect(await at(NOW + 3_000_000 + 3 * GRACE_MS)).toEqual([id]);
});

it("spreads what it hands out, and never lets it wait for longer than an hour or less than a few minutes", async () => {
  const [old, young] = await store(
    { accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS },
    { accountId: "a", status: "scheduled", wakeAt: NOW - GRACE_MS },
  );
  const toldUntil = async (id = "") => Number(await column(id, "sweep_at")) - NOW;
  await sweep({ random: () => 0 });
  expect([await toldUntil(old), await toldUntil(young)]).toEqual([0.75 * MAX_HAND_OUT_MS, 0.75 * HAND_OUT_MS]);
  await env.DB.prepare("UPDATE webhooks SET sweep_at = 0").run();
  await sweep({ random: () => 0.999_999 });
  expect([await toldUntil(old), await toldUntil(young)]).toEqual([1.25 * MAX_HAND_OUT_MS, 1.25 * HAND_OUT_MS]);
});

it("gives each record to one of two sweeps at the same time", async () => {
  const ids = await store(
    ...Array.from({ length: 150 }, () => ({ accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS })),
  );
  const names = namesOf((await Promise.all([sweep(), sweep()])).flat());
  expect(names.toSorted()).toEqual(ids.toSorted());
});

it("hands out one batch while a long line waits in the queue, and as ever when its length is not known", async () => {
  await store(...Array.from({ length: 350 }, () => ({ accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS })));
  const sizes = async (waiting: () => Promise<number>) => (await sweep({ waiting })).map((batch) => batch.length);
  expect(await sizes(async () => LONG_LINE_MESSAGES)).toEqual([100]);
  expect(await sizes(() => Promise.reject(new Error("away")))).toEqual([100, 100, 50]);
});

it("hands out again in the next sweep what the queue did not take", async () => {
  const ids = await store(
    { accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS },
    { accountId: "a", status: "created", wakeAt: NOW - DAY_MS, payload: null },
  );
  await expect(sweep({ enqueue: () => Promise.reject(new Error("away")) })).rejects.toThrow("The sweep of webhooks");
  expect(namesOf(await sweep()).toSorted()).toEqual(ids.toSorted());
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
  expect(results.map(({ detail }) => detail).join()).toContain("webhooks_to_sweep");
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
  await sweep({ db });
  expect(pages).toEqual([100, 100, 100]);
  expect(await count()).toBe(0);
});

it("deletes bytes whose job has ended or was never accepted, and keeps those of jobs that wait", async () => {
  const old = NOW - 26 * HOUR_MS;
  const keys = { waiting: uploadKey("waiting", old), left: uploadKey("left", old), fresh: uploadKey("fresh", NOW) };
  for (const key of Object.values(keys)) await env.BUCKET.put(key, "bytes");
  await store({ id: "waiting", accountId: "a", status: "created", wakeAt: NOW, payload: null });
  await env.DB.prepare("UPDATE webhooks SET job = x'00', bytes_key = ? WHERE id = 'waiting'").bind(keys.waiting).run();
  await sweep();
  const { objects } = await env.BUCKET.list({ prefix: "jobs/" });
  expect(objects.map(({ key }) => key)).toEqual([keys.waiting, keys.fresh]);
});

it("deletes what is over also when the queue is away, and then says so", async () => {
  await store(
    { accountId: "a", status: "scheduled", wakeAt: NOW - DAY_MS, createdAt: NOW },
    { accountId: "a", createdAt: NOW - 61 * DAY_MS },
  );
  await expect(sweep({ enqueue: () => Promise.reject(new Error("away")) })).rejects.toThrow(
    "The sweep of webhooks did not do everything",
  );
  expect(await count()).toBe(1);
});
