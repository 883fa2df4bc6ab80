/** Work that would do with less memory: in which tier it begins, and whom it leaves how much. */
import { describe, expect, it } from "vitest";

import { Budget } from "../../src/scheduler/budget.ts";
import { Allowance } from "../../src/scheduler/job-limits.ts";
import type { TimeSlice } from "../../src/scheduler/time-slice.ts";
import { reserve, sharesOf } from "../support/budget.ts";

const A_STRETCH_MS = 1_000;
const TIERS = [{ bytes: 9 }, { bytes: 6 }, { bytes: 3 }] as const;
const shares = sharesOf(8, 1, 2);

const budgetOf = (companyBytes = 0) =>
  new Budget(10, { originals: shares, aloneBytes: 12, sharedBytes: 9, companyBytes, maxBlockedMs: 500 });

/** Work that shares the thread until it is told to end, and the tier in which it began. */
function job(budget: Budget, tiers: readonly [{ bytes: number }, ...{ bytes: number }[]] = TIERS) {
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
      budget.runIn(TIERS, (_timeSlice, index) => index, new Allowance({ within })),
    );
    expect(tier).toBe(0);
  });
});
