/** Batches that hear of new objects by notifications of buckets, through the queue of the runtime. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { accountOfEvents, readEvent, tellOfEvents } from "../../src/batch/events.ts";
import { MAX_HEARD_OBJECTS, MAX_LISTENERS } from "../../src/limits/batch.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../../src/playground/sample.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { bucketMembers, bucketStore, PLATFORM_ACCOUNT } from "../support/stores/buckets.ts";

const api = apiOf(pipeline);
const PHOTO = new Uint8Array(photo);

let key = "";
let bucket = "";
let connector = "";

beforeEach(async () => {
  ({ key } = await openAccount());
  bucket = `b-${crypto.randomUUID()}`;
  const json = { name: "c", ...bucketMembers(bucket) };
  connector = (await api("POST", "/1.0/connectors", { key, json })).body.connector.id;
});

async function put(name: string, bytes = PHOTO): Promise<void> {
  await bucketStore(bucket).put({ key: name, bytes, contentType: "image/jpeg" });
}

async function read(name: string) {
  const { url, headers } = await bucketStore(bucket).read(name);
  const answer = await fetch(url, { headers });
  return { mark: answer.headers.get("x-amz-meta-darkroom"), bytes: await answer.bytes() };
}

/** As the platform writes them. */
function eventOf(name: string, action = "PutObject", of = bucket) {
  const object = { key: name, ...(action !== "DeleteObject" && { size: PHOTO.length, eTag: "0".repeat(32) }) };
  return { account: PLATFORM_ACCOUNT, action, bucket: of, object, eventTime: "2026-11-30T12:00:00.000Z" };
}

const notify = (...events: readonly object[]) => env.QUEUE.sendBatch(events.map((body) => ({ body })));
const begin = (json: object) => api("POST", "/1.0/batches", { key, json });
const show = async (id: string) => (await api("GET", `/1.0/batches/${id}`, { key })).body.batch;

/** Lets the clock of the batch ring until its counts are these. */
async function untilCounts(id: string, wanted: object) {
  for (let tries = 0; ; tries += 1) {
    await runDurableObjectAlarm(env.BATCH.getByName(id));
    const batch = await show(id);
    try {
      expect(batch.counts).toMatchObject(wanted);
      return batch;
    } catch (error) {
      if (tries > 3_000) throw error;
    }
    await scheduler.wait(20);
  }
}

/** A batch in place that has done all that it has heard of. */
async function standing(more: object = {}): Promise<string> {
  const json = { source: { connector, prefix: "in/" }, target: "in-place", resize: { width: 40 }, ...more };
  const { status, body } = await begin({ events: true, ...json });
  expect([status, body.message]).toEqual([202, undefined]);
  return body.batch.id;
}

describe("a batch with events", () => {
  it("does what is there, then each new object, and no result of its own", async () => {
    await put("in/a.jpg");
    const id = await standing({ source: { connector, prefix: "in/", exclude: ["*.raw.jpg"] } });
    await untilCounts(id, { found: 1, done: 1 });
    expect(await show(id)).toMatchObject({ state: "running", events: true });
    for (const name of ["in/b.jpg", "in/c.raw.jpg", "out.jpg"]) await put(name);
    // Twice, with one of a deleted object, one of an object that is gone, and those of its own writes.
    const told = ["in/b.jpg", "in/c.raw.jpg", "out.jpg", "in/a.jpg", "in/gone.jpg", "in/b.jpg", "in/note.txt"];
    await notify(...told.map((name) => eventOf(name)), eventOf("in/b.jpg", "DeleteObject"));
    const heard = await untilCounts(id, { found: 3, done: 2, skipped: 1, failed: 0 });
    expect(heard).toMatchObject({ state: "running", last_event_at: expect.any(String) });
    const { mark, bytes } = await read("in/b.jpg");
    expect(mark).toContain(id);
    for (const name of ["in/c.raw.jpg", "out.jpg"]) expect((await read(name)).bytes).toEqual(PHOTO);
    await notify(eventOf("in/b.jpg"), eventOf("in/d.jpg", "CopyObject"));
    await untilCounts(id, { found: 4, done: 2, skipped: 2, failed: 0 });
    expect((await read("in/b.jpg")).bytes).toEqual(bytes);
  });

  it("does an object again that was replaced, and leaves results of others in place alone", async () => {
    const [first, second] = [
      await standing({ events: "only" }),
      await standing({ events: "only", resize: { width: 20 } }),
    ];
    await put("in/a.jpg");
    await notify(eventOf("in/a.jpg"));
    const either = async () => (await show(first)).counts.done + (await show(second)).counts.done;
    for (let tries = 0; (await either()) === 0 && tries < 3_000; tries += 1) {
      for (const id of [first, second]) await runDurableObjectAlarm(env.BATCH.getByName(id));
      await scheduler.wait(20);
    }
    const counts = (await show(second)).counts.done === 1 ? { found: 1, done: 1 } : { found: 0, done: 0 };
    await untilCounts(second, counts);
    const { bytes } = await read("in/a.jpg");
    await notify(eventOf("in/a.jpg"));
    await untilCounts(second, counts);
    expect((await read("in/a.jpg")).bytes).toEqual(bytes);
    await api("POST", `/1.0/batches/${second}/cancel`, { key });
    await put("in/a.jpg");
    expect((await read("in/a.jpg")).mark).toBeNull();
    const { done } = (await show(first)).counts;
    await notify(eventOf("in/a.jpg"));
    await untilCounts(first, { done: done + 1 });
  });

  it("keeps objects that it hears of while it is paused, and none after its end", async () => {
    const id = await standing({ events: "only" });
    await put("in/a.jpg");
    await api("POST", `/1.0/batches/${id}/pause`, { key });
    await notify(eventOf("in/a.jpg"));
    expect(await untilCounts(id, { found: 1, done: 0 })).toMatchObject({ state: "paused" });
    await api("POST", `/1.0/batches/${id}/resume`, { key });
    await untilCounts(id, { found: 1, done: 1 });
    await api("POST", `/1.0/batches/${id}/cancel`, { key });
    const tell = async (batch: string) =>
      (await env.BATCH.getByName(batch).hear([{ key: "in/b.jpg", bytes: 1 }])) === true;
    const event = readEvent(eventOf("in/b.jpg"));
    if (!event) throw new Error("no event");
    await tellOfEvents([event], { db: env.DB, tell });
    const { results } = await env.DB.prepare("SELECT 1 FROM bucket_events WHERE bucket = ?").bind(bucket).all();
    expect(results).toEqual([]);
    expect((await show(id)).counts.found).toBe(1);
  });

  it("is none of a bucket whose store does not list it to its keys: names of objects would be told", async () => {
    const json = { name: "foreign", ...bucketMembers(bucket), secret: "guessed" };
    const { id } = (await api("POST", "/1.0/connectors", { key, json })).body.connector;
    await put("in/private.jpg");
    for (const events of [true, "only"]) {
      const { status, body } = await begin({ source: { connector: id, prefix: "in/" }, target: "in-place", events });
      expect([status, body.message]).toEqual([422, expect.stringContaining("store: s3 answered 403")]);
    }
    await notify(eventOf("in/private.jpg"));
    const { results } = await env.DB.prepare("SELECT 1 FROM bucket_events WHERE bucket = ?").bind(bucket).all();
    expect(results).toEqual([]);
    expect((await api("GET", "/1.0/batches", { key })).body.batches).toEqual([]);
  });

  it("is refused where as many hear of its bucket as are told", async () => {
    const sql = "INSERT INTO bucket_events VALUES (?, '', ?)";
    const others = Array.from({ length: MAX_LISTENERS }, (_, n) => env.DB.prepare(sql).bind(bucket, `other-${n}`));
    await env.DB.batch(others);
    const { status, body } = await begin({ source: { connector }, target: "in-place", events: "only" });
    expect([status, body.message]).toEqual([422, "A bucket has at most 50 batches that hear of its objects"]);
    expect((await api("GET", "/1.0/batches", { key })).body.batches).toEqual([]);
  });

  it("leaves in the queue what it has no room for", async () => {
    const id = await standing({ events: "only" });
    await api("POST", `/1.0/batches/${id}/pause`, { key });
    const many = Array.from({ length: MAX_HEARD_OBJECTS + 1 }, (_, n) => ({ key: `in/${n}.jpg`, bytes: 1 }));
    expect(await env.BATCH.getByName(id).hear(many)).toBeUndefined();
    expect((await show(id)).counts.found).toBe(0);
  });
});

describe("a notification", () => {
  it("is read as the platform documents it", () => {
    const created = { account: PLATFORM_ACCOUNT, bucket: "b", key: "in/a.jpg", bytes: PHOTO.length };
    for (const action of ["PutObject", "CopyObject", "CompleteMultipartUpload"]) {
      expect(readEvent(eventOf("in/a.jpg", action, "b"))).toEqual(created);
    }
    for (const action of ["DeleteObject", "LifecycleDeletion", "Other"])
      expect(readEvent(eventOf("a", action))).toBeNull();
    for (const other of [
      { kind: "run", id: "x" },
      null,
      "x",
      { ...eventOf("a"), object: 1 },
      { ...eventOf("a"), bucket: 1 },
    ]) {
      expect(readEvent(other)).toBeUndefined();
    }
  });

  it("comes from the account that the endpoint of its bucket names, and from nowhere else", () => {
    const endpoint = `https://${PLATFORM_ACCOUNT.toUpperCase()}.eu.r2.cloudflarestorage.com`;
    expect(accountOfEvents({ endpoint }, false)).toBe(PLATFORM_ACCOUNT);
    for (const other of [
      "https://s3.example.com",
      `https://${PLATFORM_ACCOUNT}.r2.cloudflarestorage.com.example.com`,
      undefined,
    ]) {
      expect(accountOfEvents({ endpoint: other }, false)).toBeUndefined();
    }
    expect(accountOfEvents({ endpoint: "http://127.0.0.1:9" }, true)).toBe("");
  });

  it("of another account with a bucket of the same name is told to nobody", async () => {
    await env.DB.prepare("INSERT INTO bucket_events VALUES (?, ?, ?)").bind(bucket, PLATFORM_ACCOUNT, "one").run();
    const told: string[] = [];
    const tell = async (batch: string) => told.push(batch) > 0;
    const event = { account: PLATFORM_ACCOUNT, bucket, key: "a.jpg", bytes: 1 };
    await tellOfEvents([{ ...event, account: "f".repeat(32) }], { db: env.DB, tell });
    expect(told).toEqual([]);
    await tellOfEvents([event], { db: env.DB, tell });
    expect(told).toEqual(["one"]);
  });

  it("is asked for with what it goes with alone", async () => {
    const source = { connector };
    const dry = await begin({ source, target: "in-place", dry_run: true, events: true });
    expect([dry.status, dry.body.message]).toEqual([
      422,
      expect.stringMatching(/^events must not be given with dry_run/),
    ]);
    const word = await begin({ source, target: "in-place", events: "new" });
    expect([word.status, word.body.message]).toEqual([422, 'events must be true, false or "only"']);
  });
});
