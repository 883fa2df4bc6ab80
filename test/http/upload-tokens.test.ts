/** Upload tokens: pictures straight from pages, without a key. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { changeAccount } from "../../src/account/accounts.ts";
import { deleteKey, forgetKeys } from "../../src/account/keys.ts";
import { sealUploadToken } from "../../src/account/upload-tokens.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { ApiError } from "../../src/errors.ts";
import { MAX_SOURCE_BYTES } from "../../src/limits.ts";
import { SPENT_TOKEN_CACHE_MS, UPLOAD_TOKEN_SKEW_MS, UPLOAD_TOKEN_TRIES } from "../../src/limits/tokens.ts";
import { type Pipeline, pipeline } from "../../src/pipeline/edges.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf } from "../support/api.ts";
import { brokenPipeline, shortPipeline } from "../support/pipeline.ts";
import { FILE, makeToken, upload, uploadForm, uploadToken, WAYS } from "../support/upload-tokens.ts";
import { receiver, untilStatus } from "../support/webhooks.ts";

const ORIGIN = "https://app.example.com";
const BUCKET = { provider: "aws", bucket: "pictures", region: "eu-west-1" };
/** Valid, and too long for a token. */
const LONG = {
  webhook: { url: `https://a.test/${"a".repeat(2_000)}` },
  store: { ...BUCKET, key: "k".repeat(1_000), secret: "s".repeat(1_000) },
};
const REFUSED = "The upload token is not valid or has been used up";

let opened: Awaited<ReturnType<typeof openAccount>>;
let meter: ReturnType<typeof env.METER.getByName>;
beforeEach(async () => {
  forgetKeys();
  opened = await openAccount(100);
  meter = env.METER.getByName(`account:${opened.account.id}`);
});

const tokenFor = (json: unknown = {}) => uploadToken(opened.key, json);
const used = async (key = opened.key) => (await api("GET", "/1.0/account", { key })).body.credits.used as number;

describe("a new token", () => {
  it("says where it is sent and when it ends, and leaves no trace in the meter", async () => {
    const before = Date.now();
    const { status, body } = await makeToken(opened.key, {
      data: { resize: { width: 5 } },
      ttl: 60,
      uses: 3,
      origins: [ORIGIN],
    });
    expect(status).toBe(201);
    expect(body.url).toBe("https://darkroom.test/1.0/upload");
    expect(Date.parse(body.expires_at) - before).toBeGreaterThanOrEqual(60_000);
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await usesTable()).toEqual([]);
  });

  it.each([
    [{ data: { resize: { width: 0 } } }, "data.resize.width must be a positive integer"],
    [{ data: { nonsense: 1 } }, "data.nonsense is not a known parameter"],
    [{ data: [] }, "data must be an object"],
    [{ data: { watermark: { id: "AAAAAAAAAA" } } }, "watermark.id must be the id of a saved watermark"],
    [{ data: { store: { id: "AAAAAAAAAA" } } }, "store.id must be the id of a saved connector"],
    [
      { data: { response: { mode: "binary" }, webhook: { url: "https://a.test/" } } },
      "response.mode binary cannot be combined with webhook",
    ],
    [{ data: LONG }, "data must be at most 4096 bytes as JSON"],
    [{ max_bytes: MAX_SOURCE_BYTES + 1 }, /^max_bytes must be an integer between 1 and/],
    [{ ttl: 59 }, "ttl must be an integer between 60 and 3600"],
    [{ uses: 101 }, "uses must be an integer between 1 and 100"],
    [{ origins: [] }, "origins must be a list of 1 to 10 origins"],
    [{ origins: ["*"] }, /^origins\.0 must be the origin of a site/],
    [{ origins: ["https://app.example.com/"] }, /^origins\.0 must be the origin of a site/],
    [{ origins: ["null"] }, /^origins\.0 must be the origin of a site/],
    [{ anything: 1 }, "anything is not a known parameter"],
  ])("is 422 for %j", async (json, message) => {
    const { status, body } = await apiOf(pipeline)("POST", "/1.0/upload-tokens", { key: opened.key, json });
    expect(status).toBe(422);
    expect(body.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  it("knows the same other names as a request", async () => {
    const jobs = seeing();
    await upload(await tokenFor({ data: { stylize: { sepia: { value: 50 } } } }), { pipeline: jobs.pipeline });
    expect(jobs.seen[0]).toMatchObject({ filter: { sepia: { value: 50 } } });
  });

  it("is not made with an upload token", async () => {
    const { status } = await makeToken(await tokenFor({ uses: 5 }), {});
    expect(status).toBe(401);
  });
});

describe.each(WAYS)("a token %s", (_, send) => {
  it("uploads as often as it says, with what it says, at the expense of its account alone", async () => {
    const jobs = seeing();
    const token = await tokenFor({ data: { resize: { width: 5 } }, uses: 2 });
    const other = await openAccount(10);
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await send(token, { pipeline: jobs.pipeline });
      expect([status, body.output.name]).toEqual([200, "a.png"]);
    }
    const { status, body, headers } = await send(token);
    expect([status, body.message]).toEqual([401, REFUSED]);
    expect(headers.get("www-authenticate")).toContain("Bearer");
    expect(jobs.seen).toMatchObject([{ resize: { width: 5 } }, { resize: { width: 5 } }]);
    expect([await used(), await used(other.key)]).toEqual([2, 0]);
    const { total } = (await api("GET", "/1.0/account/usage", { key: opened.key })).body;
    expect(total).toMatchObject({ pictures: 2, credits: 2, errors: 0 });
  });

  it("takes a credit for each of its results, and one of its uses for all of them", async () => {
    const token = await tokenFor({ data: { outputs: { a: {}, b: {}, c: {} } } });
    const { status, body } = await send(token);
    expect([status, Object.keys(body.outputs)]).toEqual([200, ["a", "b", "c"]]);
    expect([await used(), (await send(token)).status]).toEqual([3, 401]);
  });

  it("is used exactly as often as it says under concurrency", async () => {
    const token = await tokenFor({ uses: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(token)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 401)).toHaveLength(15);
    expect(await used()).toBe(5);
  });

  it("keeps its use where the request is refused before any work, and where the failure is ours", async () => {
    const token = await tokenFor({ max_bytes: 7 });
    const early: Pipeline = { ...shortPipeline, process: () => Promise.reject(new ApiError(415, "No image")) };
    expect((await send(token, { pipeline: early })).status).toBe(415);
    expect((await send(token, { pipeline: brokenPipeline(new Error("ours")) })).status).toBe(500);
    expect((await send(token, { parts: [["file", new File([], "a.png")]] })).status).toBe(422);
    expect((await send(token, { parts: [FILE, ["data", "{}"]] })).body.message).toContain("data must not be given");
    expect((await send(token, { parts: [["data", "{}"], FILE] })).status).toBe(422);
    expect((await send(token, { parts: [] })).status).toBe(422);
    const large = await send(token, { parts: [["file", new File(["12345678"], "a.png")]] });
    expect([large.status, large.body.message]).toEqual([413, "The image exceeds the maximum size of 7 bytes"]);
    expect((await send(token)).status).toBe(200);
    expect((await send(token)).status).toBe(401);
    expect(await used()).toBe(1);
  });

  it("can be used again once the upload that had its use was refused", async () => {
    const token = await tokenFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const process: Pipeline["process"] = async () => {
      begun.resolve();
      await promise;
      throw new ApiError(415, "No image");
    };
    const first = send(token, { pipeline: { ...shortPipeline, process } });
    await begun.promise;
    expect((await send(token)).status).toBe(401);
    resolve();
    expect((await first).status).toBe(415);
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + SPENT_TOKEN_CACHE_MS);
    expect((await send(token)).status).toBe(200);
  });

  it("loses its use to work that fails", async () => {
    const token = await tokenFor();
    const late = brokenPipeline(new ApiError(422, "The image is damaged"), 5);
    expect((await send(token, { pipeline: late })).status).toBe(422);
    expect((await send(token)).status).toBe(401);
    expect(await used()).toBe(0);
  });

  it("ends after so many refusals, so that it cannot use up the requests of its key", async () => {
    const token = await tokenFor();
    const bad = [["file", new File([], "a.png")]] as const;
    for (let tries = 0; tries < UPLOAD_TOKEN_TRIES; tries += 1) {
      expect((await send(token, { parts: bad })).status).toBe(422);
    }
    expect((await send(token)).status).toBe(401);
  });

  it("is refused in the same words when it has ended, is unknown, is of a deleted key or of a suspended account", async () => {
    const words: unknown[] = [];
    const note = async (token: string, before: () => Promise<unknown> = async () => undefined) => {
      await before();
      const { status, body } = await send(token);
      words.push([status, body.message]);
    };
    const grant = { id: "i", account: opened.account.id, key: opened.keyId, expiresAt: 9e15, uses: 1, data: {} };
    const forged = await sealUploadToken(vaultOf([new Uint8Array(32)]), grant);
    await note(forged);
    await note("du_nonsense");
    const token = await tokenFor({ ttl: 60, uses: 9 });
    expect((await send(token)).status).toBe(200);
    await note(token, async () => {
      await changeAccount(env.DB, opened.account.id, { status: "suspended" });
      forgetKeys();
    });
    await changeAccount(env.DB, opened.account.id, { status: "active" });
    forgetKeys();
    expect((await send(token)).status).toBe(200);
    await note(token, async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      vi.setSystemTime(Date.now() + 60_000);
    });
    vi.useRealTimers();
    await note(token, async () => {
      await deleteKey(env.DB, opened.account.id, opened.keyId);
      forgetKeys();
    });
    expect(words).toEqual(Array.from({ length: 5 }, () => [401, REFUSED]));
    expect(await env.METER.getByName(`account:${opened.account.id}`).take({ key: "x", limit: 5 })).toMatchObject({
      used: 2,
    });
  });

  it("is in no line of the log", async () => {
    const lines = (["log", "info", "error", "warn"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => undefined),
    );
    const token = await tokenFor();
    await send(token, { pipeline: brokenPipeline(new Error("ours")) });
    await send(token, { parts: [FILE, ["data", "{}"]] });
    await send(token);
    await send(token);
    const said = lines.flatMap((line) => line.mock.calls.flat()).join("\n");
    for (const line of lines) line.mockRestore();
    expect(said).toContain("/1.0/upload");
    expect(said).not.toContain(token.slice(3, 40));
  });

  it("accepts a job with a webhook once", async () => {
    const target = receiver();
    const token = await tokenFor({ data: { webhook: { url: target.url } } });
    const { status, body } = await send(token);
    expect(status).toBe(202);
    await untilStatus(body.id, "delivered");
    expect((await send(token)).status).toBe(401);
    expect(await used()).toBe(1);
  });

  it("gives an Idempotency-Key its first answer again, spent or not, and never that of a key", async () => {
    const headers = { "idempotency-key": "a" };
    const own = await upload(opened.key, { headers });
    const token = await tokenFor();
    const first = await send(token, { headers });
    expect(first.body.id).not.toBe(own.body.id);
    const again = await send(token, { headers });
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    expect((await send(token)).status).toBe(401);
    expect((await send(token, { headers })).body).toEqual(first.body);
    expect(await used()).toBe(2);
  });
});

describe("a token in the form", () => {
  it("stands before the file: without it nothing of that is read", async () => {
    const token = await tokenFor();
    const take = vi.spyOn(isolateBudget, "take");
    const late = await upload("", { parts: [FILE, ["token", token]] });
    expect([late.status, late.body.message]).toEqual([401, "Missing API key"]);
    expect((await upload("", { parts: [FILE] })).status).toBe(401);
    expect(take).not.toHaveBeenCalled();
    take.mockRestore();
  });

  it("is passed over where a header says who calls", async () => {
    expect((await uploadForm("du_nonsense", { headers: { authorization: `Bearer ${opened.key}` } })).status).toBe(200);
  });

  it("is counted by address where it is refused", async () => {
    const headers = { "cf-connecting-ip": "192.0.2.200" };
    const call = { headers, env: { ANONYMOUS_LIMIT: "1" } };
    expect((await uploadForm("du_nonsense", call)).status).toBe(401);
    expect((await uploadForm("du_nonsense", call)).status).toBe(429);
  });
});

it("is no key anywhere else", async () => {
  const token = await tokenFor({ uses: 100 });
  for (const [method, path] of [
    ["GET", "/1.0/account"],
    ["POST", "/1.0/fetch"],
    ["GET", "/metrics"],
  ] as const) {
    const { status } = await api(method, path, { key: token, ...(method === "POST" && { json: {} }) });
    expect([path, status]).toEqual([path, 401]);
  }
  const basic = { authorization: `Basic ${btoa(`${token}:`)}` };
  expect((await upload("", { headers: basic })).status).toBe(401);
});

describe("the meter of an account", () => {
  it("forgets a token's uses some time after its end, not before, and remembers them through an eviction", async () => {
    const token = await tokenFor({ ttl: 60 });
    expect((await upload(token)).status).toBe(200);
    await evictDurableObject(meter);
    expect((await upload(token)).status).toBe(401);
    expect(await usesTable()).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 60_000);
    await runDurableObjectAlarm(meter);
    expect(await usesTable()).toHaveLength(1);
    vi.setSystemTime(Date.now() + UPLOAD_TOKEN_SKEW_MS);
    await runDurableObjectAlarm(meter);
    expect(await usesTable()).toEqual([]);
  });
});

/** What the meter keeps of uses; nothing before the first one. */
const usesTable = () =>
  runInDurableObject(meter, (_, { storage }) => {
    const [table] = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'token_uses'");
    return table ? storage.sql.exec("SELECT * FROM token_uses").toArray() : [];
  });

/** A pipeline that remembers what it was asked to do. */
function seeing() {
  const seen: object[] = [];
  const watched: Pipeline = {
    ...shortPipeline,
    process: (job, ports) => {
      seen.push(job.processing);
      return shortPipeline.process(job, ports);
    },
  };
  return { pipeline: watched, seen };
}
