/** The durable object that counts requests and credits. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";

import { ExpiringRows } from "../../src/account/expiring-rows.ts";
import type { KnownResult } from "../../src/account/known-results.ts";
import type { Meter } from "../../src/account/meter.ts";
import type { TakenWithReceipt } from "../../src/account/metered.ts";
import type { Receipt } from "../../src/account/receipts.ts";
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
  await eventually(() => expect(writes).toBe(3));
  await evictDurableObject(stub);
  const after = await stub.take(ask);
  expect(after).toMatchObject({ remaining: 49, used: 60 });
  expect(after.lease).toBeDefined();
});

it("writes the end of work and not its beginning, but where a bound is near", async () => {
  const stub = meter("quiet");
  const far = { key: "a", account: "quiet", limit: 1_000, creditsTotal: 1_000 };
  const { lease: first = 0 } = await stub.take(far);
  await stub.settle(first);
  await evictDurableObject(stub);
  let writes = 0;
  await runInDurableObject(stub, (_, state) => {
    const put = state.storage.put.bind(state.storage);
    state.storage.put = ((...args: Parameters<typeof put>) => {
      writes += 1;
      return put(...args);
    }) as typeof state.storage.put;
  });
  const { lease = 0 } = await stub.take(far);
  expect(writes).toBe(0);
  await stub.settle(lease);
  expect(writes).toBe(1);
  await stub.take({ ...far, creditsTotal: 102 });
  expect(writes).toBe(2);
});

it("spends the credit of work whose beginning an eviction has forgotten", async () => {
  const stub = meter("forgetful");
  const far = { key: "a", account: "forgetful", limit: 1_000, creditsTotal: 1_000 };
  await stub.settle((await stub.take(far)).lease ?? 0);
  const { lease = 0 } = await stub.take(far);
  await evictDurableObject(stub);
  await stub.settle(lease, { key: "a", bytesIn: 3, bytesOut: 2 });
  await evictDurableObject(stub);
  expect(await stub.take(far)).toMatchObject({ used: 2 });
});

it("copies the usage of an account that is evicted between all of its requests", async () => {
  const stub = meter("copied");
  const far = { key: "a", account: "copied", limit: 1_000, creditsTotal: 1_000 };
  const alarms = new Set<number | null>();
  for (let request = 0; request < 3; request += 1) {
    await stub.settle((await stub.take(far)).lease ?? 0, { key: "a", bytesIn: 3, bytesOut: 2 });
    alarms.add(await runInDurableObject(stub, (_, state) => state.storage.getAlarm()));
    await evictDurableObject(stub);
  }
  // No request puts the copy off.
  expect(alarms.size).toBe(1);
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

it("forgets the results that would end first when there are too many", () =>
  runInDurableObject(meter("bounded"), (_, { storage }) => {
    const rows = new ExpiringRows<KnownResult>(storage.sql, "results", { rows: 20 });
    for (let end = 1; end <= 100; end += 1) rows.put(`r${end}`, { forgottenAt: end, original: "", answer: "" });
    const kept = storage.sql.exec("SELECT forgotten_at FROM results ORDER BY forgotten_at").raw();
    const ends = [...kept].flat();
    expect(ends.length).toBeLessThanOrEqual(20);
    expect(ends.length).toBeGreaterThanOrEqual(10);
    expect(ends).toEqual(Array.from({ length: ends.length }, (__, index) => 101 - ends.length + index));
  }));

it("forgets the oldest receipts where they are too many, or too long, but none of work that goes on", () =>
  runInDurableObject(meter("receipts"), (_, { storage }) => {
    const NOW = 1_000_000;
    const rows = new ExpiringRows<Receipt>(storage.sql, "receipts", { rows: 200, bytes: 40_000 });
    const names = () =>
      [...storage.sql.exec<{ name: string }>("SELECT name FROM receipts ORDER BY forgotten_at")].map(
        ({ name }) => name,
      );
    const bytes = () =>
      storage.sql.exec<{ n: number }>("SELECT sum(length(name) + length(content)) AS n FROM receipts").one().n;
    const put = (name: string, forgottenAt: number, more: Partial<Receipt> = {}) =>
      rows.put(name, { forgottenAt, ...more }, NOW);
    for (let run = 0; run < 5; run += 1) put(`run ${run}`, NOW - run);
    for (let kept = 0; kept < 1_000; kept += 1) put(`kept ${kept}`, NOW + 1 + kept);
    expect(names().length).toBeLessThanOrEqual(200);
    expect(names().filter((name) => name.startsWith("run"))).toHaveLength(5);
    expect(names().at(-1)).toBe("kept 999");
    for (let long = 0; long < 30; long += 1)
      put(`long ${long}`, NOW + 2_000 + long, { fingerprint: "f".repeat(4_000) });
    expect(bytes()).toBeLessThanOrEqual(40_000);
    expect(names().at(-1)).toBe("long 29");
    expect(names().filter((name) => name.startsWith("run"))).toHaveLength(5);
  }));

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      token: fc.nat(1),
      name: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom("answer" as const, "refuse" as const, "fail" as const, "die" as const),
      of: fc.nat(9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 44_000, 46_000, 90_000) }),
  },
);

interface Working {
  readonly token: number;
  readonly taken: TakenWithReceipt;
  readonly receipt: string | undefined;
}

/** Walks many ways through one meter: two tokens each, and requests that overlap. */
function walk(object: Meter): void {
  let run = 0;
  const property = fc.property(
    fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
    fc.array(step, { maxLength: 40 }),
    (uses, steps) => {
      run += 1;
      // All runs lie in one month, so that what was spent stays counted.
      const start = Date.UTC(2030, 0, 1) + run * 200_000;
      let now = start;
      const ends = start + 100_000;
      const before = object.take({ key: "other", limit: 1_000_000 }, now).used;
      const working: Working[] = [];
      const answered = [0, 0];
      // What is out or was answered, or failed at work: none of it is given out again.
      const gone = [0, 0];
      let paid = 0;
      for (const one of steps) {
        if (one.kind === "pass") now += one.ms;
        else if (one.kind === "ask") {
          const { token, name } = one;
          const receipt = name && `${run} ${token} ${name}`;
          const use = { id: `${run}-${token}`, uses: uses[token] ?? 0, expiresAt: ends };
          const ask = { key: `k${run}`, limit: 1_000, account: "model", creditsTotal: 1e9, use };
          const taken = object.take({ ...ask, ...(receipt !== undefined && { receipt }) }, now);
          if (now >= ends) expect(taken.isSpent).toBe(true);
          if (taken.isSpent) expect([taken.allowed, taken.lease, taken.use]).toEqual([false, undefined, undefined]);
          if (taken.opened && taken.opened.state !== "free") expect(taken.use).toBeUndefined();
          // A use and a credit go together.
          expect(taken.use !== undefined).toBe(taken.lease !== undefined);
          if (taken.use === undefined) continue;
          expect(taken.use).toBe(use.id);
          gone[token] = (gone[token] ?? 0) + 1;
          expect(gone[token]).toBeLessThanOrEqual(use.uses);
          working.push({ token, taken, receipt });
        } else {
          const [work] = working.splice(one.of % Math.max(1, working.length), 1);
          if (!work || one.kind === "die") continue;
          const { token, taken, receipt } = work;
          const { lease = 0, opened: found } = taken;
          const answer = { status: 200, body: "{}", goodUntil: now + 1e9 };
          const ending =
            receipt !== undefined && found?.state === "free"
              ? {
                  name: receipt,
                  token: found.token,
                  ...(one.kind === "answer" && { kept: { fingerprint: "f", answer } }),
                }
              : undefined;
          if (one.kind === "answer") {
            const used = object.take({ key: "other", limit: 1_000_000 }, now).used;
            object.settle(lease, undefined, ending, now);
            paid += object.take({ key: "other", limit: 1_000_000 }, now).used - used;
            answered[token] = (answered[token] ?? 0) + 1;
          } else {
            if (one.kind === "refuse") {
              object.giveBack(taken.use ?? "");
              gone[token] = (gone[token] ?? 0) - 1;
            }
            object.release(lease, undefined, ending, now);
          }
        }
      }
      for (const [token, count] of answered.entries()) expect(count).toBeLessThanOrEqual(uses[token] ?? 0);
      expect(paid).toBeLessThanOrEqual(answered.reduce((sum, count) => sum + count, 0));
      const after = object.take({ key: "other", limit: 1_000_000 }, now).used;
      expect(after - before).toBe(paid);
    },
  );
  fc.assert(property, { numRuns: Number(env.MODEL_RUNS) * 20 });
}

it("gives out no use of a token too many, and charges nothing twice, whatever the order in which requests begin, end and vanish", () =>
  runInDurableObject(meter("model"), (object: Meter) => walk(object)));
