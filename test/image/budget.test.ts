/** The memory that jobs share: who waits, who is refused. */
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Allowance } from "../../src/image/allowance.ts";
import type { Breath } from "../../src/image/breath.ts";
import { Budget } from "../../src/image/budget.ts";
import { SimulatedBudget } from "../support/simulated-budget.ts";

/** Orders of events that are tried. */
const RUNS = 2_000;

/** A job that shares the thread until it is told to end. */
function job(budget: Budget, bytes: number, { account, ms = 0 }: { account?: string; ms?: number } = {}) {
  const state = { started: false, ended: false };
  const work = async (breath: Breath) => {
    state.started = true;
    while (!state.ended) await breath.spend(A_STRETCH_MS);
  };
  const done = budget.run({ bytes, ms }, work, new Allowance({ account }));
  return { state, end: () => void (state.ended = true), done };
}

const A_STRETCH_MS = 1_000;

/** Lets everybody go on who can: in turns, since a time would say nothing on a busy machine. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(0);
}

describe("Budget", () => {
  it("refuses with 422 what could never fit", async () => {
    await expect(new Budget(10, 1).run({ bytes: 11 }, () => 1)).rejects.toMatchObject({ status: 422 });
  });

  it("serves in the order of arrival, a small job not before a large one that came first", async () => {
    const budget = new Budget(10, 8);
    const first = job(budget, 6);
    const large = job(budget, 8);
    const small = job(budget, 1);
    await turns();
    expect([first.state.started, large.state.started, small.state.started]).toEqual([true, false, false]);
    first.end();
    await first.done;
    await turns();
    expect([large.state.started, small.state.started]).toEqual([true, true]);
    large.end();
    small.end();
    await Promise.all([large.done, small.done]);
  });

  it("answers 503 with Retry-After when too many wait", async () => {
    const budget = new Budget(10, 1);
    const running = job(budget, 10);
    const waiting = job(budget, 10);
    await expect(budget.run({ bytes: 1 }, () => 1)).rejects.toMatchObject({
      status: 503,
      headers: { "Retry-After": "2" },
    });
    running.end();
    waiting.end();
    await Promise.all([running.done, waiting.done]);
  });

  it("lets go of who gives up while waiting, and serves those behind it", async () => {
    const budget = new Budget(10, 8);
    const running = job(budget, 6);
    const caller = new AbortController();
    const large = budget.run({ bytes: 8 }, () => "never", new Allowance({ signal: caller.signal }));
    const small = job(budget, 1);
    await turns();
    expect(small.state.started).toBe(false);
    caller.abort(new Error("gone"));
    await expect(large).rejects.toThrow("gone");
    await turns();
    expect(small.state.started).toBe(true);
    running.end();
    small.end();
    await Promise.all([running.done, small.done]);
    expect(budget.held).toEqual({ work: 0, originals: 0 });
  });

  describe("accounts", () => {
    const load = { ms: 1_000, accountMs: 600 };
    const budgetOf = (maxWaiting = 8) => new Budget(10, maxWaiting, { load, accountPlaces: 2 });
    const busy = { status: 503, headers: { "Retry-After": "2" } };

    it("take turns in the line: one that came later with little passes what another brought in bulk", async () => {
      const budget = budgetOf();
      const order: string[] = [];
      const start = (account: string) =>
        budget.run({ bytes: 10 }, () => void order.push(account), new Allowance({ account }));
      const running = job(budget, 10, { account: "a" });
      const waiting = [start("a"), start("a"), start("b")];
      running.end();
      await Promise.all([running.done, ...waiting]);
      expect(order).toEqual(["a", "b", "a"]);
    });

    it("have a share of the places, beyond which theirs is 503 while others still find one", async () => {
      const budget = budgetOf(3);
      const jobs = [1, 2, 3].map(() => job(budget, 10, { account: "a" }));
      await expect(job(budget, 10, { account: "a" }).done).rejects.toMatchObject(busy);
      jobs.push(job(budget, 10, { account: "b" }));
      await expect(job(budget, 10, { account: "c" }).done).rejects.toMatchObject(busy);
      for (const { end } of jobs) end();
      await Promise.all(jobs.map(({ done }) => done));
    });

    it("have a share of the time, of what runs and waits, until it is done", async () => {
      const budget = budgetOf();
      const jobs = [job(budget, 1, { account: "a", ms: 900 })];
      await expect(job(budget, 1, { account: "a", ms: 1 }).done).rejects.toMatchObject(busy);
      jobs.push(job(budget, 1, { account: "b", ms: 100 }));
      await expect(job(budget, 1, { account: "b", ms: 1 }).done).rejects.toMatchObject(busy);
      for (const { end } of jobs) end();
      await Promise.all(jobs.map(({ done }) => done));
      await expect(budget.run({ bytes: 1, ms: 600 }, () => "next", new Allowance({ account: "a" }))).resolves.toBe(
        "next",
      );
    });

    it("are not refused the rest of a job that has begun", async () => {
      const budget = budgetOf();
      const allowance = new Allowance({ account: "a" });
      await budget.run({ bytes: 1, ms: 1 }, () => "first", allowance);
      const others = [1, 2, 3].map(() => job(budget, 10, { account: "a", ms: 200 }));
      const second = budget.run({ bytes: 10, ms: 500 }, () => "second", allowance);
      for (const { end } of others) end();
      expect(await second).toBe("second");
      await Promise.all(others.map(({ done }) => done));
    });
  });

  it("frees what a failed job held", async () => {
    const budget = new Budget(10, 0);
    await expect(budget.run({ bytes: 10 }, () => Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
    await expect(budget.run({ bytes: 10 }, () => "next")).resolves.toBe("next");
  });

  describe("originals", () => {
    const shares = { bytes: 6, small: 1, smallBytes: 2 };
    const budgetOf = (aloneBytes = 10) => new Budget(10, 8, { originals: shares, aloneBytes, maxBlockedMs: 500 });

    it("are refused with 503 and Retry-After beyond their share, at once", () => {
      const budget = budgetOf();
      budget.reserve(4);
      expect(() => budget.reserve(3)).toThrow(
        expect.objectContaining({ status: 503, headers: { "Retry-After": "2" } }) as Error,
      );
      expect(budget.held).toEqual({ work: 0, originals: 4 });
    });

    it("that are small have room beside large ones", () => {
      const budget = budgetOf();
      budget.reserve(6);
      budget.reserve(1);
      budget.reserve(1);
      expect(() => budget.reserve(1)).toThrow("No capacity");
    });

    it("that are large find no room beside work that needs it", async () => {
      const budget = budgetOf();
      const running = job(budget, 8);
      await turns();
      expect(() => budget.reserve(3)).toThrow("No capacity");
      const small = budget.reserve(1);
      running.end();
      await running.done;
      small.release();
      budget.reserve(3);
    });

    it("find none at all beside work that has everything, however small they are", async () => {
      const budget = budgetOf();
      const running = job(budget, 10);
      await turns();
      expect(() => budget.reserve(1)).toThrow("No capacity");
      running.end();
      await running.done;
      budget.reserve(1);
    });

    it("take room from work that would run beside other work, until they shrink or go", async () => {
      const budget = budgetOf();
      const original = budget.reserve(5);
      const running = job(budget, 3);
      const waiting = job(budget, 3);
      await turns();
      expect([running.state.started, waiting.state.started]).toEqual([true, false]);
      original.shrink(4);
      await turns();
      expect(waiting.state.started).toBe(true);
      running.end();
      waiting.end();
      await Promise.all([running.done, waiting.done]);
    });

    it("of jobs that wait for each other's memory do not stop them", async () => {
      const budget = budgetOf(16);
      const originals = [budget.reserve(3), budget.reserve(3)];
      const jobs = originals.map(({ release }) => budget.run({ bytes: 10 }, () => "done").finally(release));
      expect(await Promise.all(jobs)).toEqual(["done", "done"]);
      expect(budget.held).toEqual({ work: 0, originals: 0 });
    });

    it("never make the sum larger than what there is: what fits goes first", async () => {
      const budget = budgetOf(12);
      const originals = [budget.reserve(2), budget.reserve(4)];
      const order: string[] = [];
      const large = budget.run({ bytes: 10 }, () => void order.push("large")).finally(originals[0]?.release);
      const small = budget.run({ bytes: 4 }, () => void order.push("small")).finally(originals[1]?.release);
      await Promise.all([large, small]);
      expect(order).toEqual(["small", "large"]);
    });

    it("that stand in each other's way are refused with 503, the last one first", async () => {
      const budget = budgetOf(12);
      const originals = [budget.reserve(2), budget.reserve(4)];
      const done: string[] = [];
      const [first, last] = originals.map(({ release }) =>
        budget.run({ bytes: 10 }, () => void done.push("done")).finally(release),
      );
      await expect(last).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "2" } });
      await first;
      expect(done).toEqual(["done"]);
      expect(budget.held).toEqual({ work: 0, originals: 0 });
    });

    it("that are large are refused while work waits for others to go", async () => {
      const budget = budgetOf(12);
      const original = budget.reserve(4);
      const waiting = budget.run({ bytes: 10 }, () => "done");
      expect(() => budget.reserve(2)).toThrow("No capacity");
      original.release();
      expect(await waiting).toBe("done");
      budget.reserve(2);
    });

    it("hold what they held when there is no room to grow", () => {
      const budget = budgetOf();
      const one = budget.reserve(1);
      budget.reserve(4);
      expect(() => one.grow(3)).toThrow("No capacity");
      one.grow(2);
      expect(budget.held.originals).toBe(6);
      one.release();
      expect(budget.held.originals).toBe(4);
    });

    it("are given back once, however often they are released", () => {
      const budget = budgetOf();
      const [one] = [budget.reserve(2), budget.reserve(2)];
      one.shrink(5);
      one.release();
      one.release();
      expect(budget.held.originals).toBe(2);
    });
  });
});

describe("a budget under any order of events", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const options = {
    originals: { bytes: 32, small: 4, smallBytes: 8 },
    aloneBytes: 96,
    sharedBytes: 80,
    companyBytes: 16,
    maxBlockedMs: 3_000,
    maxPasses: 4,
  };
  /** One after the other comes with an original that stands in the way of nearly all there is, and goes soon. */
  const stream = Array.from({ length: 120 }, (_, index) => ({
    account: `a${index % 5}`,
    arrivesAt: 250 + index * 250,
    original: 10,
    readingMs: 500,
    works: [20],
    workMs: 250,
  }));
  const large = { account: "large", arrivesAt: 500, original: 5, readingMs: 250, works: [90], workMs: 1_000 };

  it("lets a job that needs nearly all begin, however many come after it", async () => {
    const [told] = await new SimulatedBudget(92, 32, options).run([large, ...stream], 60_000);
    expect(told?.outcome).toBe("done");
    expect(told?.endedAt).toBeLessThan(10_000);
    const forever = new SimulatedBudget(92, 32, { ...options, maxPasses: Infinity });
    const [starved] = await forever.run([large, ...stream], 60_000);
    expect(starved?.endedAt).toBeGreaterThan(30_000);
  });

  it("ends or refuses every job in time, within its bytes, and has none passed without bound", async () => {
    const job = fc.record({
      account: fc.constantFrom("a", "b", "c"),
      arrivesAt: fc.integer({ min: 0, max: 40 }).map((steps) => steps * 250),
      original: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 32 })),
      readingMs: fc.integer({ min: 0, max: 20 }).map((steps) => steps * 250),
      works: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 72, max: 92 })), {
        minLength: 1,
        maxLength: 3,
      }),
      spare: fc.constantFrom(0, 10, 40),
      workMs: fc.integer({ min: 0, max: 8 }).map((steps) => steps * 250),
    });
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 2, maxLength: 40 }), async (jobs) => {
        const simulated = new SimulatedBudget(92, 32, options);
        const workMs = jobs.reduce((sum, one) => sum + one.works.length * (one.workMs + 500), 0);
        // All have come and read, everybody's work, and what is refused, one after the other.
        const told = await simulated.run(jobs, 15_000 + workMs + jobs.length * 2 * options.maxBlockedMs);
        for (const { outcome } of told) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        expect(simulated.most.bytes).toBeLessThanOrEqual(options.aloneBytes);
        expect(simulated.budget.held).toEqual({ work: 0, originals: 0 });
        // Accounts take turns: one of each other for each of its own that is before it, and then those who are inside.
        const most = options.maxPasses + 3 * simulated.most.inside + 2 * 16;
        for (const { passes } of told) expect(passes).toBeLessThanOrEqual(most);
      }),
      { numRuns: RUNS },
    );
    expect([...outcomes.keys()].toSorted()).toEqual(["done", "refused at the door", "refused in the line"]);
  });
});
