/** Budgets of an account: what concurrent work may overrun, when periods end, and what is told once. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import { accept, endWork } from "../../src/account/accepted-jobs.ts";
import {
  type Budget,
  noteAlerts,
  nothingSpent,
  shortOf,
  spendCpu,
  takeFinalBack,
  today,
} from "../../src/account/budgets.ts";
import { emptyLedger, type Ledger, release, reserveMore, roll, settle, take } from "../../src/account/ledger.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const DAY_SECONDS = 43_200;
const IN_FLIGHT = 50;
const LIMIT = 1_000;

/** Numbers from 0 to 1, the same every time (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const asked = (budget: Budget, more: object = {}) => ({
  key: "a",
  limit: 1_000_000,
  account: "one",
  creditsTotal: budget.credits_per_month ?? 1_000_000,
  budget,
  ...more,
});

/** Asks for work until none has room, up to IN_FLIGHT pieces at a time, which end in any order. */
function spentBy(ledger: Ledger, budget: Budget, msOf: () => number, random: () => number) {
  const open: { readonly lease: number; readonly ms: number }[] = [];
  let [made, spentMs] = [0, 0];
  const endOne = () => {
    const [one] = open.splice(Math.floor(random() * open.length), 1);
    if (!one) return;
    settle(ledger, one.lease, NOON);
    spendCpu(ledger.spending, one.ms, 1, NOON);
    made += 1;
    spentMs += one.ms;
  };
  for (;;) {
    const { lease } = take(ledger, asked(budget, { isFinal: true }), NOON);
    if (lease !== undefined) open.push({ lease, ms: msOf() });
    else if (open.length === 0) return { made, spentMs };
    if (lease === undefined || open.length >= IN_FLIGHT) endOne();
  }
}

describe("with 50 requests in flight", () => {
  it.each(["credits_per_month", "finals_per_day"] as const)("%s is never overrun", (name) => {
    const { made } = spentBy(emptyLedger(), { [name]: LIMIT }, () => 100, numbersFrom(1));
    expect(made).toBe(LIMIT);
  });

  it.each([
    ["equal work", () => 400],
    ["work between a tenth of a second and three", (random: () => number) => 100 + random() * 2_900],
    [
      "quick work, with a search of twelve seconds in twenty",
      (random: () => number) => (random() < 0.05 ? 12_000 : 250),
    ],
  ] as const)("processor time is overrun by a hundredth at most, and hardly left over, by %s", (_, msOf) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = numbersFrom(seed);
      const { spentMs } = spentBy(emptyLedger(), { cpu_seconds_per_day: LIMIT }, () => msOf(random), random);
      expect(spentMs).toBeGreaterThanOrEqual(LIMIT * 1_000);
      expect(spentMs).toBeLessThanOrEqual(LIMIT * 1_010 + 12_000);
    }
  });

  it("keeps room for accepted jobs until they are done, and for as many results as are asked for", () => {
    const ledger = emptyLedger();
    const budget = { cpu_seconds_per_day: 4 };
    spendCpu(ledger.spending, 500, 1, NOON);
    const { lease = 0 } = take(ledger, asked(budget), NOON);
    const charge = accept(ledger, { lease, credits: 1, bytes: 1, most: { jobs: 9, bytes: 9 } }, NOON);
    const { lease: second = 0 } = take(ledger, asked(budget), NOON);
    const more = { key: "a", credits: 3, creditsTotal: 9, dailyLimit: undefined, budget };
    const { lease: third = 0 } = take(ledger, asked(budget), NOON);
    expect(reserveMore(ledger, second, more, NOON).short).toEqual({ budget: "cpu_seconds_per_day", seconds: 2 });
    expect(take(ledger, asked(budget), NOON)).toMatchObject({ short: { budget: "cpu_seconds_per_day", seconds: 2 } });
    if ("day" in charge) endWork(ledger, charge);
    expect(take(ledger, asked(budget), NOON).lease).toBeDefined();
    release(ledger, third, NOON);
    roll(ledger, NOON + DAY_MS);
    expect(ledger.spending.jobs.size).toBe(0);
  });
});

describe("periods", () => {
  const spending = nothingSpent();
  const sought = { budget: { cpu_seconds_per_day: 1, finals_per_day: 1 }, isFinal: true };

  it("end with the day, whose rest a refusal tells", () => {
    spendCpu(spending, 1_000, 1, NOON);
    expect(shortOf(spending, sought, 0, NOON)).toEqual({ budget: "cpu_seconds_per_day", seconds: DAY_SECONDS });
    expect(shortOf(spending, sought, 0, NOON + DAY_MS)).toBeUndefined();
  });

  it("are found again by a clock that jumps and comes back, and stop nobody for longer", () => {
    for (const jump of [400, -400, 3]) {
      expect(shortOf(spending, sought, 0, NOON + jump * DAY_MS)).toBeUndefined();
      expect(shortOf(spending, sought, 0, NOON)).toBeDefined();
      spendCpu(spending, 10, 1, NOON + jump * DAY_MS);
      expect(today(spending, NOON).ms).toBe(1_000);
    }
    expect(spending.days.size).toBeLessThanOrEqual(4);
  });

  it("of finals have one more when one comes to nothing, on its own day", () => {
    const ledger = emptyLedger();
    const budget = { finals_per_day: 1 };
    const { lease = 0 } = take(ledger, asked(budget, { isFinal: true }), NOON);
    expect(take(ledger, asked(budget, { isFinal: true }), NOON).short).toEqual({
      budget: "finals_per_day",
      seconds: DAY_SECONDS,
    });
    // Other work is none of it.
    expect(take(ledger, asked(budget), NOON).lease).toBeDefined();
    release(ledger, lease, NOON);
    takeFinalBack(ledger.spending, NOON);
    expect(take(ledger, asked(budget, { isFinal: true }), NOON).lease).toBeDefined();
    takeFinalBack(ledger.spending, NOON + DAY_MS);
    expect(today(ledger.spending, NOON).finals).toBe(1);
  });
});

describe("what is told", () => {
  const told = { account: "one", database: "DB" };

  it("is each percent of a budget once in a period, and anew when the budget is another", () => {
    const spending = nothingSpent();
    spending.budget = { credits_per_month: 10, told };
    const at = (used: number, month = "2026-11") => {
      noteAlerts(spending, { month, used }, NOON);
      return spending.notices.splice(0).map(({ period, percent, limit }) => [period, percent, limit]);
    };
    expect([at(7), at(8), at(9)]).toEqual([[], [["2026-11", 80, 10]], []]);
    expect([at(10), at(10), at(8), at(11)]).toEqual([[["2026-11", 100, 10]], [], [], []]);
    spending.budget = { credits_per_month: 12, told };
    expect(at(11)).toEqual([["2026-11", 80, 12]]);
    expect(at(10, "2026-12")).toEqual([["2026-12", 80, 12]]);
    spending.budget = { credits_per_month: 1 };
    expect(at(10)).toEqual([]);
  });
});

describe("the object of an account", () => {
  const meter = (name: string) => env.METER.getByName(`budget:${name}`);
  afterEach(() => reset());
  /** One that is not running is evicted already. */
  const evict = async (stub: ReturnType<typeof meter>) => evictDurableObject(stub).catch(() => undefined);

  it("lets a hundredth more through at most when it is evicted at any moment", async () => {
    const stub = meter("evicted");
    const random = numbersFrom(7);
    const ask = asked({ credits_per_month: LIMIT });
    let spent = 0;
    for (let isOpen = true; isOpen;) {
      const taken = await Promise.all(Array.from({ length: IN_FLIGHT }, () => stub.take(ask)));
      if (random() < 0.5) await evict(stub);
      const leases = taken.flatMap(({ lease }) => lease ?? []);
      await Promise.all(leases.map((lease) => stub.settle(lease, { key: "a", bytesIn: 1, bytesOut: 1 })));
      if (random() < 0.5) await evict(stub);
      spent += leases.length;
      isOpen = leases.length > 0;
    }
    expect(spent).toBeGreaterThanOrEqual(LIMIT);
    expect(spent).toBeLessThanOrEqual(LIMIT * 1.01);
  });

  it("writes what is spent of a small budget at once, and of a large one as ever", async () => {
    const writes = async (name: string, credits: number) => {
      const stub = meter(name);
      let count = 0;
      await runInDurableObject(stub, (_, state) => {
        const put = state.storage.put.bind(state.storage);
        state.storage.put = ((...args: Parameters<typeof put>) => {
          count += 1;
          return put(...args);
        }) as typeof state.storage.put;
      });
      for (let work = 0; work < 10; work += 1) {
        await stub.settle((await stub.take(asked({ credits_per_month: credits }))).lease ?? 0);
      }
      return count;
    };
    expect(await writes("small", 500)).toBeGreaterThanOrEqual(10);
    expect(await writes("large", 500_000)).toBeLessThanOrEqual(4);
  });

  it("counts a final once, with its draft", async () => {
    const stub = meter("finals");
    const ask = asked({ finals_per_day: 2, cpu_seconds_per_day: 9 }, { isFinal: true });
    const { lease = 0 } = await stub.take(ask);
    await stub.closeFinal(lease, { isMade: true, cpuMs: 1_500 });
    const { lease: failed = 0 } = await stub.take({ ...ask, owedMs: 200 });
    expect((await stub.take(ask)).short?.budget).toBe("finals_per_day");
    await stub.closeFinal(failed, { isMade: false, cpuMs: 300 });
    await evictDurableObject(stub);
    expect(await stub.take(ask)).toMatchObject({ used: 1, today: { finals: 2, cpuMs: 2_000 } });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect((await stub.take(ask)).short?.budget).toBe("finals_per_day");
  });
});
