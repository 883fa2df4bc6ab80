/** Requests with a webhook, from the answer 202 to the notification. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { ApiError } from "../../src/errors.ts";
import { signatureHeaders } from "../../src/webhook/sign.ts";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf, type Call, needsInside } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { brokenPipeline, damaged, shortPipeline } from "../support/pipeline.ts";
import { PIXEL } from "../support/pixel.ts";
import { column, ORIGIN, receiver, store, untilStatus } from "../support/webhooks.ts";

const DAY_MS = 86_400_000;

beforeEach(() => forgetKeys());
afterEach(() => void vi.useRealTimers());

const fetchImage = (key: string, webhook: object, call: Call = {}) =>
  api("POST", "/1.0/fetch", { key, json: { url: `${ORIGIN}/picture`, webhook }, ...call });

/** A record as its owner sees it. */
const recordOf = async (key: string, id: string) => (await api("GET", `/1.0/webhooks/${id}`, { key })).body.webhook;
const until = (key: string, id: string, status: string) =>
  eventually(async () => expect((await recordOf(key, id)).status).toBe(status));

function uploadImage(key: string, data: object) {
  const body = new FormData();
  body.set("file", new File([PIXEL], "photo.png"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body });
}

function passes(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
}

describe("a processing request with a webhook", () => {
  it("is answered with 202 and notified with the very text that the query shows", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver();
    const answer = await fetchImage(key, { url });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ success: true, code: 202, id: answer.headers.get("x-request-id") });
    const [notification] = await received(1);
    const { id } = answer.body;
    expect(JSON.parse(notification?.body ?? "")).toMatchObject({ success: true, code: 200, id, input: {}, output: {} });
    await until(key, id, "delivered");
    const record = await recordOf(key, id);
    expect(JSON.stringify(record.payload)).toBe(notification?.body);
    expect(record).toMatchObject({ id, status: "delivered", code: 200, attempts: [{ code: 200 }] });
    expect(record.updated_at >= record.created_at).toBe(true);
  });

  it("signs the notification with the account's secret", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver();
    await fetchImage(key, { url });
    const [{ headers, body } = { headers: {} as Record<string, string>, body: "" }] = await received(1);
    const { secret } = (await api("GET", "/1.0/account/webhook-secret", { key })).body;
    const id = headers["webhook-id"] ?? "";
    const expected = await signatureHeaders(id, Number(headers["webhook-timestamp"]), body, [secret]);
    expect(headers).toMatchObject(expected);
    expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Service/1.0" });
  });

  it("keeps uploaded bytes until they are processed, and no longer", async () => {
    needsInside();
    const { key } = await openAccount();
    const { url, received } = receiver();
    const { status, body } = await uploadImage(key, { webhook: { url } });
    expect(status).toBe(202);
    expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ output: { bytes: PIXEL.length } });
    await untilStatus(body.id, "delivered");
    expect((await env.BUCKET.list({ prefix: "jobs/" })).objects).toHaveLength(0);
  });

  it("notifies of failures in the same way, and they cost no credit", async () => {
    const { key } = await openAccount(5);
    const { url, received } = receiver();
    const json = { url: "https://images.test/a.png", webhook: { url } };
    const { body } = await apiOf(damaged)("POST", "/1.0/fetch", { key, json });
    const [notification] = await received(1);
    expect(JSON.parse(notification?.body ?? "")).toEqual({
      success: false,
      code: 422,
      id: body.id,
      message: "The image is damaged",
      error: "image.damaged",
    });
    expect((await api("GET", "/1.0/account", { key })).body.credits.used).toBe(0);
  });

  it("costs one credit", async () => {
    const { key } = await openAccount(5);
    const { url, received } = receiver();
    await fetchImage(key, { url });
    await received(1);
    expect((await api("GET", "/1.0/account", { key })).body.credits.used).toBe(1);
  });

  it("is scheduled with code 0 until a delay of a week has passed", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver();
    const { id } = (await fetchImage(key, { url, delay: 604_800 })).body;
    await until(key, id, "scheduled");
    const webhook = await recordOf(key, id);
    expect(webhook).toMatchObject({ status: "scheduled", code: 0, payload: { success: true, code: 200, id } });
    expect(webhook.attempts).toEqual([]);
    needsInside();
    const courier = env.COURIER.getByName(id);
    passes(604_800_000 - 5_000);
    await runDurableObjectAlarm(courier);
    expect(await column(id, "status")).toBe("scheduled");
    passes(5_001);
    await runDurableObjectAlarm(courier);
    expect(await column(id, "status")).toBe("delivered");
    expect(await received(1)).toHaveLength(1);
  });

  it.each([
    [{}, "webhook.url is required"],
    [{ url: "receiver" }, "webhook.url must be a valid http or https URL"],
    [{ url: "ftp://receiver.example/" }, "webhook.url must be a valid http or https URL"],
    [{ url: "https://receiver.example/", delay: -1 }, "webhook.delay must be an integer between 0 and 604800"],
    [{ url: "https://receiver.example/", delay: 604_801 }, "webhook.delay must be an integer between 0 and 604800"],
    [{ url: "https://receiver.example/", delay: 1.5 }, "webhook.delay must be an integer between 0 and 604800"],
    [{ url: "https://receiver.example/", retries: 3 }, "webhook.retries is not a known parameter"],
    ["https://receiver.example/", "webhook must be an object"],
  ])("refuses %j at once", async (webhook, message) => {
    const { key } = await openAccount();
    const { status, body } = await fetchImage(key, webhook as object);
    expect([status, body.message]).toEqual([422, message]);
  });

  it.each([
    "http://127.0.0.1/",
    "http://localhost:8787/",
    "http://10.0.0.1/",
    "http://[::1]/",
    "http://169.254.169.254/",
  ])("refuses to notify %s unless private addresses are allowed", async (url) => {
    const { key } = await openAccount();
    const { status, body } = await fetchImage(key, { url }, { env: { ALLOW_PRIVATE_ORIGINS: "false" } });
    expect([status, body.message]).toEqual([422, "webhook.url must have a public address"]);
  });

  it("refuses what is not saved in the account at once", async () => {
    const { key } = await openAccount();
    const refuse = (member: string) => () => Promise.reject(new ApiError(422, `${member} is not saved`));
    const edges = { openStore: refuse("store.id"), readWatermark: refuse("watermark.id") };
    const pipeline = {
      ...shortPipeline,
      portsOf: (...given: Parameters<typeof shortPipeline.portsOf>) => ({
        ...shortPipeline.portsOf(...given),
        ...edges,
      }),
    };
    for (const member of [{ store: { id: "a1b2c3d4e5" } }, { watermark: { id: "a1b2c3d4e5" } }]) {
      const json = { url: "https://images.test/a.png", webhook: { url: "https://receiver.example/" }, ...member };
      const { status, body } = await apiOf(pipeline)("POST", "/1.0/fetch", { key, json });
      expect([status, body.message]).toEqual([422, `${Object.keys(member)[0]}.id is not saved`]);
    }
  });

  it("takes an address of 2,048 characters, and not one more", async () => {
    const { key } = await openAccount();
    const addressOf = (length: number) => `${receiver().url}&x=`.padEnd(length, "x");
    const ask = (length: number) =>
      api("POST", "/1.0/fetch", {
        key,
        json: { url: "https://images.test/a.png", webhook: { url: addressOf(length) } },
      });
    expect((await ask(2_048)).status).toBe(202);
    const { status, body } = await ask(2_049);
    expect([status, body.message]).toEqual([422, "webhook.url must be at most 2048 characters"]);
  });

  it("refuses a binary answer", async () => {
    const { key } = await openAccount();
    const json = {
      url: "https://images.test/a.png",
      webhook: { url: "https://receiver.example/" },
      response: { mode: "binary" },
    };
    const { status, body } = await api("POST", "/1.0/fetch", { key, json });
    expect([status, body.message]).toEqual([422, "response.mode binary cannot be combined with webhook"]);
  });

  it("keeps nothing readable that is secret", async () => {
    const { key } = await openAccount();
    const json = {
      url: "https://user:marker-1@images.test/a.png",
      headers: { "X-Token": "marker-2" },
      webhook: { url: "https://user:marker-3@receiver.invalid/?token=marker-4", delay: 600 },
    };
    const { status } = await apiOf(brokenPipeline(new Error("later")))("POST", "/1.0/fetch", { key, json });
    expect(status).toBe(202);
    const { results } = await env.DB.prepare("SELECT * FROM webhooks WHERE job IS NOT NULL").all();
    const texts = results.flatMap((row) =>
      Object.values(row).map((value) =>
        Array.isArray(value) ? String.fromCharCode(...(value as number[])) : String(value),
      ),
    );
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join("\n")).not.toContain("marker");
  });
});

describe("deliveries", () => {
  it("that fail say so at once, and are tried again when it is time", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver(503);
    const { id } = (await fetchImage(key, { url })).body;
    await received(1);
    await until(key, id, "failed");
    expect(await recordOf(key, id)).toMatchObject({ status: "failed", code: 503 });
    needsInside();
    for (const [seconds, count] of [
      [5, 2],
      [60, 3],
      [600, 4],
      [3_600, 5],
    ] as const) {
      passes(seconds * 1_000 + 1_000);
      await runDurableObjectAlarm(env.COURIER.getByName(id));
      expect(await received(count)).toHaveLength(count);
    }
    const { attempts } = await recordOf(key, id);
    expect(attempts.map((attempt: { code: number }) => attempt.code)).toEqual([503, 503, 503, 503, 503]);
    expect(await column(id, "wake_at")).toBe(null);
    expect(await runDurableObjectAlarm(env.COURIER.getByName(id))).toBe(false);
  });

  it("are redirects and not followed", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver(302);
    const { id } = (await fetchImage(key, { url })).body;
    await received(1);
    await until(key, id, "failed");
    expect((await recordOf(key, id)).code).toBe(302);
  });

  it("that reach nobody have the code 0", async () => {
    const { key } = await openAccount();
    const { id } = (await fetchImage(key, { url: "http://127.0.0.1:9/" })).body;
    await until(key, id, "failed");
    expect((await recordOf(key, id)).code).toBe(0);
  });

  it("are repeated by hand, once finished or failed, and by their account alone", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver();
    const { id } = (await fetchImage(key, { url })).body;
    await received(1);
    await until(key, id, "delivered");
    const other = await openAccount();
    expect((await api("POST", `/1.0/webhooks/${id}/redeliver`, { key: other.key })).status).toBe(404);
    const answer = await api("POST", `/1.0/webhooks/${id}/redeliver`, { key });
    expect([answer.status, answer.body]).toEqual([202, { success: true, code: 202, id }]);
    const [first, second] = await received(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(id);
    await until(key, id, "delivered");
    expect((await recordOf(key, id)).attempts).toHaveLength(2);
  });

  it("are not repeated once their body is not kept any more, and say so", async () => {
    const { key, account } = await openAccount();
    const [id] = await store({ accountId: account.id, payload: null });
    const { status, body } = await api("POST", `/1.0/webhooks/${id}/redeliver`, { key });
    expect([status, body.message]).toEqual([
      422,
      "A notification can be repeated for 7 days; this one is not kept any more",
    ]);
    expect((await api("GET", `/1.0/webhooks/${id}`, { key })).body.webhook).toMatchObject({ id, payload: {} });
  });

  it("are not repeated while they are on their way", async () => {
    const { key, account } = await openAccount();
    const [id] = await store({ accountId: account.id, status: "scheduled", wakeAt: Date.now() + DAY_MS });
    const { status, body } = await api("POST", `/1.0/webhooks/${id}/redeliver`, { key });
    expect(status).toBe(422);
    expect(body.message).toMatch(/still on its way/);
  });
});

describe("the account's webhook secret", () => {
  const secret = async (key: string, method = "GET") =>
    (await api(method, "/1.0/account/webhook-secret", { key })).body;

  it("stays until it is rotated, and is each account's own", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const first = await secret(one.key);
    expect(await secret(one.key)).toEqual(first);
    expect((await secret(other.key)).secret).not.toBe(first.secret);
  });

  it("signs beside its successor for 24 hours", async () => {
    const { key } = await openAccount();
    const { url, received } = receiver();
    const old = await secret(key);
    const rotated = await secret(key, "POST");
    expect(rotated.previous.secret).toBe(old.secret);
    expect(Date.parse(rotated.previous.valid_until) - Date.parse(rotated.created_at)).toBe(DAY_MS);
    await fetchImage(key, { url });
    const [{ headers } = { headers: {} as Record<string, string> }] = await received(1);
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    needsInside();
    passes(DAY_MS);
    expect(await secret(key)).toEqual({
      success: true,
      code: 200,
      secret: rotated.secret,
      created_at: rotated.created_at,
    });
  });
});
