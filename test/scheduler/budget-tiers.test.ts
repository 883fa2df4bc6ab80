/** Work that would do with less memory: in which tier it begins, and whom it leaves how much. */
import { describe, expect, it, vi } from "vitest";

import { Budget } from "../../src/scheduler/budget.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import { type TimeSlice, Thread } from "../../src/scheduler/time-slice.ts";
import { reserve, sharesOf } from "../support/budget.ts";

const A_STRETCH_MS = 1_000;
const TIERS = [{ bytes: 9 }, { bytes: 6 }, { bytes: 3 }] as const;
const shares = sharesOf(8, 1, 2);

const budgetOf = (companyBytes = 0) =>
  new Budget(10, { originals: shares, aloneBytes: 12, sharedBytes: 9, companyBytes, maxBlockedMs: 500 });

interface Tier {
  readonly bytes: number;
  readonly ms?: number;
}

/** Work that shares the thread until it is told to end, and the tier in which it began. */
function job(budget: Budget, tiers: readonly [Tier, ...Tier[]] = TIERS) {
  const state: { tier?: number; ended: boolean } = { ended: false };
  const done = budget.runIn(tiers, async (timeSlice: TimeSlice, tier) => {
    state.tier = tier;
    while (!state.ended) await timeSlice.spend(A_STRETCH_MS);
  });
  return { state, end: () => void (state.ended = true), done };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(0);
}

async function ended(...jobs: readonly ReturnType<typeof job>[]): Promise<void> {
  for (const { end } of jobs) end();
  await Promise.all(jobs.map(({ done }) => done));
}

describe("work with several tiers", () => {
  it("begins in the largest where nobody else is there, and holds what that takes", async () => {
    const budget = budgetOf(4);
    const alone = job(budget);
    await turns();
    expect([alone.state.tier, budget.held.work]).toEqual([0, 9]);
    await ended(alone);
    expect(budget.held.work).toBe(0);
  });

  it("begins in the largest that is free beside others", async () => {
    const budget = budgetOf();
    const [first, second] = [job(budget, [{ bytes: 3 }]), job(budget)];
    await turns();
    expect(second.state.tier).toBe(1);
    const third = job(budget);
    await turns();
    expect(third.state.tier).toBeUndefined();
    await ended(first);
    await turns();
    expect(third.state.tier).toBe(2);
    await ended(second, third);
  });

  it("leaves room for another original where others are there", async () => {
    const budget = budgetOf(3);
    const originals = [reserve(budget, 1), reserve(budget, 1)];
    const working = job(budget);
    await turns();
    expect(working.state.tier).toBe(1);
    reserve(budget, 3).release();
    await ended(working);
    for (const { release } of originals) release();
  });

  it("leaves room where others wait, though it could have all there is", async () => {
    const budget = budgetOf(3);
    const [running, first, second] = [job(budget, [{ bytes: 9 }]), job(budget), job(budget)];
    running.end();
    await running.done;
    await turns();
    expect([first.state.tier, second.state.tier]).toEqual([1, 2]);
    await ended(first, second);
  });

  it("has more than what all share only where it needs that", async () => {
    const budget = budgetOf();
    const [spared] = [job(budget, [{ bytes: 10 }, { bytes: 7 }])];
    await turns();
    expect(spared.state.tier).toBe(1);
    await ended(spared);
    const needed = job(budget, [{ bytes: 10 }]);
    await turns();
    expect(needed.state.tier).toBe(0);
    await ended(needed);
  });

  const timed = (ms: number) => [{ bytes: 9, ms }, { bytes: 6 }, { bytes: 3 }] as const;

  it("waits for work that is over soon, on the one thread, and then has the largest", async () => {
    const budget = budgetOf();
    const running = job(budget, [{ bytes: 3, ms: 4_000 }]);
    const next = job(budget, timed(1_000));
    await turns();
    expect(next.state.tier).toBeUndefined();
    await ended(running);
    await turns();
    expect(next.state.tier).toBe(0);
    await ended(next);
  });

  it("begins beside work that takes far longer than itself, or than was said of it", async () => {
    for (const ms of [1e6, 0]) {
      const budget = budgetOf();
      const running = job(budget, [{ bytes: 3, ms }]);
      await turns();
      const next = job(budget, timed(1_000));
      await vi.waitFor(() => expect(next.state.tier).toBe(1));
      await ended(running, next);
    }
  });

  it("begins beside work that has been silent for long: it may have been ended", async () => {
    const state = { now: 0 };
    const now = () => state.now;
    const { promise: pause, resolve } = Promise.withResolvers<void>();
    const thread = new Thread(now, () => pause);
    const budget = new Budget(10, { sharedBytes: 9, aloneBytes: 12, now, thread });
    const silent = budget.run({ bytes: 3, ms: 4_000 }, (timeSlice) => timeSlice.spend(A_STRETCH_MS));
    const next = budget.runIn(timed(1_000), (_timeSlice, tier) => tier);
    await turns();
    expect(budget.places.work).toBe(1);
    state.now = 3_000;
    expect(await next).toBe(1);
    resolve();
    await silent;
  });

  it("leaves no room for others that wait where it is over soon itself", async () => {
    const budget = budgetOf(3);
    const running = job(budget, [{ bytes: 9 }]);
    const waiting = [job(budget, timed(900)), job(budget, timed(900))] as const;
    await ended(running);
    await turns();
    expect(waiting.map(({ state }) => state.tier)).toEqual([0, undefined]);
    await ended(...waiting);
  });

  it("goes without what would have to be collected first", async () => {
    let dropped = 4;
    const budget = new Budget(10, { sharedBytes: 9, aloneBytes: 12, droppedBytes: () => dropped });
    const lean = job(budget);
    await turns();
    expect(lean.state.tier).toBe(2);
    await ended(lean);
    dropped = 0;
    const roomy = job(budget);
    await turns();
    expect(roomy.state.tier).toBe(0);
    await ended(roomy);
  });

  it("is refused with 422 only where not even the smallest fits", async () => {
    const budget = budgetOf();
    await expect(budget.runIn([{ bytes: 20 }, { bytes: 11 }], () => 1)).rejects.toMatchObject({ status: 422 });
    expect(await budget.runIn([{ bytes: 20 }, { bytes: 10 }], (_timeSlice, tier) => tier)).toBe(1);
  });

  it("has what was admitted as a whole in the first", async () => {
    const budget = budgetOf();
    const tier = await budget.run({ bytes: 9 }, (within) =>
      budget.runIn(TIERS, (_timeSlice, index) => index, new JobLimits({ within })),
    );
    expect(tier).toBe(0);
  });
});
