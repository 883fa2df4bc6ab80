/** The counts of requests and credits, apart from where they are stored. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { accept, refund, withdraw } from "../../src/account/accepted-jobs.ts";
import { emptyLedger, lose, release, reserveMore, settle, staleAt, take } from "../../src/account/ledger.ts";
import { RATE_WINDOW_SECONDS } from "../../src/limits.ts";
import { ACCEPTED_JOB_SECONDS, CREDIT_LEASE_SECONDS } from "../../src/limits/accounts.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const WINDOW_MS = RATE_WINDOW_SECONDS * 1000;

describe("the rate window", () => {
  it("counts down, then refuses without counting", () => {
    const ledger = emptyLedger();
    const remaining = [1, 2, 3, 4].map(() => take(ledger, { key: "a", limit: 3 }, NOON));
    expect(remaining.map((taken) => taken.remaining)).toEqual([2, 1, 0, 0]);
    expect(remaining.map((taken) => taken.allowed)).toEqual([true, true, true, false]);
  });

  it("begins with its first request and ends a window later", () => {
    const ledger = emptyLedger();
    const ask = { key: "a", limit: 1 };
    expect(take(ledger, ask, NOON).resetSeconds).toBe(RATE_WINDOW_SECONDS);
    expect(take(ledger, ask, NOON + WINDOW_MS - 1)).toMatchObject({ allowed: false, resetSeconds: 1 });
    expect(take(ledger, ask, NOON + WINDOW_MS)).toMatchObject({ allowed: true, resetSeconds: RATE_WINDOW_SECONDS });
  });

  it("is one per key, and forgets keys whose window is over", () => {
    const ledger = emptyLedger();
    take(ledger, { key: "a", limit: 1 }, NOON);
    expect(take(ledger, { key: "b", limit: 1 }, NOON).allowed).toBe(true);
    take(ledger, { key: "c", limit: 1 }, NOON + WINDOW_MS);
    expect([...ledger.windows.keys()]).toEqual(["c"]);
  });

  it("never gives more than the limit within a window, whatever the times", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(WINDOW_MS / 2)), fc.integer({ min: 1, max: 5 }), (waits, limit) => {
        const ledger = emptyLedger();
        const allowed = new Map<number, number>();
        let now = NOON;
        let before = limit;
        let startedAt = -1;
        for (const wait of waits) {
          now += wait;
          const taken = take(ledger, { key: "a", limit }, now);
          const window = ledger.windows.get("a")?.startedAt ?? 0;
          if (taken.allowed) allowed.set(window, (allowed.get(window) ?? 0) + 1);
          if (window === startedAt) expect(taken.remaining).toBeLessThanOrEqual(before);
          expect(taken.remaining).toBeGreaterThanOrEqual(0);
          expect(taken.remaining).toBe(limit - (allowed.get(window) ?? 0));
          [before, startedAt] = [taken.remaining, window];
        }
      }),
    );
  });
});

describe("processor time of failed work", () => {
  const ask = { key: "a", limit: 1_000, creditsTotal: 10, failedMs: 1_000 };

  it("makes what costs a credit wait once it is too much, and nothing else", () => {
    const ledger = emptyLedger();
    take(ledger, ask, NOON);
    lose(ledger, 999, NOON);
    expect(take(ledger, ask, NOON)).toMatchObject({ allowed: true, lease: expect.any(Number) as number });
    lose(ledger, 501, NOON);
    const refused = take(ledger, ask, NOON);
    expect(refused).toMatchObject({ allowed: true, pauseSeconds: RATE_WINDOW_SECONDS / 2 });
    expect(refused.lease).toBeUndefined();
    expect(take(ledger, { key: "a", limit: 1_000 }, NOON).pauseSeconds).toBeUndefined();
  });

  it("is forgotten evenly, in the seconds that were said", () => {
    const ledger = emptyLedger();
    take(ledger, ask, NOON);
    lose(ledger, 1_500, NOON);
    const later = NOON + WINDOW_MS / 4;
    expect(take(ledger, ask, later).pauseSeconds).toBe(RATE_WINDOW_SECONDS / 4);
    const over = NOON + WINDOW_MS / 2 + 1;
    expect(take(ledger, ask, over).lease).toBeDefined();
    lose(ledger, 500, over);
    expect(take(ledger, ask, over).pauseSeconds).toBeGreaterThan(RATE_WINDOW_SECONDS / 2 - 2);
  });

  it("never makes anybody wait longer than a window, and keeps the ledger until it is forgotten", () => {
    const ledger = emptyLedger();
    take(ledger, ask, NOON);
    for (let job = 0; job < 100; job++) lose(ledger, 20_000, NOON);
    expect(take(ledger, ask, NOON).pauseSeconds).toBe(RATE_WINDOW_SECONDS);
    expect(staleAt(ledger, NOON)).toBeGreaterThanOrEqual(NOON + 2 * WINDOW_MS);
  });
});

describe("credits", () => {
  const ask = { key: "a", limit: 1_000, creditsTotal: 2 };

  it("are reserved up to the total, then not any more", () => {
    const ledger = emptyLedger();
    const leases = [1, 2, 3].map(() => take(ledger, ask, NOON).lease);
    expect(leases.map((lease) => lease !== undefined)).toEqual([true, true, false]);
    expect(ledger.used).toBe(0);
  });

  it("come back after a failure and are spent after a success", () => {
    const ledger = emptyLedger();
    const failed = take(ledger, ask, NOON).lease ?? 0;
    release(ledger, failed, NOON);
    const succeeded = take(ledger, ask, NOON).lease ?? 0;
    settle(ledger, succeeded, NOON);
    expect(take(ledger, ask, NOON)).toMatchObject({ used: 1 });
    expect(take(ledger, ask, NOON).lease).toBeUndefined();
  });

  it("come back when nobody reports in time, and are spent all the same by a late success", () => {
    const ledger = emptyLedger();
    const lease = take(ledger, { ...ask, creditsTotal: 1 }, NOON).lease ?? 0;
    const late = NOON + CREDIT_LEASE_SECONDS * 1000;
    expect(take(ledger, { ...ask, creditsTotal: 1 }, late - 1).lease).toBeUndefined();
    settle(ledger, lease, late);
    expect(ledger.used).toBe(1);
    expect(ledger.leases.size).toBe(0);
  });

  it("start again with the calendar month, UTC", () => {
    const ledger = emptyLedger();
    const endOfYear = Date.UTC(2027, 0, 1) - 1;
    settle(ledger, take(ledger, ask, endOfYear).lease ?? 0, endOfYear);
    expect(take(ledger, ask, endOfYear).used).toBe(1);
    expect(take(ledger, ask, endOfYear + 1).used).toBe(0);
  });

  it("survive a clock that is set back by an hour over the beginning of a month", () => {
    const ledger = emptyLedger();
    const newMonth = Date.UTC(2026, 11, 1) + 600_000;
    settle(ledger, take(ledger, ask, newMonth).lease ?? 0, newMonth);
    const early = newMonth - 3_600_000;
    expect(take(ledger, ask, early).used).toBe(1);
    expect(take(ledger, ask, newMonth).used).toBe(1);
  });

  it("are free again once the clock that reserved them is set back by an hour", () => {
    const ledger = emptyLedger();
    const one = { ...ask, creditsTotal: 1 };
    expect(take(ledger, one, NOON).lease).toBeDefined();
    expect(take(ledger, one, NOON).lease).toBeUndefined();
    expect(take(ledger, one, NOON - 3_600_000).lease).toBeDefined();
  });

  it("are not reserved by a request that the window refuses", () => {
    const ledger = emptyLedger();
    take(ledger, { ...ask, limit: 1 }, NOON);
    expect(take(ledger, { ...ask, limit: 1 }, NOON).lease).toBeUndefined();
    expect(ledger.leases.values().reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it("never pass the total, whatever succeeds and fails", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("take", "settle", "release")), fc.nat(5), (moves, creditsTotal) => {
        const ledger = emptyLedger();
        const open: number[] = [];
        for (const move of moves) {
          if (move === "take") {
            const { lease } = take(ledger, { ...ask, creditsTotal }, NOON);
            if (lease !== undefined) open.push(lease);
            continue;
          }
          const lease = open.pop();
          if (lease !== undefined) (move === "settle" ? settle : release)(ledger, lease, NOON);
        }
        expect(ledger.used + open.length).toBeLessThanOrEqual(creditsTotal);
      }),
    );
  });
});

describe("a key with a daily limit", () => {
  const ask = { key: "agent", limit: 100, creditsTotal: 10, dailyLimit: 2 };

  it("reserves so many credits on a day, whatever becomes of them, and as many on the next", () => {
    const ledger = emptyLedger();
    const first = take(ledger, ask, NOON);
    release(ledger, first.lease ?? 0, NOON);
    expect(take(ledger, ask, NOON).lease).toBeDefined();
    expect(take(ledger, ask, NOON)).toMatchObject({ allowed: true, tomorrowSeconds: 12 * 3600 });
    expect(take(ledger, { ...ask, key: "other" }, NOON).lease).toBeDefined();
    const tomorrow = take(ledger, ask, NOON + 12 * 3_600_000);
    expect(tomorrow.lease).toBeDefined();
    expect(tomorrow.tomorrowSeconds).toBeUndefined();
  });

  it("has all further credits of a request in its day, or none", () => {
    const ledger = emptyLedger();
    const { lease = 0 } = take(ledger, { ...ask, dailyLimit: 5 }, NOON);
    const more = { key: "agent", credits: 3, creditsTotal: 10, dailyLimit: 5 };
    expect(reserveMore(ledger, lease, { ...more, credits: 5 }, NOON)).toEqual({
      isReserved: false,
      tomorrowSeconds: 12 * 3600,
    });
    expect(reserveMore(ledger, lease, { ...more, creditsTotal: 3 }, NOON)).toEqual({ isReserved: false });
    expect(reserveMore(ledger, lease, more, NOON)).toEqual({ isReserved: true });
    expect(reserveMore(ledger, lease, more, NOON).isReserved).toBe(false);
    settle(ledger, lease, NOON, { reserved: 4, spent: 2 });
    expect([ledger.used, ledger.leases.size]).toEqual([2, 0]);
    expect(take(ledger, { ...ask, dailyLimit: 5 }, NOON).lease).toBeDefined();
    expect(take(ledger, { ...ask, dailyLimit: 5 }, NOON).tomorrowSeconds).toBe(12 * 3600);
  });

  it("is not held back by calls that need no credit, or get none", () => {
    const ledger = emptyLedger();
    for (let call = 0; call < 5; call += 1) take(ledger, { ...ask, creditsTotal: 0 }, NOON);
    const { creditsTotal: _, ...free } = ask;
    for (let call = 0; call < 5; call += 1) expect(take(ledger, free, NOON).tomorrowSeconds).toBeUndefined();
    expect(take(ledger, ask, NOON).lease).toBeDefined();
  });

  it("is remembered until the day ends", () => {
    const ledger = emptyLedger();
    release(ledger, take(ledger, ask, NOON).lease ?? 0, NOON);
    expect(staleAt(ledger, NOON)).toBe(NOON + 12 * 3_600_000);
    expect(staleAt(ledger, NOON + 12 * 3_600_000)).toBe(NOON + 12 * 3_600_000);
  });
});

it("counts a part of a request that was counted in no window", () => {
  const ledger = emptyLedger();
  const ask = { key: "a", limit: 1, account: "x" };
  expect(take(ledger, ask, NOON).allowed).toBe(true);
  expect(take(ledger, { ...ask, isPart: true, creditsTotal: 5 }, NOON)).toMatchObject({ allowed: true, remaining: 0 });
  expect([...ledger.usage.values()].map(({ requests }) => requests)).toEqual([1]);
});

describe("accepted jobs", () => {
  const most = { jobs: 3, bytes: 100 };
  const order = (bytes = 10) => ({ lease: 0, bytes, most });
  const until = NOON / 1_000 + ACCEPTED_JOB_SECONDS;
  const charge = { month: "2026-11", day: "2026-11-20", bytes: 10, until };

  it("are charged and counted until one of the day's bounds is reached", () => {
    const ledger = emptyLedger();
    expect(accept(ledger, order(91), NOON)).toMatchObject({ bytes: 91 });
    expect(accept(ledger, order(), NOON)).toEqual({ beyond: "bytes", resetSeconds: 43_200 });
    expect([accept(ledger, order(9), NOON), accept(ledger, order(0), NOON)]).toMatchObject([
      { bytes: 9 },
      { bytes: 0 },
    ]);
    expect(accept(ledger, order(0), NOON + 1_000)).toEqual({ beyond: "jobs", resetSeconds: 43_199 });
    expect(ledger.used).toBe(3);
    expect(accept(ledger, order(), NOON + 43_200_000)).toMatchObject({ day: "2026-11-21" });
  });

  it("turn their reservation into a credit spent", () => {
    const ledger = emptyLedger();
    const ask = { key: "a", limit: 9, creditsTotal: 1 };
    accept(ledger, { ...order(), lease: take(ledger, ask, NOON).lease ?? 0 }, NOON);
    expect([ledger.leases.size, ledger.used]).toEqual([0, 1]);
    expect(take(ledger, ask, NOON + CREDIT_LEASE_SECONDS * 1_000).lease).toBeUndefined();
  });

  it("get the credit back when they fail, in the month in which it was spent, and go on counting", () => {
    const ledger = emptyLedger();
    expect(accept(ledger, order(), NOON)).toEqual(charge);
    refund(ledger, charge, NOON);
    expect(ledger).toMatchObject({ used: 0, accepted: { jobs: 1, bytes: 10 } });
    const december = Date.UTC(2026, 11, 1);
    accept(ledger, order(), december);
    refund(ledger, charge, december);
    expect(ledger.used).toBe(1);
  });

  it("that could not be kept do not count", () => {
    const ledger = emptyLedger();
    accept(ledger, order(), NOON);
    withdraw(ledger, charge, NOON);
    expect(ledger).toMatchObject({ used: 0, accepted: { jobs: 0, bytes: 0 } });
    accept(ledger, order(), NOON + 86_400_000);
    withdraw(ledger, charge, NOON + 86_400_000);
    expect(ledger.accepted.jobs).toBe(1);
  });

  it("are remembered until their day ends, also when none cost a credit", () => {
    const ledger = emptyLedger();
    accept(ledger, order(), NOON);
    refund(ledger, charge, NOON);
    expect(staleAt(ledger, NOON)).toBe(Date.UTC(2026, 10, 21));
  });
});

describe("a ledger that is not used any more", () => {
  it("is worth nothing once its window is over, unless credits of the month were spent", () => {
    const ledger = emptyLedger();
    take(ledger, { key: "a", limit: 1 }, NOON);
    expect(staleAt(ledger, NOON)).toBe(NOON + WINDOW_MS);
    settle(ledger, 0, NOON);
    expect(staleAt(ledger, NOON)).toBe(Date.UTC(2026, 11, 1));
    expect(staleAt(ledger, Date.UTC(2026, 11, 1))).toBe(Date.UTC(2026, 11, 1));
  });
});
