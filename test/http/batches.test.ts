/** Batches through the whole service: routes, the object that keeps one, the queue, and a store that keeps conditions. */
import { createMessageBatch, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as v from "valibot";
import { beforeEach, describe, expect, inject, it } from "vitest";

import { createConsumer } from "../../src/entrances/queue.ts";
import { PRICES } from "../../src/limits/prices.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../../src/playground/sample.jpg";
import { type SpelledStore, Store } from "../../src/storage/providers.ts";
import { type OpenStore, openStore } from "../../src/storage/store.ts";
import { signatureHeaders } from "../../src/webhook/sign.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { receiver } from "../support/webhooks.ts";

const api = apiOf(pipeline);
const consume = createConsumer(pipeline);
/** One pixel, WebP lossless: nothing is to be gained there. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const PHOTO = new Uint8Array(photo);

interface Bucket {
  readonly name: string;
  readonly store: OpenStore;
  readonly connector: string;
}

let key = "";
beforeEach(async () => {
  ({ key } = await openAccount());
});

/** A bucket of its own for each test, and a connector that leads there. */
async function bucketWith(
  objects: Readonly<Record<string, Uint8Array>>,
  more: object = {},
  kind = "b",
): Promise<Bucket> {
  const name = kind === "b" ? `b-${crypto.randomUUID()}` : kind;
  const endpoint = inject("storeEndpoints")["s3"] ?? "";
  const members = { provider: "s3", ...S3_KEYS, endpoint, bucket: name };
  const { status, body } = await api("POST", "/1.0/connectors", { key, json: { name: "c", ...members, ...more } });
  expect(status).toBe(201);
  const policy = { providerEndpoints: {}, storeHosts: [], allowPrivateOrigins: true };
  const store = openStore(v.parse(Store, { ...members, ...more }) as SpelledStore, { policy, keyfile: undefined });
  for (const [name, bytes] of Object.entries(objects)) {
    await store.put({ key: name, bytes, contentType: name.endsWith("jpg") ? "image/jpeg" : "image/webp" });
  }
  return { name, store, connector: body.connector.id };
}

async function objectAt({ store }: Bucket, name: string) {
  const { url, headers } = await store.read(name);
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, bytes: await answer.bytes() };
}

const begin = (json: object) => api("POST", "/1.0/batches", { key, json });
const show = async (id: string) => (await api("GET", `/1.0/batches/${id}`, { key })).body;

/** Lets the clock ring until the batch stands still; the queue of the runtime brings its messages by itself. */
async function settled(id: string, isOver = (state: string) => !["listing", "running"].includes(state)) {
  for (;;) {
    await runDurableObjectAlarm(env.BATCH.getByName(id));
    const { batch, failures } = await show(id);
    if (isOver(batch.state)) return { ...batch, failures };
    // The queue brings messages by the runtime's clock.
    await scheduler.wait(20);
  }
}

describe("a batch into another place", () => {
  it("makes every picture once, and a second one makes none again", async () => {
    const bucket = await bucketWith({
      "in/a.jpg": PHOTO,
      "in/deep/b c+ü.jpg": PHOTO,
      "in/small.webp": PIXEL,
      "in/note.txt": PIXEL,
      "out.jpg": PHOTO,
    });
    const json = {
      source: { connector: bucket.connector, prefix: "in/" },
      target: { connector: bucket.connector, prefix: "out/" },
      resize: { width: 40 },
    };
    const { status, body } = await begin(json);
    expect(status).toBe(202);
    const batch = await settled(body.batch.id);
    expect(batch).toMatchObject({ state: "done", failures: [] });
    const small = (await objectAt(bucket, "out/a.jpg")).bytes.length;
    const counts = { found: 3, others: 1, done: 2, skipped: 1, failed: 0, listed: true };
    expect(batch.counts).toMatchObject({ ...counts, bytes_before: 2 * PHOTO.length, bytes_after: 2 * small });
    expect((await objectAt(bucket, "out/deep/b c+ü.jpg")).bytes.length).toBe(small);
    expect((await objectAt(bucket, "in/a.jpg")).bytes).toEqual(PHOTO);
    expect((await objectAt(bucket, "out/small.webp")).status).toBe(404);
    const used = (await api("GET", "/1.0/account", { key })).body.account?.credits_used;
    const again = await settled((await begin(json)).body.batch.id);
    expect(again.counts).toMatchObject({ found: 3, done: 0, skipped: 3 });
    expect(used === undefined || used >= 2).toBe(true);
    const list = await api("GET", "/1.0/batches?limit=1", { key });
    expect(list.body.batches.map(({ id }: { id: string }) => id)).toEqual([again.id]);
  });

  it("names a result of another format after it besides, and writes over nothing that is not its own", async () => {
    const bucket = await bucketWith({ "a.jpg": PHOTO, "b.jpg": PHOTO, "to/b.jpg.webp": PIXEL });
    const json = {
      source: { connector: bucket.connector, exclude: ["to/**"] },
      target: { connector: bucket.connector, prefix: "to/" },
      resize: { width: 40 },
      output: { format: "webp" },
    };
    const batch = await settled((await begin(json)).body.batch.id);
    expect(batch.counts).toMatchObject({ found: 2, done: 1, failed: 1 });
    const reason = "An object of this name is there that no batch has made";
    expect(batch.failures).toMatchObject([{ key: "b.jpg", error: "batch.object", reason }]);
    expect((await objectAt(bucket, "to/a.jpg.webp")).headers.get("content-type")).toBe("image/webp");
    expect((await objectAt(bucket, "to/b.jpg.webp")).bytes).toEqual(PIXEL);
  });
});

describe("a batch in place", () => {
  const inPlace = ({ connector }: Bucket) => ({ source: { connector }, target: "in-place", resize: { width: 40 } });

  it("keeps what an object has besides its bytes, and knows what it has done", async () => {
    const more = { metadata: { author: "Jane" }, headers: { "Cache-Control": "max-age=60" } };
    const bucket = await bucketWith({ "a.jpg": PHOTO, "b.webp": PIXEL }, more);
    const batch = await settled((await begin(inPlace(bucket))).body.batch.id);
    expect(batch.counts).toMatchObject({ done: 1, skipped: 1, failed: 0 });
    const { headers, bytes } = await objectAt(bucket, "a.jpg");
    expect(bytes.length).toBe(batch.counts.bytes_after);
    expect([headers.get("cache-control"), headers.get("x-amz-meta-author")]).toEqual(["max-age=60", "Jane"]);
    expect(headers.get("x-amz-meta-darkroom")).toContain(batch.id);
    const again = await settled((await begin(inPlace(bucket))).body.batch.id);
    expect(again.counts).toMatchObject({ done: 0, skipped: 2 });
    expect((await objectAt(bucket, "a.jpg")).bytes).toEqual(bytes);
  });

  it("pauses where the store ignores conditions, and has changed nothing", async () => {
    const name = `${crypto.randomUUID()}.jpg`;
    const bucket = await bucketWith({ [name]: PHOTO }, {}, "ignores-conditions");
    const batch = await settled((await begin(inPlace(bucket))).body.batch.id);
    expect(batch).toMatchObject({ state: "paused", error: "batch.store" });
    expect(batch.counts).toMatchObject({ done: 0, failed: 0 });
    // The object was written once, by its owner, and nothing lies beside it.
    const { headers } = await objectAt(bucket, name);
    expect(JSON.parse(atob(headers.get("x-recorded") ?? ""))).toMatchObject({ attempts: 1 });
    expect((await bucket.store.list({ prefix: name, limit: 9 })).objects).toHaveLength(1);
  });

  it("is refused for a store that cannot compare versions", async () => {
    const members = { name: "c", provider: "alibaba", ...S3_KEYS, bucket: "pictures", region: "eu-central-1" };
    const { body } = await api("POST", "/1.0/connectors", { key, json: members });
    const refused = await begin({ source: { connector: body.connector.id }, target: "in-place" });
    expect(refused.status).toBe(422);
    expect(refused.body.message).toMatch(/^target in-place cannot be combined with this provider: /);
  });
});

describe("what a batch tells of its end, and of pictures", () => {
  it("posts its end to a webhook, signed, once", async () => {
    const { url, received } = receiver();
    const bucket = await bucketWith({ "a.jpg": PHOTO });
    const json = { source: { connector: bucket.connector }, target: "in-place", resize: { width: 40 } };
    const { status, body } = await begin({ ...json, webhook: { url } });
    expect(status).toBe(202);
    const { id } = body.batch;
    const record = async () => (await api("GET", `/1.0/webhooks/${id}`, { key })).body.webhook;
    expect(await record()).toMatchObject({ status: "created", attempts: [] });
    await settled(id);
    const ended = async () => {
      await runDurableObjectAlarm(env.BATCH.getByName(id));
      await runDurableObjectAlarm(env.COURIER.getByName(id));
      expect((await record()).status).toBe("delivered");
    };
    await eventually(ended);
    const [notification, ...others] = await received(1);
    expect(others).toEqual([]);
    const { headers = {}, body: text = "" } = notification ?? {};
    expect(JSON.parse(text)).toMatchObject({ success: true, id, batch: { id, state: "done", counts: { done: 1 } } });
    expect(JSON.stringify((await record()).payload)).toBe(text);
    const { secret } = (await api("GET", "/1.0/account/webhook-secret", { key })).body;
    expect(headers["webhook-id"]).toBe(id);
    expect(headers).toMatchObject(await signatureHeaders(id, Number(headers["webhook-timestamp"]), text, [secret]));
    // Orders at a batch that is over tell nobody again.
    await api("POST", `/1.0/batches/${id}/cancel`, { key });
    await runDurableObjectAlarm(env.BATCH.getByName(id));
    expect((await record()).attempts).toHaveLength(1);
  });

  it("reports pictures that look alike, and has them found among those of the account", async () => {
    const other = new Uint8Array(await (await fetch(`${inject("origin")}/picture`)).arrayBuffer());
    const bucket = await bucketWith({ "a.jpg": PHOTO, "b/copy.jpg": PHOTO, "c.jpg": PHOTO, "d.png": other });
    const json = { source: { connector: bucket.connector }, target: "in-place", resize: { width: 200 } };
    const { id } = await settled((await begin({ ...json, analyze: ["phash"] })).body.batch.id);
    const report = await api("GET", `/1.0/batches/${id}/duplicates`, { key });
    expect(report.body).toMatchObject({ complete: true, duplicates: [{ count: 2 }] });
    const [{ key: first, keys, phash }] = report.body.duplicates;
    expect(new Set([first, ...keys])).toEqual(new Set(["a.jpg", "b/copy.jpg", "c.jpg"]));
    const similar = await api("GET", `/1.0/similar?phash=${phash}`, { key });
    const names = similar.body.similar.map(({ name, id: of }: { name: string; id: string }) => `${name} ${of}`);
    expect(new Set(names)).toEqual(new Set(["a.jpg", "b/copy.jpg", "c.jpg"].map((name) => `${name} ${id}`)));
    expect((await api("GET", `/1.0/batches/${id}/duplicates?offset=1`, { key })).body.duplicates).toEqual([]);
    // What is said of pictures is no other work: a batch without it finds all of it done.
    const again = await settled((await begin(json)).body.batch.id);
    expect(again.counts.done).toBe(0);
    expect((await api("GET", `/1.0/batches/${again.id}/duplicates`, { key })).body.duplicates).toEqual([]);
  });
});

describe("a batch that is steered", () => {
  it("estimates with dry_run, and touches nothing", async () => {
    const bucket = await bucketWith({ "a.jpg": PHOTO, "b.webp": PIXEL, "c.txt": PIXEL });
    const json = {
      source: { connector: bucket.connector, include: ["*.jpg", "*.webp"] },
      target: "in-place",
      dry_run: true,
    };
    const batch = await settled((await begin(json)).body.batch.id);
    expect(batch).toMatchObject({
      state: "done",
      counts: { found: 2, done: 0, skipped: 0, failed: 0 },
      estimate: { objects: 2, bytes: PHOTO.length + PIXEL.length, credits: 2 },
    });
    const { dollars, bytes_saved: saved, rests_on: base } = batch.estimate;
    expect(base).toMatchObject({
      listed: 3,
      sampled: 2,
      sampled_failed: 0,
      sampled_bytes: PHOTO.length + PIXEL.length,
    });
    expect(saved).toBeGreaterThan(PHOTO.length / 20);
    // What it says that it rests on, by the table of prices, for two objects and a list.
    const stores = base.reads * PRICES.reads + base.writes * PRICES.writes;
    const queued = base.requests * PRICES.requests + base.queue_operations * PRICES.operations;
    const each = stores + queued + base.calls * PRICES.calls + base.rows * PRICES.objectRows;
    const micros = 2 * each + base.sampled_ms * PRICES.cpuMs + PRICES.writes;
    expect(Math.abs(dollars * 1e6 - micros)).toBeLessThan(1.1);
    const { headers, bytes } = await objectAt(bucket, "a.jpg");
    expect([headers.get("x-amz-meta-darkroom"), bytes]).toEqual([null, PHOTO]);
    expect((await api("GET", "/1.0/account", { key })).body.credits.used).toBe(0);
  });

  it("estimates what it can where the pictures of its trial fail", async () => {
    const { key: poor } = await openAccount(0);
    key = poor;
    const bucket = await bucketWith({ "a.jpg": PHOTO });
    const json = { source: { connector: bucket.connector }, target: "in-place", dry_run: true };
    const batch = await settled((await begin(json)).body.batch.id);
    const rests = { sampled: 1, sampled_failed: 1, sampled_ms: 0 };
    expect(batch).toMatchObject({ state: "done", estimate: { credits: 1, bytes_saved: 0, rests_on: rests } });
    expect(batch.failures).toMatchObject([{ key: "a.jpg", error: "credits.exhausted" }]);
  });

  it("is paused, resumed, and canceled; a final state stays", async () => {
    const bucket = await bucketWith({ "a.jpg": PHOTO, "b.jpg": PHOTO });
    const json = { source: { connector: bucket.connector, after: "a.jpg" }, target: "in-place", resize: { width: 40 } };
    const { id } = (await begin(json)).body.batch;
    const order = (word: string) => api("POST", `/1.0/batches/${id}/${word}`, { key });
    const paused = await order("pause");
    expect(["paused", "done"]).toContain(paused.body.batch.state);
    await order("resume");
    const batch = await settled(id);
    expect(batch).toMatchObject({ state: "done", counts: { found: 1, others: 0, done: 1 } });
    expect((await order("cancel")).body.batch.state).toBe("done");
    expect((await objectAt(bucket, "a.jpg")).bytes).toEqual(PHOTO);
    const other = (await begin({ ...json, source: { connector: bucket.connector }, dry_run: true })).body.batch.id;
    await api("POST", `/1.0/batches/${other}/cancel`, { key });
    expect(["canceled", "done"]).toContain((await show(other)).batch.state);
  });

  it("halts without credits, and goes on when there are some", async () => {
    const { key: poor } = await openAccount(1);
    key = poor;
    const bucket = await bucketWith({ "a.jpg": PHOTO, "b.jpg": PHOTO });
    const json = { source: { connector: bucket.connector }, target: "in-place", resize: { width: 40 } };
    const batch = await settled((await begin(json)).body.batch.id);
    expect(batch).toMatchObject({ state: "paused", error: "credits.exhausted", counts: { done: 1, failed: 0 } });
  });

  it("fails where its list is refused, waits for a store that asks for time, and tells what is damaged", async () => {
    const denied = await bucketWith({}, {}, "denied");
    const json = ({ connector }: Bucket) => ({ source: { connector }, target: "in-place", resize: { width: 40 } });
    const failed = await settled((await begin(json(denied))).body.batch.id);
    expect(failed).toMatchObject({
      state: "failed",
      error: "store.refused",
      reason: "store: s3 answered 403 AccessDenied",
    });
    const bucket = await bucketWith({ "a.jpg": PHOTO.subarray(0, 40), "b.jpg": PIXEL.subarray(0, 4) });
    const { id } = (await begin(json(bucket))).body.batch;
    const batch = await settled(id);
    expect(batch.counts).toMatchObject({ done: 0, failed: 2 });
    const { body } = await api("GET", `/1.0/batches/${id}/failures?limit=1&offset=1`, { key });
    expect(body.failures).toHaveLength(1);
    const { body: other } = await api("GET", `/1.0/batches/${id}`, { key: (await openAccount()).key });
    expect(other.code).toBe(404);
  });
});

describe("a request for a batch", () => {
  const source = { connector: "abcDEF1234" };
  it.each([
    [{ target: "in-place" }, "source is required"],
    [{ source }, "target is required"],
    [{ source, target: "in-place" }, "source.connector must be the id of a saved connector"],
    [{ source, target: "in-place", nonsense: 1 }, "nonsense is not a known parameter"],
    [{ source, target: "in-place", store: {} }, "store is not a known parameter"],
    [{ source, target: "x" }, 'target must be "in-place", or an object with connector and prefix'],
    [{ source, target: { prefix: "a" } }, "target.connector is required"],
    [
      { source: { ...source, include: [] }, target: "in-place" },
      "source.include must be a list of 1 to 32 patterns of at most 256 characters",
    ],
    [
      { source, target: "in-place", analyze: ["color"] },
      'analyze.0 must be ["phash"]: batches say nothing else of pictures',
    ],
    [{ source, target: "in-place", webhook: { url: "ftp://x" } }, "webhook.url must be a valid http or https URL"],
    [{ source, target: { ...source } }, "target.prefix must differ from source.prefix; in-place replaces originals"],
    [
      { source, target: "in-place", output: { format: "webp" } },
      "output.format must not be given with target in-place: objects keep their names",
    ],
  ])("%j is refused by its member", async (json, message) => {
    const { status, body } = await begin(json);
    expect([status, body.message]).toEqual([422, message]);
  });
});

describe("a message of an object", () => {
  it("that comes again does nothing", async () => {
    const bucket = await bucketWith({ "a.jpg": PHOTO });
    const json = { source: { connector: bucket.connector }, target: "in-place", resize: { width: 40 } };
    const { id } = await settled((await begin(json)).body.batch.id);
    const { bytes } = await objectAt(bucket, "a.jpg");
    const body = { kind: "object", id, object: 1 };
    await consume(createMessageBatch("darkroom", [{ id: "1", timestamp: new Date(), attempts: 2, body }]), env);
    expect((await show(id)).batch.counts).toMatchObject({ done: 1, skipped: 0, failed: 0 });
    expect((await objectAt(bucket, "a.jpg")).bytes).toEqual(bytes);
  });
});
