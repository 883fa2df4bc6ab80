/** Usage by key and day: counted in the meter, copied to the database. */
import {
  applyD1Migrations,
  evictDurableObject,
  reset,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { dayOf, listUsage, saveUsage, sweepUsage } from "../../src/account/usage.ts";
import { USAGE_HISTORY_DAYS, USAGE_SUM_DAYS } from "../../src/limits/accounts.ts";

const ACCOUNT = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
/** Far ahead, so that no alarm goes off by itself. */
const NOON = Date.UTC(2099, 10, 20, 12);
const DAY_MS = 86_400_000;
const meter = () => env.METER.getByName(`account:${ACCOUNT}`);
const ask = { key: "a", limit: 1_000, account: ACCOUNT, creditsTotal: 1_000 };
const year = { start: "2099-01-01", end: "2099-12-31" };
const all = { offset: 0, limit: 100 };
const tables = { records: [env.DB], directory: env.DB };
const rows = async (range = {}, page = all) => (await listUsage(tables, { ...year, ...range }, page)).entries;
const totals = async () => (await listUsage(tables, year, all)).total;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});

afterEach(async () => {
  vi.useRealTimers();
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

describe("the meter", () => {
  it("loses no count of 300 concurrent requests", async () => {
    const stub = meter();
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const { lease = 0 } = await stub.take({ ...ask, key: index % 3 === 0 ? "b" : "a" }, NOON);
        if (index % 2 === 0) await stub.settle(lease, { key: "a", bytesIn: 1_000, bytesOut: 100 }, undefined, NOON);
        else await stub.release(lease, { key: "a", ms: 1.7 }, undefined, NOON);
      }),
    );
    await stub.saveUsage(NOON);
    expect(await totals()).toEqual({
      requests: 300,
      errors: 150,
      pictures: 150,
      bytesIn: 150_000,
      bytesOut: 15_000,
      credits: 150,
      failedMs: 300,
    });
    expect((await rows()).map(({ keyId, requests }) => [keyId, requests])).toEqual([
      ["a", 200],
      ["b", 100],
    ]);
  });

  it("copies to the database by itself, once for a burst, whole days at a time", async () => {
    const stub = meter();
    for (let round = 0; round < 5; round += 1) await stub.take(ask, NOON);
    expect(await rows()).toEqual([]);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await rows()).toMatchObject([{ day: "2099-11-20", keyId: "a", requests: 5 }]);
    await stub.take(ask, NOON);
    await stub.take(ask, NOON + DAY_MS);
    await runDurableObjectAlarm(stub);
    expect(await rows()).toMatchObject([
      { day: "2099-11-21", requests: 1 },
      { day: "2099-11-20", requests: 6 },
    ]);
  });

  it("remembers what is not in the database yet after an eviction", async () => {
    const stub = meter();
    await stub.take(ask, NOON);
    await evictDurableObject(stub);
    await stub.fail("a", NOON);
    await stub.saveUsage(NOON);
    expect(await totals()).toMatchObject({ requests: 1, errors: 1 });
  });

  it("keeps what a database that fails did not take", async () => {
    const stub = meter();
    await stub.take(ask, NOON);
    await env.DB.exec("ALTER TABLE usage RENAME TO elsewhere");
    await runDurableObjectAlarm(stub);
    await env.DB.exec("ALTER TABLE elsewhere RENAME TO usage");
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await totals()).toMatchObject({ requests: 1 });
  });

  it("forgets days that are over and in the database, and not before", async () => {
    const stub = meter();
    await stub.take(ask, NOON);
    vi.setSystemTime(NOON + DAY_MS);
    const names = await runInDurableObject(stub, async (instance, state) => {
      await instance.alarm();
      return [...(state.storage.kv.get<{ usage: Map<string, object> }>("ledger")?.usage.keys() ?? [])];
    });
    expect(names).toEqual([]);
    expect(await totals()).toMatchObject({ requests: 1 });
  });

  it("counts what the window refuses as an error", async () => {
    const stub = meter();
    await stub.take({ ...ask, limit: 1 }, NOON);
    await stub.take({ ...ask, limit: 1 }, NOON);
    await stub.saveUsage(NOON);
    expect(await totals()).toMatchObject({ requests: 2, errors: 1 });
  });

  it("keeps no usage of client addresses", async () => {
    const stub = env.METER.getByName("address:192.0.2.1");
    await stub.take({ key: "any", limit: 5 }, NOON);
    await stub.saveUsage(NOON);
    expect(await rows()).toEqual([]);
  });
});

const counts = { requests: 2, errors: 0, pictures: 2, bytesIn: 20, bytesOut: 10, credits: 2, failedMs: 7 };

describe("the table", () => {
  it("is written twice with the same result, and never goes back", async () => {
    const tally = new Map([["2099-11-20 a", counts]]);
    await saveUsage(env.DB, ACCOUNT, tally);
    await saveUsage(env.DB, ACCOUNT, tally);
    await saveUsage(env.DB, ACCOUNT, new Map([["2099-11-20 a", { ...counts, requests: 1 }]]));
    expect(await totals()).toEqual(counts);
  });

  it("is read by range, key, account and page", async () => {
    const days = ["2099-11-18", "2099-11-19", "2099-11-20"];
    await saveUsage(
      env.DB,
      ACCOUNT,
      new Map(days.flatMap((day) => ["a", "b"].map((key) => [`${day} ${key}`, counts]))),
    );
    await saveUsage(env.DB, "other", new Map([["2099-11-20 c", counts]]));
    expect(await rows()).toHaveLength(7);
    expect(await rows({ accountId: ACCOUNT })).toHaveLength(6);
    expect(await rows({ keyId: "b" })).toHaveLength(3);
    expect(await rows({ start: "2099-11-19", end: "2099-11-19" })).toHaveLength(2);
    const pages = await Promise.all([0, 3, 6].map((offset) => rows({}, { offset, limit: 3 })));
    expect(pages.flat()).toEqual(await rows());
  });

  it("sums a range of any length, each day once", async () => {
    const days = Array.from({ length: 365 }, (_, index) => dayOf(Date.UTC(2099, 0, 1 + index)));
    await saveUsage(env.DB, ACCOUNT, new Map(days.map((day) => [`${day} a`, counts])));
    for (const length of [1, USAGE_SUM_DAYS, USAGE_SUM_DAYS + 1, 365]) {
      const range = { start: "2099-01-01", end: days[length - 1] ?? "" };
      const { total } = await listUsage(tables, { ...range, accountId: ACCOUNT }, all);
      expect(total).toMatchObject({ requests: 2 * length, failedMs: 7 * length });
    }
  });

  it("is bounded: old days are deleted, and only these", async () => {
    const kept = dayOf(NOON - USAGE_HISTORY_DAYS * DAY_MS);
    const old = dayOf(NOON - (USAGE_HISTORY_DAYS + 1) * DAY_MS);
    await saveUsage(env.DB, ACCOUNT, new Map([kept, old].map((day) => [`${day} a`, counts])));
    await sweepUsage(env.DB, NOON);
    expect((await rows({ start: "2090-01-01" })).map(({ day }) => day)).toEqual([kept]);
  });
});
