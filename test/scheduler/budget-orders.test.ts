/** The budget of an isolate under any order of events, in simulated time. */
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { daily } from "../support/exhaustive.ts";
import { sharedCount } from "../support/share.ts";
import { bindTimers, SimulatedBudget } from "../support/simulated-budget.ts";

/** How many parts 100,000 orders of few requests come in, each within the time that one test may take. */
const PARTS = daily(1, sharedCount(20, 1));
/** Orders of events that are tried: of a few requests, and of a crowd. */
const ORDERS = [
  ...Array.from({ length: PARTS }, (_, part) => [8, daily(500, 5_000), part] as const),
  [40, daily(20, sharedCount(500, 20)), 0] as const,
];

describe("a budget under any order of events", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    bindTimers();
  });
  afterEach(() => void vi.useRealTimers());

  const options = {
    originals: { bytes: 32, severalBytes: 24, small: 4, smallBytes: 8, tiny: 0, tinyBytes: 0, stepBytes: 4 },
    aloneBytes: 96,
    sharedBytes: 80,
    companyBytes: 16,
    smallWorkBytes: 4,
    littleWorkBytes: 12,
    maxBlockedMs: 3_000,
    maxPasses: 4,
    maxPassesBeside: 8,
    maxPassesOfLittle: 16,
    maxWaitMs: 25_000,
    collectedAfterMs: 3_000,
  };
  /**
   * One after the other comes with an original that stands in the way of nearly all there is, and goes soon: two of them
   * are read at a time.
   */
  const stream = Array.from({ length: 120 }, (_, index) => ({
    account: `a${index % 5}`,
    arrivesAt: 250 + index * 750,
    announced: 10,
    readingMs: 500,
    works: [20],
    workMs: 250,
  }));
  const large = { account: "large", arrivesAt: 500, announced: 5, readingMs: 250, works: [90], workMs: 1_000 };

  it("lets a job that needs nearly all begin, however many come after it, and refuses none of them", async () => {
    const told = await new SimulatedBudget(92, options).run([large, ...stream], 120_000);
    expect(new Set(told.map(({ outcome }) => outcome))).toEqual(new Set(["done"]));
    expect(told[0]?.endedAt).toBeLessThan(12_000);
  });

  const job = fc.record({
    account: fc.constantFrom("a", "b", "c"),
    arrivesAt: fc.integer({ min: 0, max: 40 }).map((steps) => steps * 250),
    announced: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 32 })),
    readingMs: fc.integer({ min: 0, max: 20 }).map((steps) => steps * 1_000),
    works: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 50, max: 80 })), {
      minLength: 1,
      maxLength: 3,
    }),
    spare: fc.constantFrom(0, 10, 40),
    drops: fc.constantFrom(0, 0, 3, 30),
    grows: fc.constantFrom(0, 0, 20, 60),
    workMs: fc.integer({ min: 0, max: 8 }).map((steps) => steps * 250),
    leavesAfter: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(40_000) }),
    killed: fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom("reading" as const, "pause" as const, "stretch" as const) },
    ),
    lie: fc.constantFrom(0, 0, 0, 6),
  });
  it("refuses nobody where all have their turn in time, one after the other, and no two need all there is", async () => {
    const calm = fc.record({
      account: fc.constantFrom("a", "b", "c"),
      arrivesAt: fc.integer({ min: 0, max: 12 }).map((steps) => steps * 250),
      announced: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 32 })),
      readingMs: fc.constantFrom(0, 500, 1_000),
      works: fc.array(fc.integer({ min: 1, max: 56 }), { minLength: 1, maxLength: 3 }),
      spare: fc.constantFrom(0, 10, 40),
      drops: fc.constantFrom(0, 0, 3, 30),
      workMs: fc.constantFrom(0, 250, 500),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(calm, { minLength: 2, maxLength: 6, size: "max" }),
        fc.boolean(),
        async (crowd, isCollecting) => {
          const told = await new SimulatedBudget(92, { ...options, isCollecting }).run(crowd, 60_000);
          expect(told.filter(({ outcome }) => outcome !== "done")).toEqual([]);
        },
      ),
      { numRuns: daily(100, sharedCount(5_000, 100)), endOnFailure: true },
    );
  });

  /** The silence after which who was killed is not counted. */
  const SILENT_MS = 31_000;

  it.each(ORDERS)(
    "ends or refuses each of up to %i jobs in time, within its bytes, in %i orders (part %i)",
    async (jobs, runs) => {
      const outcomes = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(
          fc.array(job, { minLength: 2, maxLength: jobs, size: "max" }),
          fc.boolean(),
          async (crowd, isCollecting) => {
            // Timers of who was killed before would fire for ever.
            vi.clearAllTimers();
            const simulated = new SimulatedBudget(92, { ...options, isCollecting });
            const workMs = crowd.reduce((sum, one) => sum + one.works.length * (one.workMs + 500), 0);
            const sending = crowd.map(({ lie, ...one }) => ({ ...one, sent: Math.min(32, one.announced + lie) }));
            // All have come, waited, and read, each behind one that was killed; then everybody's work.
            const told = await simulated.run(
              sending,
              10_000 + 2 * options.maxWaitMs + 20_000 + 2 * SILENT_MS + 2 * workMs,
            );
            for (const { outcome } of told) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
            const isKilled = told.some(({ outcome }) => outcome === "killed");
            expect(simulated.most.bytes).toBeLessThanOrEqual(options.aloneBytes);
            if (isKilled) await simulated.rest(SILENT_MS + 1_000);
            const { budget } = simulated;
            expect({ ...budget.held, queued: budget.queuedMs }).toEqual({ work: 0, originals: 0, queued: 0 });
            expect([budget.waiting, budget.waitingAtDoor]).toEqual([0, 0]);
            // Accounts take turns: one of each other for each of its own that is before it, and then those who are inside.
            const most = options.maxPassesOfLittle + 3 * simulated.most.inside + 2 * 16;
            for (const { passes } of told) expect(passes).toBeLessThanOrEqual(most);
          },
        ),
        { numRuns: runs, endOnFailure: true },
      );
      expect(outcomes.get("done")).toBeGreaterThan(0);
    },
  );
});
