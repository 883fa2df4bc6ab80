/** What bounds the jobs that an account has accepted: its credits and its day. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { ApiError } from "../../src/errors.ts";
import { CREDIT_LEASE_SECONDS } from "../../src/limits/accounts.ts";
import { QUEUE_WORK_MS, WEBHOOK_RECORD_BYTES } from "../../src/limits/webhook.ts";
import { acceptWork, runWork } from "../../src/pipeline/work.ts";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf, type Call } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { brokenPipeline, damaged, shortPipeline } from "../support/pipeline.ts";
import { column, receiver, untilStatus } from "../support/webhooks.ts";

const json = (url: string) => ({ url: "https://images.test/a.png", webhook: { url } });
const ask = (key: string, call: Call = {}, client = api) =>
  client("POST", "/1.0/fetch", { key, json: json(receiver().url), ...call });
const creditsOf = async (key: string) => (await api("GET", "/1.0/account", { key })).body.credits;

beforeEach(() => forgetKeys());
afterEach(() => void vi.useRealTimers());

describe("accepted jobs", () => {
  it("are bounded in number by account and day, those that fail included", async () => {
    const { key } = await openAccount();
    const settings = { env: { WEBHOOK_LIMIT: "2" } };
    expect((await ask(key, settings, apiOf(damaged))).status).toBe(202);
    expect((await ask(key, settings)).status).toBe(202);
    const { status, headers, body } = await ask(key, settings);
    const seconds = Number(headers.get("retry-after"));
    expect(status).toBe(429);
    expect(body.message).toBe(
      `An account has at most 2 jobs with a webhook accepted a day, the next day (UTC) begins in ${seconds} seconds`,
    );
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    // Other requests go on, and so do other accounts.
    const direct = { key, json: { url: "https://images.test/a.png" }, ...settings };
    expect((await api("POST", "/1.0/fetch", direct)).status).toBe(200);
    expect((await ask((await openAccount()).key, settings)).status).toBe(202);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 });
    expect((await ask(key, settings)).status).toBe(202);
  });

  it("are bounded in bytes, their addresses included", async () => {
    const { key } = await openAccount();
    const settings = { env: { WEBHOOK_BYTES_LIMIT: String(2 * WEBHOOK_RECORD_BYTES) } };
    expect((await ask(key, { json: json(`${receiver().url}&x=`.padEnd(2_000, "x")), ...settings })).status).toBe(202);
    const { status, body } = await ask(key, { json: json(`${receiver().url}&x=`.padEnd(2_000, "x")), ...settings });
    expect([status, body.message]).toEqual([
      429,
      expect.stringMatching(/^An account has at most 8192 bytes of jobs with a webhook accepted a day/),
    ]);
  });

  it("have their credit spent at once, however long they wait, and get it back when they fail", async () => {
    const { key } = await openAccount(1);
    const { id } = (await ask(key, {}, apiOf(brokenPipeline(new ApiError(503, "No capacity"))))).body;
    expect(await column(id, "status")).toBe("created");
    expect(await creditsOf(key)).toEqual({ total: 1, used: 1, remaining: 0 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + (CREDIT_LEASE_SECONDS + 1) * 1_000 });
    const { status, body } = await ask(key);
    expect([status, body.message]).toEqual([402, "No credits left in this period"]);
    vi.useRealTimers();
    await runWork(env, damaged, { id }, QUEUE_WORK_MS);
    await untilStatus(id, "delivered");
    await eventually(async () => expect(await creditsOf(key)).toEqual({ total: 1, used: 0, remaining: 1 }));
  });

  it("that an earlier version accepted with a reservation are settled and released as it did", async () => {
    const { account, key, keyId } = await openAccount(5);
    const meter = `account:${account.id}`;
    for (const pipeline of [shortPipeline, damaged]) {
      const taken = await env.METER.getByName(meter).take({ key: keyId, limit: 9, creditsTotal: 5 });
      const credit = { meter, key: keyId, lease: taken.lease ?? 0 };
      const source = { kind: "fetch", url: "https://images.test/a.png", headers: {} } as const;
      const job = { source, processing: {}, baseUrl: "https://darkroom.test", credit };
      const id = crypto.randomUUID();
      const acceptance = { id, accountId: account.id, url: receiver().url, delaySeconds: 0, job, upload: undefined };
      const deferred: Promise<unknown>[] = [];
      const away = { send: () => Promise.reject(new Error("away")) } as unknown as Queue;
      await acceptWork({ ...env, QUEUE: away }, pipeline, (work) => deferred.push(work), {
        ...acceptance,
        database: "DB",
      });
      while (deferred.length > 0) await deferred.pop();
      await runWork(env, pipeline, { id }, QUEUE_WORK_MS);
      await untilStatus(id, "delivered");
    }
    expect(await creditsOf(key)).toEqual({ total: 5, used: 1, remaining: 4 });
  });
});
