/** Databases that are added, down, full or many. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api, type Call } from "../support/api.ts";
import { sweptMessages } from "../support/sweeps.ts";
import { column, holding, receiver, storeIn, untilStatus } from "../support/webhooks.ts";

const NAMES = ["DB", "DB_1", "DB_2"] as const;
const ask = (key: string, url: string, call: Call = {}) =>
  api("POST", "/1.0/fetch", { key, json: { url: "https://images.test/a.png", webhook: { url } }, ...call });
const list = (key: string, call: Call = {}) => api("GET", "/1.0/webhooks", { key, ...call });

beforeEach(() => forgetKeys());

describe("a further database", () => {
  const alone = { DB_1: undefined, DB_2: undefined };

  it("changes nothing for accounts that exist", async () => {
    const made = await api("POST", "/admin/accounts", { headers: ADMIN, json: { name: "Early" }, env: alone });
    expect(made.body.account.database).toBe("DB");
    const { key } = made.body;
    const { url } = receiver();
    const { id } = (await ask(key, url, { env: alone })).body;
    await untilStatus(id, "delivered");
    for (const bindings of [alone, {}]) {
      forgetKeys();
      expect((await list(key, { env: bindings })).body.webhooks).toMatchObject([{ id }]);
      expect((await api("GET", `/1.0/webhooks/${id}`, { key, env: bindings })).status).toBe(200);
    }
    const next = (await ask(key, url)).body;
    await untilStatus(next.id, "delivered");
    expect(await holding(next.id)).toEqual(["DB"]);
  });

  it("is where an account from before the column lies: in DB", async () => {
    const sql = `INSERT INTO accounts (id, name, plan, credits_total, status, created_at)
      VALUES ('old', 'Old', 'standard', 1, 'active', '2026-01-01T00:00:00.000Z') RETURNING database`;
    expect(await env.DB.prepare(sql).first("database")).toBe("DB");
  });

  it("takes new accounts once the first has no room left for them", async () => {
    const sql = "INSERT INTO databases VALUES (?, ?, 0) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes";
    for (const [name, bytes] of [
      ["DB", 7e9],
      ["DB_1", 5e9],
      ["DB_2", 6.5e9],
    ] as const)
      await env.DB.prepare(sql).bind(name, bytes).run();
    for (let round = 0; round < 5; round += 1) {
      const { body } = await api("POST", "/admin/accounts", { headers: ADMIN, json: { name: "Late" } });
      expect(body.account.database).toBe("DB_1");
    }
    await env.DB.prepare("DELETE FROM databases").run();
  });
});

describe("a database that is down", () => {
  const broken = {
    prepare: () => {
      throw new Error("D1_ERROR");
    },
  };

  it("touches the accounts in it alone, and charges them nothing", async () => {
    const [inside, outside] = [await openAccount(10, "DB_1"), await openAccount(10, "DB_2")];
    const bindings = { DB_1: broken };
    const { url } = receiver();
    const refused = await ask(inside.key, url, { env: bindings });
    expect([refused.status, refused.headers.get("retry-after"), refused.body.message]).toEqual([
      503,
      "5",
      "The service cannot keep jobs right now",
    ]);
    expect((await list(inside.key, { env: bindings })).status).toBe(500);
    // What needs no record goes on.
    const direct = { key: inside.key, json: { url: "https://images.test/a.png" }, env: bindings };
    expect((await api("POST", "/1.0/fetch", direct)).status).toBe(200);
    expect((await api("GET", "/1.0/account", { key: inside.key })).body.credits.used).toBe(1);
    const { status, body } = await ask(outside.key, url, { env: bindings });
    expect(status).toBe(202);
    await untilStatus(body.id, "delivered", env.DB_2);
    expect((await list(outside.key, { env: bindings })).body.webhooks).toHaveLength(1);
  });

  it("that was taken out of the deployment is 503 for its accounts alone", async () => {
    const { key } = await openAccount(10, "DB_1");
    const { status, body } = await list(key, { env: { DB_1: undefined } });
    expect([status, body.message]).toEqual([503, "The service cannot reach the records of this account right now"]);
  });

  it("takes no new accounts before it has the schema", async () => {
    await env.DB.prepare("DELETE FROM databases").run();
    const empty = {
      prepare: () => env.DB_1.prepare("SELECT 1 FROM missing"),
      batch: () => Promise.reject(new Error("no such table")),
    };
    await expect(sweptMessages({ DB_1: empty })).rejects.toThrow("The sweep did not do everything");
    const { results } = await env.DB.prepare("SELECT name FROM databases ORDER BY name").all<{ name: string }>();
    expect(results.map(({ name }) => name)).toEqual(["DB", "DB_2"]);
  });

  it("does not keep the sweep from the others, and is said", async () => {
    const [id = ""] = await storeIn(env.DB_2, { accountId: "a", createdAt: Date.now() - 61 * 86_400_000 });
    await expect(sweptMessages({ DB_1: broken })).rejects.toThrow("The sweep did not do everything");
    expect(await column(id, "status", env.DB_2)).toBeNull();
  });
});

describe("a database that is full", () => {
  const measured = (bytes: number) =>
    env.DB.prepare("INSERT OR REPLACE INTO databases VALUES ('DB_1', ?, 0)").bind(bytes).run();

  it("takes no further jobs, logs it, and does everything else", async () => {
    const [inside, outside] = [await openAccount(10, "DB_1"), await openAccount(10)];
    const { url } = receiver();
    const before = (await ask(inside.key, url)).body;
    await untilStatus(before.id, "delivered", env.DB_1);
    await measured(8_000_000_000);
    forgetKeys();
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { status, headers, body } = await ask(inside.key, url);
    expect([status, headers.get("retry-after"), body.message]).toEqual([
      503,
      "600",
      "The service cannot keep further jobs with a webhook right now",
    ]);
    expect(logged.mock.calls.join()).toContain("The database DB_1 is full");
    logged.mockRestore();
    const direct = { key: inside.key, json: { url: "https://images.test/a.png" } };
    expect((await api("POST", "/1.0/fetch", direct)).status).toBe(200);
    expect((await list(inside.key)).body.webhooks).toHaveLength(1);
    expect((await api("POST", `/1.0/webhooks/${before.id}/redeliver`, { key: inside.key })).status).toBe(202);
    expect((await ask(outside.key, url)).status).toBe(202);
    await measured(7_999_999_999);
    forgetKeys();
    expect((await ask(inside.key, url)).status).toBe(202);
    await env.DB.prepare("DELETE FROM databases").run();
  });

  it("is found out by the sweep, which logs it", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await sweptMessages({ DATABASE_BYTES_LIMIT: "1000" });
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    logged.mockRestore();
    expect(lines.filter(({ event }) => event === "database full").map(({ database }) => database)).toEqual(
      expect.arrayContaining([...NAMES]),
    );
    const { results } = await env.DB.prepare("SELECT name, bytes FROM databases ORDER BY name").all<{
      name: string;
      bytes: number;
    }>();
    expect(results.map(({ name }) => name)).toEqual(NAMES);
    for (const { bytes } of results) expect(bytes).toBeGreaterThan(10_000);
  });
});

it("many databases have their turn one after the other", async () => {
  await env.DB.prepare("DELETE FROM databases").run();
  const more = Object.fromEntries(["DB_3", "DB_4", "DB_5", "DB_6"].map((name) => [name, env.DB_2]));
  const counts: unknown[] = [];
  try {
    for (let minute = 0; minute < 3; minute += 1) {
      vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / 60_000 + 1) * 60_000 });
      await sweptMessages(more);
      counts.push(await env.DB.prepare("SELECT COUNT(*) AS n FROM databases").first("n"));
    }
  } finally {
    vi.useRealTimers();
  }
  expect(counts).toEqual([3, 6, 7]);
});

it("accepting a job takes one statement in the directory and one in the account's database", async () => {
  const { key } = await openAccount(10, "DB_1");
  const asked: string[] = [];
  const counted = (name: "DB" | "DB_1") => ({
    prepare: (sql: string) => (
      asked.push(`${name} ${/^\w+(?: INTO \w+)?/.exec(sql)?.[0] ?? ""}`),
      env[name].prepare(sql)
    ),
    batch: (statements: D1PreparedStatement[]) => env[name].batch(statements),
  });
  await ask(key, receiver().url, { env: { DB: counted("DB"), DB_1: counted("DB_1") } });
  expect(asked.slice(0, 2)).toEqual(["DB SELECT", "DB_1 INSERT INTO webhooks"]);
  expect(asked.filter((line) => line.startsWith("DB "))).toHaveLength(1);
});
