/** The durable object that counts requests and credits. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

import { RATE_WINDOW_SECONDS } from "../../src/limits.ts";
import { eventually } from "../support/eventually.ts";

const meter = (name: string) => env.METER.getByName(name);
const ask = { key: "a", limit: 150, creditsTotal: 120 };

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

it("is exact under 200 concurrent calls", async () => {
  const taken = await Promise.all(Array.from({ length: 200 }, () => meter("concurrent").take(ask)));
  expect(taken.filter((one) => one.allowed)).toHaveLength(150);
  expect(taken.filter((one) => one.lease !== undefined)).toHaveLength(120);
  const remaining = taken.filter((one) => one.allowed).map((one) => one.remaining);
  expect(new Set(remaining).size).toBe(150);
});

it("writes once for a burst, and remembers all of it after an eviction", async () => {
  const stub = meter("evicted");
  let writes = 0;
  await runInDurableObject(stub, (_, state) => {
    const put = state.storage.put.bind(state.storage);
    state.storage.put = ((...args: Parameters<typeof put>) => {
      writes += 1;
      return put(...args);
    }) as typeof state.storage.put;
  });
  const leases = await Promise.all(Array.from({ length: 100 }, () => stub.take(ask)));
  await Promise.all(leases.slice(0, 60).map(({ lease }) => stub.settle(lease ?? 0)));
  expect(writes).toBeLessThanOrEqual(2);
  // The write that is still due comes within a second; an idle object lives longer than that.
  await eventually(() => expect(writes).toBe(2));
  await evictDurableObject(stub);
  const after = await stub.take(ask);
  expect(after).toMatchObject({ remaining: 49, used: 60 });
  expect(after.lease).toBeDefined();
});

it("lets a new window begin when the old one is over", async () => {
  const stub = meter("rolled");
  const now = Date.now();
  const one = { key: "a", limit: 1 };
  expect(await stub.take(one, now)).toMatchObject({ allowed: true });
  expect(await stub.take(one, now + 1)).toMatchObject({ allowed: false });
  expect(await stub.take(one, now + RATE_WINDOW_SECONDS * 1000)).toMatchObject({ allowed: true });
});

it("deletes itself once it holds nothing worth keeping", async () => {
  const stub = meter("stale");
  await stub.take({ key: "a", limit: 1 }, Date.now() - RATE_WINDOW_SECONDS * 1000);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  const kept = await runInDurableObject(stub, (_, state) => state.storage.list());
  expect(kept.size).toBe(0);
});

it("keeps what was spent this month", async () => {
  const stub = meter("spent");
  const taken = await stub.take(ask);
  await stub.settle(taken.lease ?? 0);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  const kept = await runInDurableObject(stub, (_, state) => state.storage.list());
  expect(kept.size).toBe(1);
});
