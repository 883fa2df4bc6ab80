/**
 * Batches that hear of new objects and notify of their end, while each call of a binding in turn goes wrong: one that was not
 * accepted leaves nothing behind, one that was is whole, and no notification of a bucket is lost.
 */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createConsumer } from "../../src/entrances/queue.ts";
import { MAX_KEPT_BATCHES } from "../../src/limits/batch.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { faultyDatabase, faultyObjects, type Mishap, nthCall } from "../support/faults.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { bucketMembers, PLATFORM_ACCOUNT } from "../support/stores/buckets.ts";
import { receiver } from "../support/webhooks.ts";

let key = "";
let account = "";
let bucket = "";
let connector = "";

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const opened = await openAccount(100_000);
  ({ key } = opened);
  account = opened.account.id;
  bucket = `b-${crypto.randomUUID()}`;
  const json = { name: "c", ...bucketMembers(bucket) };
  connector = (await api("POST", "/1.0/connectors", { key, json })).body.connector.id;
});
afterEach(() => void vi.restoreAllMocks());

/** Bindings of which the nth call goes wrong. */
function failingAt(nth: number, mishap: Mishap) {
  const { chance, suffered } = nthCall(nth, mishap);
  const bindings = { DB: faultyDatabase(env.DB, "DB", chance), BATCH: faultyObjects(env.BATCH, "BATCH", chance) };
  return { bindings, suffered };
}

const begin = (more: object = {}, bindings: object = {}) => {
  const webhook = { url: receiver().url };
  const json = { source: { connector, prefix: "in/" }, target: "in-place", events: "only", webhook, ...more };
  return api("POST", "/1.0/batches", { key, json, env: { ...bindings } });
};

/** How many rows there are of batches, of notifications and of listeners. */
async function rows(): Promise<number[]> {
  const counts = [
    env.DB.prepare("SELECT count(*) AS n FROM batches WHERE account_id = ?").bind(account),
    env.DB.prepare("SELECT count(*) AS n FROM webhooks WHERE account_id = ?").bind(account),
    env.DB.prepare("SELECT count(*) AS n FROM bucket_events WHERE bucket = ?").bind(bucket),
  ];
  return Promise.all(counts.map(async (count) => (await count.first<number>("n")) ?? -1));
}

describe("a batch", () => {
  it.each<Mishap>(["fails", "fails after"])(
    "is whole, or there is nothing of it, whichever call of a binding %s while it begins",
    async (mishap) => {
      let accepted = 0;
      for (let nth = 1; ; nth += 1) {
        const { bindings, suffered } = failingAt(nth, mishap);
        const { status } = await begin({}, bindings);
        if (status === 202) accepted += 1;
        expect([suffered, await rows()]).toEqual([suffered, [accepted, accepted, accepted]]);
        if (suffered.length === 0) break;
        expect(nth).toBeLessThan(40);
      }
      expect(accepted).toBeGreaterThan(0);
    },
  );

  it("is told of no new objects once it is canceled: others may be in its place", async () => {
    const { id } = (await begin()).body.batch;
    expect((await rows())[2]).toBe(1);
    await api("POST", `/1.0/batches/${id}/cancel`, { key });
    expect((await rows())[2]).toBe(0);
  });

  it("is none of those that would fill the database of an account", async () => {
    const many = `INSERT INTO batches (id, account_id, created_at, batch, is_open)
      WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ?3) SELECT ?1 || n, ?1, ?2, '{}', 0 FROM n`;
    await env.DB.prepare(many)
      .bind(account, Date.now(), MAX_KEPT_BATCHES - 1)
      .run();
    expect((await begin()).status).toBe(202);
    const { status, body } = await begin();
    expect([status, body.error]).toEqual([422, "account.full"]);
    expect(await rows()).toEqual([MAX_KEPT_BATCHES, 1, 1]);
  });
});

describe("a notification of a bucket", () => {
  it.each<Mishap>(["fails", "fails after"])("reaches its batch, whichever call %s", async (mishap) => {
    const { id } = (await begin()).body.batch;
    await api("POST", `/1.0/batches/${id}/pause`, { key });
    const consume = createConsumer(shortPipeline);
    const told = async (name: string, bindings: object): Promise<boolean> => {
      const object = { key: name, size: 1, eTag: "0".repeat(32) };
      const body = { account: PLATFORM_ACCOUNT, action: "PutObject", bucket, object };
      const [ack, retry] = [vi.fn<() => void>(), vi.fn<() => void>()];
      const message = { id: "1", timestamp: new Date(), body, attempts: 1, ack, retry };
      await consume({ queue: "darkroom", messages: [message] } as never, { ...env, ...bindings } as never);
      return ack.mock.calls.length === 1;
    };
    for (let nth = 1; ; nth += 1) {
      const { bindings, suffered } = failingAt(nth, mishap);
      const name = `in/${nth}.png`;
      if (!(await told(name, bindings))) expect(await told(name, {})).toBe(true);
      const { counts } = (await api("GET", `/1.0/batches/${id}`, { key })).body.batch;
      expect(counts.found, String(suffered)).toBeGreaterThanOrEqual(nth);
      if (suffered.length === 0) break;
      expect(nth).toBeLessThan(20);
    }
    await runDurableObjectAlarm(env.BATCH.getByName(id));
  });
});
