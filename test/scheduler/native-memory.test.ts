/** Native memory in a budget: what is idle gives way to originals and to work, and what is in use counts. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Budget } from "../../src/scheduler/budget.ts";
import { nativeStatistics, trimNative } from "../../wasm/load.ts";
import { openComparison } from "../../wasm/score/score.ts";
import { reserve, sharesOf } from "../support/budget.ts";
import { memoryOf, pausingModule } from "../support/native-modules.ts";

describe("native memory in a budget", () => {
  const MIB = 1 << 20;
  const bounds = { sharedBytes: 64 * MIB, filledBytes: 8 * MIB };
  const originals = sharesOf(32 * MIB, 0, 0);
  const budgetOf = () => new Budget(64 * MIB, { ...bounds, originals });
  /** Leaves an idle instance of some megabytes. */
  const leave = () => openComparison(2_000, 16).close();
  let hours = 0;

  beforeEach(() => {
    trimNative(0);
    // What was given up counts for seconds, unless it is collected.
    const later = ++hours * 3_600_000;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + later);
  });
  afterEach(() => void vi.restoreAllMocks());

  it("gives way to an original, though no work begins", () => {
    leave();
    const budget = budgetOf();
    reserve(budget, 1).release();
    expect(memoryOf("score")).toBeGreaterThan(0);
    reserve(budget, 8 * MIB);
    expect(memoryOf("score")).toBe(0);
  });

  it("stays while the work runs that left it, and goes when others need its room after that", async () => {
    const budget = budgetOf();
    const original = await budget.run({ bytes: 8 * MIB }, () => {
      leave();
      return reserve(budget, 8 * MIB);
    });
    expect(memoryOf("score")).toBeGreaterThan(0);
    await original.grow(9 * MIB);
    expect(memoryOf("score")).toBe(0);
  });

  it("goes where work alone fills more than several may, for that may be buffers", async () => {
    leave();
    const budget = new Budget(96 * MIB, { ...bounds, originals });
    await budget.run({ bytes: 96 * MIB }, () => expect(memoryOf("score")).toBe(0));
  });

  it("stays where work declares what several may fill, if nearly all work comes for it, and goes otherwise", async () => {
    leave();
    const { module } = pausingModule();
    module.release(module.acquireAlone());
    const idle = () => nativeStatistics().reduce((sum, { idleBytes }) => sum + idleBytes, 0);
    expect(idle()).toBeGreaterThan(memoryOf("score"));
    await budgetOf().run({ bytes: 64 * MIB }, () => {
      expect(memoryOf("score")).toBeGreaterThan(0);
      expect(idle()).toBe(memoryOf("score"));
    });
  });

  it("stays for work that may come for it and leaves it room, and goes once other instances have grown", async () => {
    leave();
    await budgetOf().run({ bytes: 48 * MIB }, async (timeSlice) => {
      await timeSlice.spend(1_000);
      expect(memoryOf("score")).toBeGreaterThan(0);
      const { module } = pausingModule();
      const instance = module.acquireAlone();
      instance.exports.memory.grow((8 * MIB) >> 16);
      await timeSlice.spend(1_000);
      module.release(instance);
    });
    expect(memoryOf("score")).toBe(0);
  });

  it("counts whole for the work that uses it, however little that declared", async () => {
    const budget = budgetOf();
    let isOver = false;
    const first = budget.run({ bytes: 1 }, async (timeSlice) => {
      const comparison = openComparison(2_000, 16);
      while (!isOver) await timeSlice.spend(1_000);
      comparison.close();
    });
    await vi.waitFor(() => expect(memoryOf("score")).toBeGreaterThan(0));
    let isDone = false;
    const second = budget.run({ bytes: 64 * MIB - 1 }, () => void (isDone = true));
    for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(0);
    expect(isDone).toBe(false);
    isOver = true;
    await Promise.all([first, second]);
    expect(isDone).toBe(true);
  });

  it("is in the way of large originals until it is collected, once it was given up", () => {
    const budget = budgetOf();
    reserve(budget, 32 * MIB).release();
    const tight = new Budget(64 * MIB, { ...bounds, sharedBytes: 32 * MIB, originals });
    leave();
    trimNative(0);
    expect(() => reserve(tight, 32 * MIB)).toThrow("No room");
    reserve(tight, 16 * MIB).release();
  });
});
