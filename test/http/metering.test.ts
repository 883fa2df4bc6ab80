/** Credits and the rate limit, as callers meet them. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { changeAccount } from "../../src/account/accounts.ts";
import { forgetKeys } from "../../src/account/keys.ts";
import { ApiError } from "../../src/errors.ts";
import { graphicControl, header, imageDescriptor, loopExtension, TRAILER } from "../../src/image/formats/gif/blocks.ts";
import { joined } from "../../src/joined.ts";
import { DEFAULT_FAILED_MS } from "../../src/limits/isolate.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf, type Call } from "../support/api.ts";
import { brokenPipeline, damaged, shortPipeline, workingPipeline } from "../support/pipeline.ts";
import { gridOf } from "../support/shared-parts.ts";
import { receiver } from "../support/webhooks.ts";

const json = { url: "https://images.test/a.png" };
const fetchImage = (key: string, call: Call = {}) => api("POST", "/1.0/fetch", { key, json, ...call });
const failing = (key: string) => apiOf(damaged)("POST", "/1.0/fetch", { key, json });
const creditsOf = async (key: string) => (await api("GET", "/1.0/account", { key })).body.credits;

beforeEach(() => forgetKeys());

describe("credits", () => {
  it("are spent by successes alone", async () => {
    const { key } = await openAccount(10);
    await fetchImage(key);
    await fetchImage(key);
    expect((await failing(key)).status).toBe(422);
    expect((await fetchImage(key, { json: {} })).status).toBe(422);
    expect(await creditsOf(key)).toEqual({ total: 10, used: 2, remaining: 8 });
  });

  it("are 402 when none is left, also under concurrency, while queries go on", async () => {
    const { key } = await openAccount(3);
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetchImage(key)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 402)).toHaveLength(5);
    expect(answers.find(({ status }) => status === 402)?.body.message).toBe("No credits left in this period");
    expect(await creditsOf(key)).toEqual({ total: 3, used: 3, remaining: 0 });
  });

  it("are given back by a failure, so that the next call has one", async () => {
    const { key } = await openAccount(1);
    for (let round = 0; round < 3; round += 1) expect((await failing(key)).status).toBe(422);
    expect((await fetchImage(key)).status).toBe(200);
    expect((await fetchImage(key)).status).toBe(402);
  });

  it("show nothing below zero when the total was lowered", async () => {
    const { key, account } = await openAccount(5);
    await fetchImage(key);
    await fetchImage(key);
    await changeAccount(env.DB, account.id, { creditsTotal: 1 });
    forgetKeys();
    expect(await creditsOf(key)).toEqual({ total: 1, used: 2, remaining: 0 });
  });
});

describe("the rate limit", () => {
  it("counts every endpoint and method of a key, and answers 429 with Retry-After", async () => {
    const { key } = await openAccount();
    const limited = (method: string, path: string, call: Call = {}) =>
      api(method, path, { key, env: { RATE_LIMIT: "4" }, ...call });
    const remaining = [
      await limited("GET", "/1.0/account"),
      await limited("DELETE", "/1.0/account"),
      await limited("GET", "/1.0/nothing"),
      await limited("POST", "/1.0/fetch", { json }),
    ].map(({ headers }) => headers.get("x-ratelimit-remaining"));
    expect(remaining).toEqual(["3", "2", "1", "0"]);
    const { status, headers, body } = await limited("POST", "/1.0/fetch", { json: {} });
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe(headers.get("x-ratelimit-reset"));
    expect(body.message).toBe(`Rate limit exceeded, resets in ${headers.get("retry-after")} seconds`);
    expect(headers.get("x-ratelimit-remaining")).toBe("0");
  });

  it("is one per key", async () => {
    const [a, b] = [await openAccount(), await openAccount()];
    const settings = { RATE_LIMIT: "1" };
    expect((await api("GET", "/1.0/account", { key: a.key, env: settings })).status).toBe(200);
    expect((await api("GET", "/1.0/account", { key: a.key, env: settings })).status).toBe(429);
    expect((await api("GET", "/1.0/account", { key: b.key, env: settings })).status).toBe(200);
  });

  it("counts callers without a key by address, and IPv6 callers by network", async () => {
    const from = (address: string) =>
      api("GET", "/1.0/account", { headers: { "cf-connecting-ip": address }, env: { ANONYMOUS_LIMIT: "1" } });
    expect((await from("192.0.2.1")).status).toBe(401);
    expect((await from("192.0.2.1")).status).toBe(429);
    expect((await from("192.0.2.2")).status).toBe(401);
    expect((await from("2001:db8:1:2::1")).status).toBe(401);
    expect((await from("2001:db8:1:2:ffff::9")).status).toBe(429);
    expect((await from("2001:db8:1:3::1")).status).toBe(401);
  });

  it("does not count what is open", async () => {
    const settings = { ANONYMOUS_LIMIT: "1" };
    const headers = { "cf-connecting-ip": "192.0.2.77" };
    for (let round = 0; round < 3; round += 1) {
      expect((await api("GET", "/health", { headers, env: settings })).status).toBe(200);
      expect((await api("GET", "/temp/x/y", { headers, env: settings })).status).toBe(404);
    }
    expect((await api("GET", "/1.0/account", { headers, env: settings })).status).toBe(401);
  });
});

describe("a request that the meter refuses", () => {
  const window = { limit: 5, remaining: 0, resetSeconds: 9, used: 0 };
  const endless = () => {
    const state = { pulls: 0 };
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      state.pulls += 1;
      if (state.pulls > 3) controller.close();
      else controller.enqueue(new Uint8Array(1_000));
    };
    return { state, body: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }) };
  };

  it.each([
    ["/1.0/upload", "multipart/form-data; boundary=b", 429, { ...window, allowed: false }],
    ["/1.0/upload", "multipart/form-data; boundary=b", 402, { ...window, allowed: true }],
    ["/1.0/fetch", "application/json", 429, { ...window, allowed: false }],
    ["/1.0/fetch", "application/json", 402, { ...window, allowed: true }],
  ])("at %s as %s is %i before a byte of its body is read", async (path, type, expected, taken) => {
    const { key } = await openAccount();
    const { state, body } = endless();
    const readBefore: number[] = [];
    const take = async () => {
      await scheduler.wait(20);
      readBefore.push(state.pulls);
      return taken;
    };
    const METER = { getByName: () => ({ take, fail: () => Promise.resolve() }) };
    const headers = { "content-type": type };
    const { status } = await api("POST", path, { key, body, headers, env: { METER } });
    expect([status, readBefore]).toEqual([expected, [0]]);
  });

  it("answers in JSON where only its body asks for bytes, and in headers where a header does", async () => {
    const { key } = await openAccount(0);
    const body = { ...json, response: { mode: "binary" } };
    const asBody = await fetchImage(key, { json: body });
    expect([asBody.status, asBody.headers.has("x-service-metadata")]).toEqual([402, false]);
    const asHeader = await fetchImage(key, { json: body, headers: { "x-service-binary": "1" } });
    expect([asHeader.status, asHeader.headers.has("x-service-metadata")]).toEqual([402, true]);
  });
});

describe("failed work", () => {
  const late = brokenPipeline(new ApiError(422, "The image is damaged"), 600);
  const work = (key: string, pipeline = late) =>
    apiOf(pipeline)("POST", "/1.0/fetch", { key, json, env: { MAX_FAILED_MS: "1000" } });

  it("counts its processor time: beyond the bound images wait, and queries go on", async () => {
    const { key } = await openAccount();
    expect((await work(key)).status).toBe(422);
    expect((await work(key)).status).toBe(422);
    const { status, headers, body } = await work(key, shortPipeline);
    expect(status).toBe(429);
    const seconds = Number(headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(170);
    expect(seconds).toBeLessThanOrEqual(180);
    expect(body.message).toContain("Failed requests took too much processor time");
    expect(await creditsOf(key)).toEqual({ total: 1_000, used: 0, remaining: 1_000 });
  });

  it("is shown by day, and as what is not forgotten of it", async () => {
    const { key } = await openAccount();
    for (let round = 0; round < 2; round += 1) await apiOf(late)("POST", "/1.0/fetch", { key, json });
    await fetchImage(key);
    const { failed_ms: standing } = (await api("GET", "/1.0/account", { key })).body;
    expect(standing.limit).toBe(DEFAULT_FAILED_MS);
    expect(standing.used).toBeGreaterThan(0);
    expect(standing.used).toBeLessThanOrEqual(1_200);
    const { total, usage } = (await api("GET", "/1.0/account/usage", { key })).body;
    expect([total.failed_ms, usage[0].failed_ms, total.errors]).toEqual([1_200, 1_200, 2]);
  });

  it("of a job with a webhook is counted, too, and so are the jobs after it", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver();
    const { status } = await apiOf(late)("POST", "/1.0/fetch", { key, json: { ...json, webhook: { url } } });
    expect(status).toBe(202);
    const [notification] = await received(1);
    expect(JSON.parse(notification?.body ?? "")).toMatchObject({ success: false, code: 422 });
    await vi.waitFor(async () =>
      expect((await api("GET", "/1.0/account/usage", { key })).body.total.failed_ms).toBe(600),
    );
    expect((await work(key)).status).toBe(422);
    expect((await work(key)).status).toBe(429);
  });

  it("is what reading its headers takes where these are made to cost", async () => {
    const { key } = await openAccount();
    const body = new FormData();
    body.set("file", new File([gridOf(160, 4_000_000)], "shared.avif"));
    const refused = await apiOf(pipeline)("POST", "/1.0/upload", { key, body });
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("share too many bytes")]);
    const { total } = (await api("GET", "/1.0/account/usage", { key })).body;
    expect([total.errors, total.credits]).toEqual([1, 0]);
    expect(total.failed_ms).toBeGreaterThanOrEqual(9);
  });

  it("is what reading its headers takes where a long animation is refused by its estimate, before it begins", async () => {
    const { key } = await openAccount();
    const palette = Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 255);
    const size = { width: 256, height: 192 };
    const frames = Array.from({ length: 1_400 }, (_, index) => [
      graphicControl(40, null, -1),
      imageDescriptor({ x: index % size.width, y: 0, width: 1, height: 1 }, null),
      // One pixel: a clear code, index 1, and the end.
      Uint8Array.of(2, 2, 0x4c, 0x01, 0),
    ]);
    const file = joined([header(size, palette), loopExtension(0), ...frames.flat(), TRAILER]);
    // A quarter of the usual bound: what does not change from frame to frame costs little, and the filter takes its
    // time.
    const settings = { MAX_JOB_MS: "5000" };
    const ask = async (data: object) => {
      const body = new FormData();
      body.set("file", new File([file], "long.gif"));
      body.set("data", JSON.stringify(data));
      return apiOf(pipeline)("POST", "/1.0/upload", { key, body, env: settings });
    };
    const work = vi.spyOn(isolateBudget, "run");
    const { status, body } = await ask({ filter: { blur: { mode: "median", value: 5 } } });
    expect([status, body.message]).toEqual([422, expect.stringContaining("more processor time than one request")]);
    expect(work).not.toHaveBeenCalled();
    work.mockRestore();
    const { total } = (await api("GET", "/1.0/account/usage", { key })).body;
    expect([total.errors, total.failed_ms]).toEqual([1, 1]);
    // Its first frame alone is no work worth naming.
    expect((await ask({ resize: { width: 8 }, output: { format: "jpeg" } })).status).toBe(200);
  });

  it("counts nothing where the work succeeds, or is refused before it begins", async () => {
    const { key } = await openAccount();
    for (let round = 0; round < 3; round += 1) {
      expect((await work(key, workingPipeline(600))).status).toBe(200);
      expect((await work(key, damaged)).status).toBe(422);
    }
    expect((await work(key)).status).toBe(422);
  });
});

describe("an account that is suspended", () => {
  it("is 403, counted as its own, and costs nothing", async () => {
    const { key, account } = await openAccount();
    await changeAccount(env.DB, account.id, { status: "suspended" });
    const { status, body, headers } = await fetchImage(key);
    expect(status).toBe(403);
    expect(body.message).toBe("Account suspended");
    expect(headers.get("x-ratelimit-limit")).toBe("100000");
  });
});

describe("a meter that does not answer", () => {
  it("is 503 with Retry-After and the headers of the window all the same", async () => {
    const { key } = await openAccount();
    const METER = { getByName: () => ({ take: () => Promise.reject(new Error("overloaded")) }) };
    const { status, headers } = await fetchImage(key, { env: { METER } });
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("5");
  });
});

describe("a meter that is lost before the credit is closed", () => {
  it("does not hold up the answer, and is said in the log", async () => {
    const { key } = await openAccount();
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const taken = { allowed: true, limit: 5, remaining: 4, resetSeconds: 9, used: 0, lease: 1 };
    const lost = () => Promise.reject(new Error("overloaded"));
    const METER = { getByName: () => ({ take: () => Promise.resolve(taken), settle: lost, release: lost }) };
    const { status, headers } = await fetchImage(key, { env: { METER } });
    expect(status).toBe(200);
    expect(lines.mock.calls.flat().join()).toContain(
      `{"id":"${headers.get("x-request-id")}","event":"count not closed"`,
    );
    lines.mockRestore();
  });
});

describe("a database that does not answer", () => {
  it("is 503, counted by address", async () => {
    const DB = {
      prepare: () => {
        throw new Error("D1_ERROR");
      },
    };
    const { status } = await fetchImage("unknown", { env: { DB } });
    expect(status).toBe(503);
  });
});
