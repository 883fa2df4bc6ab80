/** Budgets as operators set them, callers meet them, and receivers are told of them. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import * as render from "../../src/delivery/render.ts";
import { forgetSpent } from "../../src/delivery/spent-budgets.ts";
import { ApiError } from "../../src/errors.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api, apiOf } from "../support/api.ts";
import { deliveryWorld, facts, file, forgetEdges, originOf, PREFIX } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";
import { receiver } from "../support/webhooks.ts";

const change = (id: string, json: object) => api("PATCH", `/admin/accounts/${id}`, { headers: ADMIN, json });
const fetchImage = (key: string, json: object = {}) =>
  api("POST", "/1.0/fetch", { key, json: { url: "https://images.test/a.png", ...json } });

beforeEach(() => {
  forgetKeys();
  forgetDeliveries();
  forgetSpent();
});
afterEach(() => void vi.restoreAllMocks());

describe("an operator", () => {
  const webhook = "https://user:word@hooks.example.com/budget";

  it("sets budgets as a whole, and takes them away; the address is shown without its password", async () => {
    const { account } = await openAccount();
    const limits = { credits_per_month: 5, cpu_seconds_per_day: 60, finals_per_day: 7 };
    const set = await change(account.id, { limits, alerts: { webhook } });
    expect(set.body.account).toMatchObject({ limits, alerts: { webhook: "https://hooks.example.com/budget" } });
    const fewer = await change(account.id, { limits: { finals_per_day: 8 } });
    expect(fewer.body.account).toMatchObject({ limits: { finals_per_day: 8 }, alerts: {} });
    const none = await change(account.id, { limits: null, alerts: null });
    expect(none.body.account).not.toHaveProperty("limits");
    expect(none.body.account).not.toHaveProperty("alerts");
    const made = await api("POST", "/admin/accounts", {
      headers: ADMIN,
      json: { name: "A", limits, alerts: { webhook } },
    });
    expect(made.body.account).toMatchObject({ limits, alerts: { webhook: "https://hooks.example.com/budget" } });
  });

  it.each([
    [{ limits: { credits_per_month: 0 } }, "limits.credits_per_month must be an integer between 1 and 1000000000000"],
    [{ limits: { credits_per_day: 1 } }, "limits.credits_per_day is not a known parameter"],
    [{ alerts: {} }, "alerts.webhook is required"],
  ])("is told what is wrong with %j", async (json, message) => {
    const { account } = await openAccount();
    const answer = await change(account.id, json);
    expect([answer.status, answer.body.message]).toEqual([422, message]);
  });
});

it("is told nowhere but at a public host", async () => {
  const { account } = await openAccount();
  const json = { alerts: { webhook: "https://10.0.0.1/" } };
  const open = { ALLOW_PRIVATE_ORIGINS: "false" };
  const answer = await api("PATCH", `/admin/accounts/${account.id}`, { headers: ADMIN, json, env: open });
  expect([answer.status, answer.body.param]).toEqual([422, "alerts.webhook"]);
});

describe("a caller", () => {
  it("is 402 beyond the budget of credits, and shown it in place of the plan's", async () => {
    const { account, key } = await openAccount(10);
    await change(account.id, { limits: { credits_per_month: 2 } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => fetchImage(key)));
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 200, 402, 402, 402]);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.body).toMatchObject({
      error: "budget.credits",
      message: "No credits left in this month's budget of 2",
    });
    const set = await fetchImage(key, { outputs: { a: {}, b: {} } });
    expect(set.body.error).toBe("budget.credits");
    expect((await api("GET", "/1.0/account", { key })).body.credits).toEqual({ total: 2, used: 2, remaining: 0 });
    await change(account.id, { limits: null });
    expect((await fetchImage(key)).status).toBe(200);
  });

  it("is 429 until the next day beyond the budget of processor time, which queries do not need", async () => {
    const { account, key } = await openAccount();
    await change(account.id, { limits: { cpu_seconds_per_day: 1 } });
    const stub = env.METER.getByName(`account:${account.id}`);
    await stub.settle(0, { key: "a", cpuMs: 1_000, bytesIn: 1, bytesOut: 1 });
    const refused = await fetchImage(key);
    expect([refused.status, refused.body.error]).toEqual([429, "budget.cpu"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const { status, body } = await api("GET", "/1.0/account", { key });
    expect([status, body.cpu_seconds]).toEqual([200, { limit: 1, used: 1 }]);
  });

  it("has the processor time of its work counted", async () => {
    const { account, key } = await openAccount();
    await change(account.id, { limits: { cpu_seconds_per_day: 1_000 } });
    const body = new FormData();
    body.set("file", new File([photo], "a.jpg"));
    body.set("data", JSON.stringify({ resize: { width: 200 } }));
    expect((await apiOf(pipeline)("POST", "/1.0/upload", { key, body })).status).toBe(200);
    const stub = env.METER.getByName(`account:${account.id}`);
    const ask = { key: "a", limit: 9, account: account.id, budget: { cpu_seconds_per_day: 1 } };
    await eventually(async () => expect((await stub.take(ask)).today?.cpuMs).toBeGreaterThan(0));
  });
});

describe("a delivery", () => {
  it("serves on what is made, and refuses what is new for the day; who is to see the original is sent there", async () => {
    originOf(file(photo));
    const { get, getSigned, runFinals, delivery, account, settle } = await deliveryWorld({
      unsigned: { widths: [24, 16] },
    });
    await change(account.id, { limits: { finals_per_day: 1 } });
    forgetDeliveries();
    expect((await get("w=24")).status).toBe(200);
    await runFinals();
    await forgetEdges(delivery.id);
    for (let view = 0; view < 2; view += 1) {
      const refused = await get("w=16");
      expect([refused.status, refused.body.error, refused.headers.get("cache-control")]).toEqual([
        429,
        "budget.finals",
        "no-store",
      ]);
    }
    expect(facts(await get("w=24"))).toEqual(["final", "stored"]);
    const sent = await getSigned("w=20,onerror=redirect");
    expect([sent.status, sent.headers.get("location")]).toEqual([302, `${PREFIX}a.jpg`]);
    await change(account.id, { limits: null });
    expect((await get("w=16")).status).toBe(200);
    await settle();
  });

  it("has a final that failed given back, and the time of drafts counted", async () => {
    originOf(file(photo));
    const { get, runFinals, account, world } = await deliveryWorld({ unsigned: { widths: [24] } });
    await change(account.id, { limits: { finals_per_day: 1, cpu_seconds_per_day: 100 } });
    forgetDeliveries();
    expect((await get("w=24")).status).toBe(200);
    await eventually(() => expect(world.messages).toHaveLength(1));
    expect(world.messages[0]).toMatchObject({ draftMs: expect.any(Number) as number });
    const [message] = world.messages;
    vi.spyOn(render, "makeFinal").mockImplementation(async (_ports, _rendering, { original }) => {
      original.memory.release();
      throw new ApiError(422, "No final can be made");
    });
    for (let start = 0; start < 2; start += 1) {
      await expect(runFinals()).rejects.toMatchObject({ status: 422 });
      if (message) world.messages.push(message);
    }
    await runFinals();
    const stub = env.METER.getByName(`account:${account.id}`);
    const { today } = await stub.take({ key: "a", limit: 9, budget: {} });
    expect(today?.finals).toBe(0);
    expect(today?.cpuMs).toBeGreaterThan(0);
  });
});

describe("the webhook of an account", () => {
  it("is told once of 80 and of 100 percent, signed, whatever becomes of the object meanwhile", async () => {
    const { account, key } = await openAccount();
    const { url, received } = receiver();
    const env5 = { credits_per_month: 5 };
    await api("PATCH", `/admin/accounts/${account.id}`, {
      headers: ADMIN,
      json: { limits: env5, alerts: { webhook: url } },
    });
    const stub = env.METER.getByName(`account:${account.id}`);
    for (let work = 0; work < 5; work += 1) {
      expect((await fetchImage(key)).status).toBe(200);
      await evictDurableObject(stub);
      await runDurableObjectAlarm(stub);
      await runDurableObjectAlarm(stub);
    }
    const told = await eventually(async () => {
      const all = await received(2);
      expect(all).toHaveLength(2);
      return all;
    });
    const bodies = told.map(
      ({ body }) => JSON.parse(body) as { id: string; budget: { percent: number; used: number } },
    );
    expect(bodies.map(({ budget }) => budget.percent)).toEqual([80, 100]);
    expect(bodies[0]).toMatchObject({
      success: true,
      code: 200,
      budget: { name: "credits_per_month", period: new Date().toISOString().slice(0, 7), used: 4, limit: 5 },
    });
    expect(told[0]?.headers["webhook-id"]).toBe(bodies[0]?.id);
    expect(told[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
    expect((await fetchImage(key)).status).toBe(402);
    await evictDurableObject(stub);
    await runDurableObjectAlarm(stub);
    const listed = await api("GET", "/1.0/webhooks", { key });
    expect(listed.body.webhooks).toHaveLength(2);
    expect(listed.body.webhooks[0].payload).toEqual(bodies[1]);
  });
});
