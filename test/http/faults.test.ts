/**
 * The whole service while its bindings go wrong at random: nothing that was accepted is lost, nothing is done or
 * charged twice, and every answer is one that the route table declares (`test/support/api.ts` looks).
 */
import { createExecutionContext, createMessageBatch, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { createConsumer } from "../../src/entrances/queue.ts";
import { CREDIT_LEASE_SECONDS } from "../../src/limits/accounts.ts";
import { type SpelledStore, Store } from "../../src/storage/providers.ts";
import { type OpenStore, openStore } from "../../src/storage/store.ts";
import { openAccount } from "../support/accounts.ts";
import { type Answer, api } from "../support/api.ts";
import { type Around, aroundObjects, nested } from "../support/around.ts";
import { randomOf } from "../support/event-queue.ts";
import { eventually } from "../support/eventually.ts";
import { daily } from "../support/exhaustive.ts";
import {
  type Chance,
  faultyBinding,
  faultyDatabase,
  faultyObjects,
  type Mishap,
  suffering,
} from "../support/faults.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { sharedCount } from "../support/share.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { sweptMessages } from "../support/sweeps.ts";
import { upload } from "../support/upload-tokens.ts";
import { column, receiver, type Received } from "../support/webhooks.ts";

const RUNS = daily(6, sharedCount(40, 6));
const REQUESTS = 14;
/** Of calls that bindings are asked, the share that goes wrong. */
const SHARE = 0.12;
/** How often an isolate tells a batch of outcomes before it gives it up. */
const TELLINGS = 3;
const HOUR_MS = 3_600_000;

/** The bindings of the service, and messages on their way through the queue. */
function faultyWorld(seed: number, blockSeconds = 0) {
  const random = randomOf(seed);
  const suffered: string[] = [];
  let isWell = false;
  const chance: Chance = (where) => {
    const mishaps: readonly Mishap[] = ["fails", "fails after", "late"];
    const mishap = isWell || random() > SHARE ? "none" : (mishaps[Math.floor(random() * mishaps.length)] ?? "none");
    if (mishap !== "none") suffered.push(`${where} ${mishap}`);
    return mishap;
  };
  const line: unknown[] = [];
  const queue = {
    send: async (body: unknown) => void line.push(body),
    sendBatch: async (messages: readonly { readonly body: unknown }[]) =>
      void line.push(...messages.map(({ body }) => body)),
    metrics: async () => ({ backlogCount: line.length, backlogBytes: 0 }),
  };
  // What keeps a batch is bound to what goes wrong, too.
  const bound: Around = async ({ object = "" }, go) => {
    await runInDurableObject(env.BATCH.getByName(object), (instance) => {
      Object.assign(instance, { env: { ...env, ...bindings } });
    });
    return go();
  };
  const bindings = {
    DB: faultyDatabase(env.DB, "DB", chance),
    BUCKET: faultyBinding(env.BUCKET, "BUCKET", chance),
    METER: faultyObjects(env.METER, "METER", chance),
    COURIER: faultyObjects(env.COURIER, "COURIER", chance),
    BATCH: aroundObjects(env.BATCH, "BATCH", nested(suffering(chance), bound)),
    QUEUE: faultyBinding(queue, "QUEUE", chance),
    METER_BLOCK_SECONDS: String(blockSeconds),
  };
  const consume = createConsumer(shortPipeline);
  /** Brings the messages of the queue, each twice and the last one first; those that fail come again. */
  const drainQueue = async () => {
    for (let round = 0; line.length > 0 && round < 20; round += 1) {
      const bodies = line.splice(0).toReversed();
      for (const body of [...bodies, ...bodies]) {
        const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
        const batch = createMessageBatch("darkroom", [message]);
        let isAgain = false;
        vi.spyOn(batch.messages[0] as Message, "retry").mockImplementation(() => void (isAgain = true));
        await consume(batch, { ...env, ...bindings } as unknown as Env, createExecutionContext());
        if (isAgain) line.push(body);
      }
    }
  };
  return { bindings, random, suffered, drainQueue, recover: () => void (isWell = true) };
}

/** Lets an hour pass for all records: what was lost is overdue. */
async function passAnHour(): Promise<void> {
  await env.DB.prepare(
    "UPDATE webhooks SET wake_at = wake_at - ?1, sweep_at = sweep_at - ?1, created_at = created_at - ?1",
  )
    .bind(HOUR_MS)
    .run();
}

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  forgetKeys();
  vi.useRealTimers();
});

/** Credits that are used once every reservation has ended. */
async function creditsUsed(key: string): Promise<number> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + (CREDIT_LEASE_SECONDS + 60) * 1000 });
  try {
    const answer = await api("GET", "/1.0/account", { key });
    const { total, used, remaining } = answer.body.credits;
    expect(used + remaining).toBe(total);
    return used;
  } finally {
    vi.useRealTimers();
  }
}

/** Makes an upload token that is good for one picture, and sends it until one is done, and once more. */
async function usesOfToken(key: string, bindings: object): Promise<number> {
  const call = { env: { ...bindings } };
  const made = await api("POST", "/1.0/upload-tokens", { key, json: { uses: 1 }, ...call });
  if (made.status !== 201) return 0;
  let done = 0;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const { status } = await upload(made.body.token, call);
    if (status === 200) done += 1;
  }
  expect(done, "pictures of a token for one").toBeLessThanOrEqual(1);
  return done;
}

async function deliveryOf(key: string): Promise<string> {
  const json = {
    name: "Site",
    sources: [{ kind: "web", prefix: "https://images.test/" }],
    unsigned: { widths: [320] },
  };
  return (await api("POST", "/1.0/deliveries", { key, json })).body.delivery.id;
}

/** Asks what an address means, which is said as it is or not at all, and costs nothing. */
async function explains(key: string, delivery: string, bindings: object): Promise<void> {
  const address = encodeURIComponent(`/i/${delivery}/w=320/a.png`);
  const path = `/1.0/deliveries/${delivery}/explain?address=${address}`;
  const { status, body } = await api("GET", path, { key, env: { ...bindings } });
  expect(status).toBeOneOf([200, 500, 503]);
  if (status === 200) expect(body.allowed).toBe(true);
}

it("bindings that are well leave the same requests without a failure", async () => {
  const { bindings, drainQueue, recover } = faultyWorld(0);
  recover();
  const { key } = await openAccount(1_000);
  const hook = receiver();
  const json = { url: "https://images.test/a.png" };
  const call = { key, env: bindings };
  expect((await api("POST", "/1.0/fetch", { ...call, json })).status).toBe(200);
  const { status, body } = await api("POST", "/1.0/fetch", { ...call, json: { ...json, webhook: { url: hook.url } } });
  expect(status).toBe(202);
  await drainQueue();
  expect(JSON.parse((await hook.received(1))[0]?.body ?? "{}")).toMatchObject({ id: body.id, success: true });
  expect(await creditsUsed(key)).toBe(2);
});

const runs = Array.from({ length: RUNS }, (_, run) => run + 1);

describe.each(
  runs.flatMap((seed) => [
    { seed, blockSeconds: 0 },
    { seed, blockSeconds: 1 },
  ]),
)("bindings that go wrong, run $seed, requests in blocks of $blockSeconds s", ({ seed, blockSeconds }) => {
  it("lose no job, charge nothing twice, and leave every answer whole", async () => {
    forgetKeys();
    const world = faultyWorld(seed, blockSeconds);
    const { key } = await openAccount(1_000);
    const ask = (json: object, headers: Record<string, string> = {}) =>
      api("POST", "/1.0/fetch", { key, json, headers, env: world.bindings });
    const url = "https://images.test/a.png";
    const delivery = await deliveryOf(key);
    const hook = receiver();
    const accepted = new Set<string>();
    const refused = new Set<string>();
    let successes = 0;
    const names: string[] = [];
    const answered = new Map<string, Answer>();
    // The clock of every second run jumps by an hour, ahead and back, while requests are under way.
    if (seed % 2 === 0) vi.useFakeTimers({ toFake: ["Date"], now: Date.now(), shouldAdvanceTime: true });
    const steps = Array.from({ length: REQUESTS }, async (_, step) => {
      if (seed % 2 === 0) vi.setSystemTime(Date.now() + (step % 2 === 0 ? HOUR_MS : -HOUR_MS));
      const kind = Math.floor(world.random() * 7);
      if (kind === 0) {
        const { status } = await ask({ url });
        if (status === 200) successes += 1;
      } else if (kind === 1) {
        const name = crypto.randomUUID();
        names.push(name);
        for (let attempt = 0; attempt < 5 && !answered.has(name); attempt += 1) {
          const answer = await ask({ url }, { "idempotency-key": name });
          if (answer.status === 200) answered.set(name, answer);
        }
      } else if (kind === 2) {
        const answer = await ask({ url, webhook: { url: hook.url } });
        (answer.status === 202 ? accepted : refused).add(String(answer.body.id));
      } else if (kind === 3) {
        expect((await ask({ url, resize: { width: -1 } })).status).toBeOneOf([422, 500, 503]);
      } else if (kind === 4) {
        const regions = { one: { x: 0, y: 0, width: 0.5, height: 0.5 } };
        const { status } = await ask({ url, redact: { regions }, response: { mode: "binary", keep: false } });
        if (status === 200) successes += 1;
      } else if (kind === 5) {
        const done = await usesOfToken(key, world.bindings);
        successes += done;
      } else await explains(key, delivery, world.bindings);
    });
    await Promise.all(steps);
    vi.useRealTimers();
    await world.drainQueue();
    world.recover();
    for (let round = 0; round < 8; round += 1) {
      await passAnHour();
      const messages = await sweptMessages();
      for (const message of messages) await world.bindings.QUEUE.send(message);
      await world.drainQueue();
    }
    for (const id of accepted) await eventually(async () => expect(await column(id, "status")).toBe("delivered"));
    const told = (await hook.received(accepted.size)).map(
      (received: Received) => JSON.parse(received.body) as { id: string; success: boolean },
    );
    const reached = new Set(told.map(({ id }) => id));
    expect(
      [...accepted].filter((id) => !reached.has(id)),
      "accepted and never told of",
    ).toEqual([]);
    expect(
      [...refused].filter((id) => reached.has(id)),
      "refused and done all the same",
    ).toEqual([]);
    const done = [...reached].filter((id) => told.some((notice) => notice.id === id && notice.success)).length;
    const used = await creditsUsed(key);
    const context = world.suffered.join(", ");
    expect(used, context).toBeLessThanOrEqual(successes + names.length + done);
    // A success whose settling got lost costs its caller nothing.
    const unsettled = world.suffered.filter((line) => /METER\.(settle|end|release|finish)/.test(line)).length;
    const untold = world.suffered.filter((line) => /METER\.tell fails/.test(line)).length;
    const mostLost = unsettled + Math.floor(untold / TELLINGS) * REQUESTS;
    expect(used, context).toBeGreaterThanOrEqual(successes + answered.size + done - mostLost);
  });
});

const OBJECTS = ["a", "b", "c", "d", "e"].map((name) => `${name}.png`);
/** Rounds of a batch in which bindings go wrong, and in all. */
const FAULTY_ROUNDS = 5;
const ROUNDS = 40;

/** A bucket of its own, and a connector that leads there. */
async function bucketOf(key: string): Promise<{ store: OpenStore; connector: string }> {
  const members = {
    provider: "s3",
    ...S3_KEYS,
    endpoint: inject("storeEndpoints")["s3"] ?? "",
    bucket: `f-${crypto.randomUUID()}`,
  };
  const { body } = await api("POST", "/1.0/connectors", { key, json: { name: "c", ...members } });
  const policy = { providerEndpoints: {}, storeHosts: [], allowPrivateOrigins: true };
  const store = openStore(v.parse(Store, members) as SpelledStore, { policy, keyfile: undefined });
  for (const name of OBJECTS) await store.put({ key: name, bytes: new Uint8Array(40), contentType: "image/png" });
  return { store, connector: body.connector.id };
}

/** Begins a batch, as often as it takes. */
async function begun(key: string, connector: string, bindings: object): Promise<string> {
  const json = { source: { connector }, target: "in-place", only_if_smaller: 0 };
  for (let attempt = 0; attempt < 15; attempt += 1) {
    const { status, body } = await api("POST", "/1.0/batches", { key, json, env: { ...bindings } });
    if (status === 202) return body.batch.id;
    expect(status).toBeOneOf([422, 500, 503]);
  }
  throw new Error("No batch has begun");
}

/** Lets the time of all who hold an object of a batch run out. */
async function passLeases(id: string): Promise<void> {
  await runInDurableObject(env.BATCH.getByName(id), (_, { storage }) => {
    storage.sql.exec("UPDATE objects SET until = until - ?", HOUR_MS);
  });
}

/** Brings a batch to its end. */
async function ended(key: string, id: string, world: ReturnType<typeof faultyWorld>) {
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round === FAULTY_ROUNDS) world.recover();
    await runDurableObjectAlarm(env.BATCH.getByName(id));
    await world.drainQueue();
    const { batch } = (await api("GET", `/1.0/batches/${id}`, { key })).body;
    if (batch.state === "done") return batch;
    await passLeases(id);
    // A list that could not be read is waited for, unless the owner says otherwise.
    for (const order of ["pause", "resume"]) await api("POST", `/1.0/batches/${id}/${order}`, { key });
  }
  throw new Error(`The batch has no end: ${world.suffered.join(", ")}`);
}

/** How often each object was written besides by its owner, and whether a batch says that it has done that. */
async function written({ store }: { store: OpenStore }) {
  return Promise.all(
    OBJECTS.map(async (name) => {
      const { url, headers } = await store.read(name);
      const answer = await fetch(url, { headers });
      await answer.body?.cancel();
      const { attempts } = JSON.parse(atob(answer.headers.get("x-recorded") ?? "")) as { attempts: number };
      return { writes: attempts - 1, isMarked: answer.headers.get("x-amz-meta-darkroom") !== null };
    }),
  );
}

describe("a batch in place", () => {
  it("does each object once, for a credit, while bindings are well", async () => {
    const world = faultyWorld(0);
    world.recover();
    const { key } = await openAccount(1_000);
    const bucket = await bucketOf(key);
    const batch = await ended(key, await begun(key, bucket.connector, world.bindings), world);
    expect(batch.counts).toMatchObject({ found: OBJECTS.length, done: OBJECTS.length, skipped: 0, failed: 0 });
    expect(await written(bucket)).toEqual(OBJECTS.map(() => ({ writes: 1, isMarked: true })));
    expect(await creditsUsed(key)).toBe(OBJECTS.length);
  });

  it.each(runs)("loses none, writes none twice and takes no credit twice while they go wrong, run %i", async (seed) => {
    forgetKeys();
    const world = faultyWorld(seed);
    const { key } = await openAccount(1_000);
    const bucket = await bucketOf(key);
    const batch = await ended(key, await begun(key, bucket.connector, world.bindings), world);
    const { found, done, skipped, failed } = batch.counts;
    const context = world.suffered.join(", ");
    expect([found, done + skipped + failed], context).toEqual([OBJECTS.length, OBJECTS.length]);
    const objects = await written(bucket);
    expect(
      objects.filter(({ writes, isMarked }) => writes !== (isMarked ? 1 : 0)),
      context,
    ).toEqual([]);
    expect(objects.filter(({ isMarked }) => !isMarked).length, context).toBeLessThanOrEqual(failed);
    const used = await creditsUsed(key);
    expect(used, context).toBeLessThanOrEqual(objects.filter(({ isMarked }) => isMarked).length);
    // What could not be told of, or settled, costs nothing.
    const lost = world.suffered.filter((line) => /METER\.|BATCH\.finish/.test(line)).length;
    expect(used, context).toBeGreaterThanOrEqual(done - lost);
  });
});
