/** Requests with an `Idempotency-Key`: sent again, they are answered as before and cost nothing. */
import { createExecutionContext, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { begin, end, find, type Receipt, renew } from "../../src/account/receipts.ts";
import { ApiError } from "../../src/errors.ts";
import { createApp } from "../../src/http/app.ts";
import { RECEIPT_KEPT_MS, RECEIPT_RUN_MS } from "../../src/limits/accounts.ts";
import { pipeline as realPipeline, type Pipeline } from "../../src/pipeline/edges.ts";
import { keepTemporarily } from "../../src/storage/volatile.ts";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf, type Call } from "../support/api.ts";
import { brokenPipeline, damaged, shortPipeline } from "../support/pipeline.ts";
import { holding, receiver, untilStatus } from "../support/webhooks.ts";

const url = "https://images.test/a.png";
const TTL_SECONDS = 3_600;

let key = "";
let meter: ReturnType<typeof env.METER.getByName>;
beforeEach(async () => {
  const opened = await openAccount(10);
  ({ key } = opened);
  meter = env.METER.getByName(`account:${opened.account.id}`);
});
afterEach(() => vi.useRealTimers());

const used = async () => (await api("GET", "/1.0/account", { key })).body.credits.used as number;

/** What the account's meter keeps receipts in; none once it has forgotten everything. */
const tables = () =>
  runInDurableObject(meter, (_, { storage }) =>
    storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'receipts'").toArray(),
  );

/** A pipeline that counts its jobs and keeps results in the real storage. */
function countingPipeline(
  meanwhile: () => Promise<void> = async () => undefined,
): Pipeline & { readonly jobs: string[] } {
  const jobs: string[] = [];
  return {
    ...shortPipeline,
    jobs,
    portsOf: (bindings, settings, baseUrl, database) => ({
      ...shortPipeline.portsOf(bindings, settings, baseUrl, database),
      keepTemporarily: (encoded) =>
        keepTemporarily(env.BUCKET, { baseUrl, ttlSeconds: TTL_SECONDS }, encoded, Date.now()),
    }),
    process: async (job, ports) => {
      jobs.push(job.id);
      await meanwhile();
      return shortPipeline.process(job, ports);
    },
  };
}

function upload(pipeline: Pipeline, name: string, data: object = {}, call: Call & { file?: File } = {}) {
  const body = new FormData();
  body.set("file", call.file ?? new File(["picture"], "a.png"));
  body.set("data", JSON.stringify(data));
  const headers = { "idempotency-key": name, ...call.headers };
  return apiOf(pipeline)("POST", "/1.0/upload", { key, body, ...call, headers });
}

const fetchImage = (pipeline: Pipeline, name: string, json: object = { url }, call: Call = {}) =>
  apiOf(pipeline)("POST", "/1.0/fetch", { key, json, ...call, headers: { "idempotency-key": name, ...call.headers } });

describe("a request that is sent again", () => {
  it("is answered as before, whatever the order of its members and the name of its file, and costs nothing", async () => {
    const pipeline = countingPipeline();
    const first = await upload(pipeline, "a", { resize: { width: 5, height: 4 }, flip: { vertical: true } });
    expect(first.headers.has("idempotent-replayed")).toBe(false);
    const data = { flip: { vertical: true }, resize: { height: 4, width: 5 } };
    const again = await upload(pipeline, "a", data, { file: new File(["picture"], "renamed.png") });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(pipeline.jobs).toHaveLength(1);
    expect(await used()).toBe(1);
  });

  it("is done again by another API key of the account, and under another key", async () => {
    const pipeline = countingPipeline();
    const other = await openAccount();
    await fetchImage(pipeline, "a");
    await fetchImage(pipeline, "b");
    await fetchImage(pipeline, "a", { url }, { key: other.key });
    expect(pipeline.jobs).toHaveLength(3);
  });

  it("is known under a long key as under a short one, and kept as its hash", async () => {
    const pipeline = countingPipeline();
    const [long, other] = ["k".repeat(255), `${"k".repeat(254)}l`];
    await upload(pipeline, long);
    expect((await upload(pipeline, long)).headers.get("idempotent-replayed")).toBe("true");
    expect((await upload(pipeline, other)).headers.has("idempotent-replayed")).toBe(false);
    const names = await runInDurableObject(meter, (_, { storage }) =>
      [...storage.sql.exec("SELECT length(name) FROM receipts").raw()].flat(),
    );
    expect(names).toHaveLength(2);
    for (const length of names) expect(length).toBeLessThan(100);
  });

  it("is forgotten soon where it was refused before its work began", async () => {
    expect((await upload(realPipeline, "none")).status).toBe(415);
    expect((await upload(realPipeline, "none")).headers.get("idempotent-replayed")).toBe("true");
    const ends = await runInDurableObject(meter, (_, { storage }) => [
      ...storage.sql.exec<{ forgotten_at: number }>("SELECT forgotten_at FROM receipts"),
    ]);
    expect(ends).toHaveLength(1);
    expect((ends[0]?.forgotten_at ?? 0) - Date.now()).toBeLessThanOrEqual(300_000);
  });

  it("is 422 when it is another request, which changes nothing", async () => {
    const pipeline = countingPipeline();
    await upload(pipeline, "a");
    const others = [
      await upload(pipeline, "a", { resize: { width: 5 } }),
      await upload(pipeline, "a", {}, { file: new File(["another"], "a.png") }),
      await fetchImage(pipeline, "a"),
    ];
    for (const { status, body } of others) {
      expect(status).toBe(422);
      expect(body.message).toBe("Idempotency-Key was used for another request");
    }
    expect((await upload(pipeline, "a")).headers.get("idempotent-replayed")).toBe("true");
    expect(await used()).toBe(1);
  });

  it("is 409 while the first one is being processed, which is done once under concurrency", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pipeline = countingPipeline(() => promise);
    const calls = Array.from({ length: 6 }, () => fetchImage(pipeline, "a"));
    await vi.waitFor(() => expect(pipeline.jobs).toHaveLength(1));
    const second = await fetchImage(pipeline, "a");
    expect(second).toMatchObject({ status: 409 });
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    resolve();
    const statuses = (await Promise.all(calls)).map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await used()).toBe(1);
  });

  it("is refused as before where it was at fault, and begins anew where it was not", async () => {
    const refused = await fetchImage(damaged, "a");
    const again = await fetchImage(countingPipeline(), "a");
    expect(again).toMatchObject({ status: 422, body: refused.body });
    const invalid = await fetchImage(shortPipeline, "b", { url, nonsense: 1 });
    expect((await fetchImage(shortPipeline, "b", { url, nonsense: 1 })).body).toEqual(invalid.body);
    for (const error of [new Error("ours"), new ApiError(503, "Busy"), new ApiError(429, "Too many")]) {
      expect((await fetchImage(brokenPipeline(error), "c")).status).toBeGreaterThanOrEqual(429);
    }
    expect((await fetchImage(countingPipeline(), "c")).status).toBe(200);
    expect(await used()).toBe(1);
  });

  it("begins anew when its body was no request at all", async () => {
    const headers = { "content-type": "application/json" };
    expect((await fetchImage(shortPipeline, "a", {}, { json: undefined, body: "{", headers })).status).toBe(400);
    expect((await fetchImage(shortPipeline, "a")).status).toBe(200);
  });

  it("gets its bytes in binary mode, and what is said of them otherwise", async () => {
    const pipeline = countingPipeline();
    const binary = { "x-service-binary": "1" };
    const first = await upload(pipeline, "a", {}, { headers: binary });
    const again = await upload(pipeline, "a", {}, { headers: binary });
    expect(new TextDecoder().decode(again.bytes)).toBe("picture");
    expect(again.body).toEqual(first.body);
    for (const name of ["content-type", "content-length", "content-disposition", "x-content-type-options"]) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect((await upload(pipeline, "a")).body).toEqual(first.body);
    await env.BUCKET.delete((await env.BUCKET.list()).objects.map((object) => object.key));
    expect((await upload(pipeline, "a", {}, { headers: binary })).status).toBe(503);
    expect(pipeline.jobs).toHaveLength(1);
  });

  it("is worked out anew once the URL of its result has ended, unless it is another request", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const pipeline = countingPipeline();
    const first = await fetchImage(pipeline, "a");
    vi.setSystemTime(Date.now() + TTL_SECONDS * 1000 + 1);
    expect((await fetchImage(pipeline, "a", { url: `${url}?other` })).status).toBe(422);
    const again = await fetchImage(pipeline, "a");
    expect(again.headers.has("idempotent-replayed")).toBe(false);
    expect(again.body.output.url).not.toBe(first.body.output.url);
    expect((await fetchImage(pipeline, "a")).body).toEqual(again.body);
    expect(pipeline.jobs).toHaveLength(2);
  });

  it("is answered when no credit is left", async () => {
    const { key: poor } = await openAccount(1);
    await fetchImage(countingPipeline(), "a", { url }, { key: poor });
    expect((await fetchImage(shortPipeline, "a", { url }, { key: poor })).status).toBe(200);
    expect((await fetchImage(shortPipeline, "b", { url }, { key: poor })).status).toBe(402);
  });

  it("is accepted once when it has a webhook", async () => {
    const target = receiver();
    const json = { url, webhook: { url: target.url } };
    const first = await fetchImage(countingPipeline(), "a", json);
    const again = await fetchImage(countingPipeline(), "a", json);
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(await holding(first.body.id)).toHaveLength(1);
    await untilStatus(first.body.id, "delivered");
    expect(await target.received(1)).toHaveLength(1);
    expect(await used()).toBe(1);
  });

  it("finds its answer after an eviction of the meter, and none after a day", async () => {
    const pipeline = countingPipeline();
    await fetchImage(brokenPipeline(new ApiError(422, "The image is damaged")), "a");
    await evictDurableObject(meter);
    expect((await fetchImage(pipeline, "a")).status).toBe(422);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + RECEIPT_KEPT_MS + 1);
    await runDurableObjectAlarm(meter);
    expect(await tables()).toEqual([]);
    expect((await fetchImage(pipeline, "a")).status).toBe(200);
  });
});

it("frees the key of a caller who hangs up", async () => {
  const caller = new AbortController();
  const pipeline = countingPipeline(async () => {
    caller.abort();
    throw new Error("stopped");
  });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "a" };
  const init = { method: "POST", headers, body: JSON.stringify({ url }), signal: caller.signal };
  const request = new Request("https://darkroom.test/1.0/fetch", init);
  expect((await createApp(pipeline).fetch(request, env, createExecutionContext())).status).toBe(499);
  expect((await fetchImage(countingPipeline(), "a")).status).toBe(200);
});

it("frees the key of a request that ended without a word", async () => {
  const ask = { key: "k", limit: 10, account: "x", creditsTotal: 5, receipt: "k a" };
  const now = Date.now();
  await meter.take(ask, now);
  const later = now + RECEIPT_RUN_MS;
  expect((await meter.take(ask, later - 1)).opened).toMatchObject({ state: "running" });
  expect((await meter.take(ask, later)).opened).toMatchObject({ state: "free" });
});

it("charges one of two requests of which the second began since nothing was heard of the first", async () => {
  const ask = { key: "k", limit: 10, account: "x", creditsTotal: 5, receipt: "k a" };
  const now = Date.now();
  const tokens = [];
  for (const at of [now, now + RECEIPT_RUN_MS]) {
    const { opened, lease = 0 } = await meter.take(ask, at);
    if (opened?.state !== "free") throw new Error("It may begin");
    tokens.push({ token: opened.token, lease });
  }
  const answer = { status: 200, body: "{}", goodUntil: now + RECEIPT_KEPT_MS };
  for (const { token, lease } of tokens) {
    const ending = { name: "k a", token, kept: { fingerprint: "f", answer } };
    await meter.settle(lease, undefined, ending, now + RECEIPT_RUN_MS + 1);
  }
  expect(await meter.take(ask, now + RECEIPT_RUN_MS + 2)).toMatchObject({ used: 1, opened: { state: "answered" } });
});

it("keeps nothing for requests without the header", async () => {
  await apiOf(shortPipeline)("POST", "/1.0/fetch", { key, json: { url } });
  expect(await tables()).toEqual([]);
});

it.each(["", "two words", "ü", "x".repeat(256)])("refuses the key %j", async (name) => {
  const { status, body } = await fetchImage(shortPipeline, name);
  expect(status).toBe(422);
  expect(body.message).toBe("Idempotency-Key must be 1 to 255 visible ASCII characters");
});

/** What may happen next: somebody asks, the n-th of those at work says something, or time passes. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("ask" as const), fingerprint: fc.constantFrom("f", "g") }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("renew" as const, "answer" as const, "free" as const, "die" as const),
      of: fc.nat(9),
      goodFor: fc.constantFrom(1_000, RECEIPT_KEPT_MS / 2, RECEIPT_KEPT_MS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 14_000, RECEIPT_RUN_MS - 1, RECEIPT_RUN_MS, RECEIPT_KEPT_MS / 2, RECEIPT_KEPT_MS),
    }),
  },
);

it("answers, charges and begins nothing twice, whatever the order in which requests begin, go on, end and vanish", () => {
  const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    let stored: Receipt | undefined;
    let now = 1_000_000_000_000;
    let tokens = 0;
    const running = new Map<string, { readonly fingerprint: string; heardAt: number }>();
    let last: { readonly fingerprint: string; readonly body: string; readonly until: number } | undefined;
    for (const one of steps) {
      if (one.kind === "pass") now += one.ms;
      else if (one.kind === "ask") {
        const found = find(stored, now);
        const isAtWork = [...running.values()].some(({ heardAt }) => heardAt + RECEIPT_RUN_MS > now);
        expect(found.state === "running").toBe(isAtWork);
        if (found.state === "answered") {
          expect(found.answer.body).toBe(last?.body);
          expect(found.fingerprint).toBe(last?.fingerprint);
          expect(last?.until).toBeGreaterThan(now);
        }
        if (found.state !== "free") continue;
        // What was answered and is still good is never done again.
        expect(last === undefined || last.until <= now).toBe(true);
        if (found.fingerprint !== undefined && found.fingerprint !== one.fingerprint) continue;
        const token = String((tokens += 1));
        stored = begin(stored, token, now);
        // Whoever was not heard of for so long has lost the work, whether it knows or not.
        for (const other of running.values()) other.heardAt = Number.NEGATIVE_INFINITY;
        running.set(token, { fingerprint: one.fingerprint, heardAt: now });
      } else {
        const [token, work] = [...running][one.of % Math.max(1, running.size)] ?? [];
        if (token === undefined || !work) continue;
        const isItsOwn = stored?.run?.token === token;
        if (one.kind === "die") {
          running.delete(token);
          if (isItsOwn && work.heardAt + RECEIPT_RUN_MS > now) running.set(token, work); // it is believed at work until then
        } else if (one.kind === "renew") {
          const renewed = renew(stored, token, now);
          expect(renewed !== undefined).toBe(isItsOwn);
          if (renewed) [stored, work.heardAt] = [renewed, now];
        } else {
          running.delete(token);
          const body = `answer ${token}`;
          const answer = { status: 200, body, goodUntil: now + one.goodFor };
          const kept = one.kind === "answer" ? { fingerprint: work.fingerprint, answer } : undefined;
          const ended = end(stored, { name: "n", token, ...(kept && { kept }) }, now);
          expect(ended !== undefined).toBe(isItsOwn);
          if (ended === undefined) continue;
          stored = ended === "forgotten" ? undefined : ended;
          if (kept) last = { fingerprint: work.fingerprint, body, until: now + Math.min(one.goodFor, RECEIPT_KEPT_MS) };
        }
      }
    }
  });
  fc.assert(property, { numRuns: Number(env.MODEL_RUNS) * 20 });
});
