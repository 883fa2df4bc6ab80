/** What a key has begun before it was revoked: nothing of it goes on in its name. */
import { createMessageBatch, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createKey, deleteKey, forgetKeys } from "../../src/account/keys.ts";
import { createConsumer } from "../../src/entrances/queue.ts";
import { HEARING_TRUST_MS } from "../../src/limits/batch.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { runWork } from "../../src/pipeline/work.ts";
import photo from "../../src/playground/sample.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { bucketMembers, bucketStore, PLATFORM_ACCOUNT } from "../support/stores/buckets.ts";
import { receiver, untilStatus } from "../support/webhooks.ts";

const api = apiOf(pipeline);
const consume = createConsumer(pipeline);
const PHOTO = new Uint8Array(photo);

let account = "";
let key = "";
let keyId = "";
let bucket = "";
let connector = "";

beforeEach(async () => {
  const opened = await openAccount();
  ({ key, keyId } = opened);
  account = opened.account.id;
  bucket = `b-${crypto.randomUUID()}`;
  const json = { name: "c", ...bucketMembers(bucket) };
  connector = (await api("POST", "/1.0/connectors", { key, json })).body.connector.id;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function put(name: string): Promise<void> {
  await bucketStore(bucket).put({ key: name, bytes: PHOTO, contentType: "image/jpeg" });
}

/** Another key of the account, with which its owner goes on. */
async function revoke(): Promise<void> {
  const other = await createKey(env.DB, account, "other", new Date());
  expect(await deleteKey(env.DB, account, keyId)).toBe(true);
  forgetKeys();
  key = other.key;
}

async function begun(more: object): Promise<string> {
  const json = { source: { connector, prefix: "in/" }, target: "in-place", resize: { width: 40 }, ...more };
  const { status, body } = await api("POST", "/1.0/batches", { key, json });
  expect([status, body.message]).toEqual([202, undefined]);
  return body.batch.id;
}

const show = async (id: string) => (await api("GET", `/1.0/batches/${id}`, { key })).body.batch;
const order = (id: string, word: string) => api("POST", `/1.0/batches/${id}/${word}`, { key });
const ring = (id: string) => runDurableObjectAlarm(env.BATCH.getByName(id));

/** Rings until its counts are these. */
async function untilCounts(id: string, wanted: object): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    await ring(id);
    const { counts } = await show(id);
    if (tries > 500 || Object.entries(wanted).every(([name, value]) => counts[name] === value)) {
      return expect(counts).toMatchObject(wanted);
    }
    await scheduler.wait(20);
  }
}

/** A notification of the bucket, as the consumer of the queue is given it. */
async function told(name: string): Promise<number> {
  const object = { key: name, size: PHOTO.length, eTag: "0".repeat(32) };
  const body = { account: PLATFORM_ACCOUNT, action: "PutObject", bucket, object, eventTime: new Date().toISOString() };
  const ack = vi.fn<() => void>();
  const retry = vi.fn<() => void>();
  const message = { id: "1", timestamp: new Date(), body, attempts: 1, ack, retry };
  await consume({ queue: "darkroom", messages: [message] } as never, env);
  return retry.mock.calls.length;
}

const REVOKED = { state: "paused", error: "key.invalid" };

describe("a batch of a revoked key", () => {
  it("reads no list any more and does no object, until another key of the account resumes it", async () => {
    await put("in/a.jpg");
    const id = await begun({});
    await order(id, "pause");
    await revoke();
    const asked = vi.spyOn(globalThis, "fetch");
    await env.BATCH.getByName(id).control((await batchOf(id)) as never, "resume", keyId);
    for (let looks = 0; looks < 5; looks += 1) await ring(id);
    expect(asked).not.toHaveBeenCalled();
    expect(await show(id)).toMatchObject({ ...REVOKED, counts: { found: 0, done: 0 } });
    vi.restoreAllMocks();
    await order(id, "resume");
    await untilCounts(id, { found: 1, done: 1 });
  });

  it("does none of the objects that were listed before", async () => {
    await put("in/a.jpg");
    const id = await begun({ events: "only" });
    expect(await told("in/a.jpg")).toBe(0);
    await revoke();
    await consume(
      createMessageBatch("darkroom", [
        { id: "1", timestamp: new Date(), body: { kind: "object", id, object: 1 }, attempts: 1 },
      ]),
      env,
    );
    await ring(id);
    expect(await show(id)).toMatchObject({ ...REVOKED, counts: { found: 1, done: 0, failed: 0 } });
  });

  it("hears of no new object, and of those that come when another key has resumed it", async () => {
    await put("in/secret.jpg");
    const id = await begun({ events: "only" });
    await revoke();
    expect(await told("in/secret.jpg")).toBe(0);
    expect(await show(id)).toMatchObject({ ...REVOKED, counts: { found: 0 } });
    await order(id, "resume");
    expect(await told("in/secret.jpg")).toBe(0);
    await untilCounts(id, { found: 1, done: 1 });
  });

  it("hears of none, either, while its account is suspended", async () => {
    const id = await begun({ events: "only" });
    await env.DB.prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?").bind(account).run();
    forgetKeys();
    expect(await told("in/secret.jpg")).toBe(0);
    await env.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?").bind(account).run();
    forgetKeys();
    expect(await show(id)).toMatchObject({ state: "paused", error: "account.suspended", counts: { found: 0 } });
  });
});

describe("a batch whose store does not list its bucket to it any more", () => {
  const forbidden = async () => new Response("<Code>AccessDenied</Code>", { status: 403 });

  it("hears of no new object, though it did before", async () => {
    await put("in/a.jpg");
    const id = await begun({ events: "only" });
    expect(await told("in/a.jpg")).toBe(0);
    await untilCounts(id, { found: 1, done: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HEARING_TRUST_MS + 1 });
    vi.spyOn(globalThis, "fetch").mockImplementation(forbidden);
    expect(await told("in/secret.jpg")).toBe(0);
    vi.restoreAllMocks();
    expect(await show(id)).toMatchObject({ state: "paused", error: "store.refused", counts: { found: 1 } });
    expect(JSON.stringify((await api("GET", `/1.0/batches/${id}`, { key })).body)).not.toContain("secret");
  });

  it("is told again later where the store cannot say", async () => {
    const id = await begun({ events: "only" });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("", { status: 503 }));
    expect(await told("in/a.jpg")).toBe(1);
    expect(await show(id)).toMatchObject({ state: "running", counts: { found: 0 } });
  });

  it("is asked once for many notifications, and not for objects that the batch is not about", async () => {
    const id = await begun({ events: "only" });
    await order(id, "pause");
    const asked = vi.spyOn(globalThis, "fetch");
    expect(await told("out/a.jpg")).toBe(0);
    expect(asked).not.toHaveBeenCalled();
    for (let n = 0; n < 4; n += 1) expect(await told(`in/${n}.jpg`)).toBe(0);
    expect(asked).toHaveBeenCalledTimes(1);
    expect((await show(id)).counts.found).toBe(4);
  });
});

async function batchOf(id: string): Promise<unknown> {
  const text = await env.DB.prepare("SELECT batch FROM batches WHERE id = ?").bind(id).first<string>("batch");
  return JSON.parse(text ?? "null");
}

describe("a job of a revoked key that waits for its turn", () => {
  it("ends without work, is told of, and costs nothing", async () => {
    const short = apiOf(shortPipeline);
    const { url, received } = receiver();
    const json = { url: "https://images.test/a.png", webhook: { url } };
    const { status, body } = await short("POST", "/1.0/fetch", {
      key,
      json,
      // Nobody begins it.
      context: { waitUntil: () => undefined },
    });
    expect([status, body.message]).toEqual([202, undefined]);
    await revoke();
    const process = vi.fn<typeof shortPipeline.process>(shortPipeline.process);
    await runWork(env, { ...shortPipeline, process }, { id: body.id }, 60_000);
    expect(process).not.toHaveBeenCalled();
    await untilStatus(body.id, "delivered");
    const [notice] = await received(1);
    expect(JSON.parse(notice?.body ?? "{}")).toMatchObject({ success: false, code: 401, error: "key.invalid" });
    expect((await api("GET", "/1.0/account", { key })).body.credits.used).toBe(0);
  });
});
