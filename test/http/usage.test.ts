/** The endpoints that show usage. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { dayOf } from "../../src/account/usage.ts";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api, apiOf } from "../support/api.ts";
import { damaged } from "../support/pipeline.ts";

const json = { url: "https://images.test/a.png" };
const own = (key: string, query = "") => api("GET", `/1.0/account/usage${query}`, { key });
const operators = (query = "") => api("GET", `/admin/usage${query}`, { headers: ADMIN });

beforeEach(() => forgetKeys());

describe("usage", () => {
  it("counts requests, errors, pictures, bytes and credits by key and day, up to this moment", async () => {
    const { account, key, keyId } = await openAccount();
    await api("POST", "/1.0/fetch", { key, json });
    await apiOf(damaged)("POST", "/1.0/fetch", { key, json });
    await api("GET", "/1.0/account", { key });
    await api("GET", "/1.0/nothing", { key });
    const { body } = await own(key);
    const bytes = json.url.length;
    const counts = { requests: 5, errors: 2, pictures: 1, bytes_in: bytes, bytes_out: bytes, credits: 1, failed_ms: 0 };
    const today = dayOf(Date.now());
    expect(body.usage).toEqual([
      { day: today, account_id: account.id, key_id: keyId, key_name: "", key_hint: key.slice(-4), ...counts },
    ]);
    expect(body.total).toEqual(counts);
    expect(body.end).toBe(today);
    expect(Date.parse(body.end) - Date.parse(body.start)).toBe(29 * 86_400_000);
  });

  it("counts what deliveries did by day, for their account", async () => {
    const { account, key } = await openAccount();
    const counts = { finals: 1, drafts: 2, stored_hits: 3, delivered_bytes: 4 };
    const day = dayOf(Date.now());
    await env.DB.prepare("INSERT INTO delivery_usage VALUES (?, 'dl_0123456789abcdef', ?, 1, 2, 3, 4)")
      .bind(account.id, day)
      .run();
    const entry = { day, account_id: account.id, delivery_id: "dl_0123456789abcdef", ...counts };
    expect((await own(key)).body.deliveries).toEqual([entry]);
    expect((await operators(`?account=${account.id}`)).body.deliveries).toEqual([entry]);
    expect((await own((await openAccount()).key)).body.deliveries).toEqual([]);
  });

  it("counts an upload by its bytes, and its failure as an error", async () => {
    const { key } = await openAccount();
    const form = new FormData();
    form.set("file", new File([new Uint8Array(321)], "a.png"));
    await api("POST", "/1.0/upload", { key, body: form });
    await api("POST", "/1.0/upload", { key, body: new FormData() });
    expect((await own(key)).body.total).toMatchObject({ pictures: 1, errors: 1, bytes_in: 321, bytes_out: 321 });
  });

  it("of one account is not seen by another", async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    await api("GET", "/1.0/account", { key: first.key });
    const { usage } = (await own(second.key)).body;
    expect(usage.map((entry: { key_id: string }) => entry.key_id)).toEqual([second.keyId]);
  });

  it("is shown to the operator for one account, one key, or all", async () => {
    const { account, key, keyId } = await openAccount();
    await api("GET", "/1.0/account", { key });
    expect((await operators(`?account=${account.id}`)).body.total.requests).toBe(1);
    expect((await operators(`?key=${keyId}`)).body.usage).toHaveLength(1);
    expect((await operators("?limit=1")).body.usage).toHaveLength(1);
    expect((await operators("?account=nobody")).body.usage).toEqual([]);
    expect((await api("GET", "/admin/usage", { key })).status).toBe(401);
  });

  it("stays when its key is revoked", async () => {
    const { account, key, keyId } = await openAccount();
    await own(key);
    await api("DELETE", `/admin/accounts/${account.id}/keys/${keyId}`, { headers: ADMIN });
    const [entry] = (await operators(`?account=${account.id}`)).body.usage;
    expect(entry).toMatchObject({ key_id: keyId, key_name: "", key_hint: "", requests: 1 });
  });

  it.each([
    ["?start=2026-02-30", "start must be a calendar day in the form 2026-11-20"],
    ["?start=20-11-2026", "start must be a calendar day in the form 2026-11-20"],
    ["?start=2026-11-20&end=2026-11-19", "end must not be before start"],
    ["?limit=101", "limit must be an integer between 1 and 100"],
    ["?account=x", "account is not a known parameter"],
  ])("refuses %s", async (query, message) => {
    const { key } = await openAccount();
    const { status, body } = await own(key, query);
    expect([status, body.message]).toEqual([422, message]);
  });

  it("takes a range of days", async () => {
    const { key } = await openAccount();
    await api("GET", "/1.0/account", { key });
    const { body } = await own(key, "?start=2026-01-01&end=2026-01-31");
    expect(body).toMatchObject({ start: "2026-01-01", end: "2026-01-31", usage: [], total: { requests: 0 } });
  });
});
