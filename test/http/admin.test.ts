/** The endpoints of the operator: accounts and their keys. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { ADMIN } from "../support/accounts.ts";
import { api, type Call, needsInside } from "../support/api.ts";

const admin = (method: string, path: string, call: Call = {}) =>
  api(method, `/admin/accounts${path}`, { headers: ADMIN, ...call });
const statusOf = async (key: string) => (await api("GET", "/1.0/account", { key })).status;
const open = async () => (await admin("POST", "", { json: { name: "Harbor Prints" } })).body;

beforeEach(() => forgetKeys());

describe("opening an account", () => {
  it("gives defaults and a key that works", async () => {
    const { status, body } = await admin("POST", "", { json: { name: "Harbor Prints" } });
    expect(status).toBe(201);
    expect(body.account).toMatchObject({
      name: "Harbor Prints",
      plan: "standard",
      credits_total: null,
      originals: null,
      status: "active",
    });
    expect(body.key).toMatch(/^dk_[A-Za-z0-9]{46}$/);
    const { body: account } = await api("GET", "/1.0/account", { key: body.key });
    expect(account.credits).toEqual({
      total: 1_000_000_000_001,
      used: 0,
      remaining: 1_000_000_000_001,
      unlimited: true,
    });
  });

  it("names a number of credits, and no number again", async () => {
    const { account, key } = await open();
    for (const credits of [7, null]) {
      const { body } = await admin("PATCH", `/${account.id}`, { json: { credits_total: credits } });
      expect(body.account.credits_total).toBe(credits);
      const said = (await api("GET", "/1.0/account", { key })).body.credits;
      expect([said.total, said.unlimited]).toEqual(credits === null ? [1_000_000_000_001, true] : [7, undefined]);
    }
  });

  it("takes a plan and credits", async () => {
    const { body } = await admin("POST", "", { json: { name: "B", plan: "gold", credits_total: 0 } });
    expect(body.account).toMatchObject({ plan: "gold", credits_total: 0 });
  });

  it.each([
    [{}, "name is required"],
    [{ name: "" }, "name must be a text of 1 to 128 characters"],
    [{ name: "a", credits_total: -1 }, "credits_total must be an integer between 0 and 1000000000000"],
    [{ name: "a", credits_total: "5" }, "credits_total must be an integer between 0 and 1000000000000"],
    [{ name: "a", color: "red" }, "color is not a known parameter"],
  ])("refuses %j", async (json, message) => {
    const { status, body } = await admin("POST", "", { json });
    expect(status).toBe(422);
    expect(body.message).toBe(message);
  });
});

describe("accounts", () => {
  it("are listed, newest first, in pages", async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) ids.unshift((await open()).account.id);
    const { body } = await admin("GET", "?limit=2");
    expect(body.accounts).toHaveLength(2);
    const second = await admin("GET", "?limit=2&offset=2");
    expect(second.body.accounts.map(({ id }: { id: string }) => id)).not.toContain(body.accounts[0].id);
    for (const query of ["?limit=0", "?limit=101", "?limit=x", "?offset=-1", "?page=1"]) {
      expect((await admin("GET", query)).status).toBe(422);
    }
  });

  it("are shown one by one, and 404 when there is none", async () => {
    const { account } = await open();
    expect((await admin("GET", `/${account.id}`)).body.account).toEqual(account);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["GET", "/keys"],
      ["POST", "/keys"],
      ["DELETE", "/keys/x"],
    ] as const) {
      expect((await admin(method, `/nobody${path}`, { json: method === "PATCH" ? {} : undefined })).status).toBe(404);
    }
  });

  it("are changed member by member", async () => {
    const { account } = await open();
    const changed = await admin("PATCH", `/${account.id}`, { json: { credits_total: 7 } });
    expect(changed.body.account).toEqual({ ...account, credits_total: 7 });
    expect((await admin("PATCH", `/${account.id}`, { json: { status: "gone" } })).body.message).toBe(
      "status must be one of active, suspended",
    );
    expect((await admin("PATCH", `/${account.id}`, { json: { name: "B" } })).status).toBe(422);
  });

  it("can be suspended and made active again", async () => {
    const { account, key } = await open();
    await admin("PATCH", `/${account.id}`, { json: { status: "suspended" } });
    expect(await statusOf(key)).toBe(403);
    await admin("PATCH", `/${account.id}`, { json: { status: "active" } });
    expect(await statusOf(key)).toBe(200);
  });
});

describe("keys", () => {
  it("are shown once, then by their last characters", async () => {
    const { account, key: first } = await open();
    const created = await admin("POST", `/${account.id}/keys`, { json: { name: "website" } });
    expect(created.status).toBe(201);
    const { key, id, hint } = created.body;
    expect(await statusOf(key)).toBe(200);
    expect(key.endsWith(hint)).toBe(true);
    const { body } = await admin("GET", `/${account.id}/keys`);
    expect(body.keys.map((one: { id: string }) => one.id)).toContain(id);
    expect(JSON.stringify(body)).not.toContain(key);
    expect(JSON.stringify(body)).not.toContain(first);
  });

  it("need no body", async () => {
    const { account } = await open();
    expect((await admin("POST", `/${account.id}/keys`)).status).toBe(201);
  });

  it("stop working when they are revoked; the others go on", async () => {
    const { account, key: first } = await open();
    const { key, id } = (await admin("POST", `/${account.id}/keys`)).body;
    expect(await statusOf(key)).toBe(200);
    expect((await admin("DELETE", `/${account.id}/keys/${id}`)).body.id).toBe(id);
    expect(await statusOf(key)).toBe(401);
    expect(await statusOf(first)).toBe(200);
    expect((await admin("DELETE", `/${account.id}/keys/${id}`)).status).toBe(404);
  });

  it("belong to one account", async () => {
    const [a, b] = [await open(), await open()];
    const { id } = (await admin("POST", `/${a.account.id}/keys`)).body;
    expect((await admin("DELETE", `/${b.account.id}/keys/${id}`)).status).toBe(404);
  });
});

describe("the operator's token", () => {
  it("is no API key, and an API key is no token", async () => {
    const { key } = await open();
    expect((await admin("GET", "", { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
    expect(await statusOf("admin-token-for-tests")).toBe(401);
    expect(
      (await admin("GET", "", { headers: { authorization: `Basic ${btoa("admin-token-for-tests:")}` } })).status,
    ).toBe(401);
  });

  it("does not count against the callers of its address", async () => {
    const headers = { ...ADMIN, "cf-connecting-ip": "192.0.2.9" };
    const settings = { ANONYMOUS_LIMIT: "1" };
    for (let round = 0; round < 3; round += 1) {
      expect((await admin("GET", "", { headers, env: settings })).status).toBe(200);
    }
  });

  it("is not set: there is no administration", async () => {
    for (const call of [{ headers: ADMIN }, { headers: {} }]) {
      for (const ADMIN_TOKEN of [undefined, "", " "])
        expect((await admin("GET", "", { ...call, env: { ADMIN_TOKEN } })).status).toBe(404);
    }
  });
});

describe("what an isolate remembers of a key", () => {
  it("ends within a minute", async () => {
    needsInside();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { account, key } = await open();
      expect(await statusOf(key)).toBe(200);
      const { env } = await import("cloudflare:workers");
      await env.DB.prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?").bind(account.id).run();
      expect(await statusOf(key)).toBe(200);
      vi.setSystemTime(Date.now() + 60_000);
      expect(await statusOf(key)).toBe(403);
    } finally {
      vi.useRealTimers();
    }
  });
});
