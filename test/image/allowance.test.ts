/** What one job may take: known before it begins, and held while it goes on. */
import { describe, expect, it } from "vitest";

import { Allowance } from "../../src/image/allowance.ts";
import type { Breath } from "../../src/image/breath.ts";
import { Budget } from "../../src/image/budget.ts";
import { OVERRUN_FACTOR, OVERRUN_GRACE_MS, OVERRUN_OF_BOUND } from "../../src/limits.ts";

const budget = new Budget(10, 8);
/** Declares more than a stretch at a time until it has declared so much. */
const spending = (ms: number) => async (breath: Breath) => {
  for (let spent = 0; spent < ms; spent += 50) await breath.spend(50);
  return "done";
};

const LATE = { status: 422, message: expect.stringContaining("fewer pixels") as string };

describe("an allowance", () => {
  it("refuses work beyond it before any of it is done", async () => {
    const allowance = new Allowance({ maxMs: 1_000 });
    let began = false;
    const work = () => void (began = true);
    await expect(budget.run({ bytes: 1, ms: 1_001 }, work, allowance)).rejects.toMatchObject(LATE);
    expect([began, allowance.takenMs]).toEqual([false, 0]);
    await expect(budget.run({ bytes: 1, ms: 1_000 }, () => "done", allowance)).resolves.toBe("done");
  });

  it("is shared by all work of a job, by what each of it declared in truth", async () => {
    const allowance = new Allowance({ maxMs: 1_000 });
    await budget.run({ bytes: 1, ms: 900 }, spending(300), allowance);
    expect(allowance.takenMs).toBe(300);
    expect([allowance.affords({ ms: 700 }), allowance.affords({ ms: 701 })]).toEqual([true, false]);
  });

  it("ends work that takes far more than its price, and counts what it took", async () => {
    const most = 100 * OVERRUN_FACTOR + OVERRUN_GRACE_MS;
    const allowance = new Allowance({ maxMs: 100_000 });
    await expect(budget.run({ bytes: 1, ms: 100 }, spending(most), allowance)).resolves.toBe("done");
    await expect(budget.run({ bytes: 1, ms: 100 }, spending(most + 200), allowance)).rejects.toMatchObject(LATE);
    expect(allowance.takenMs).toBe(2 * most + 50);
    expect(budget.held.work).toBe(0);
  });

  it("ends a job that takes far more than it may, whatever the prices of its work were", async () => {
    const allowance = new Allowance({ maxMs: 500 });
    await budget.run({ bytes: 1, ms: 300 }, spending(450), allowance);
    const more = spending(500 * OVERRUN_OF_BOUND);
    await expect(budget.run({ bytes: 1, ms: 50 }, more, allowance)).rejects.toMatchObject(LATE);
    expect(allowance.takenMs).toBe(500 * OVERRUN_OF_BOUND + 50);
  });

  it("ends work that nobody waits for", async () => {
    const caller = new AbortController();
    const work = async (breath: Breath) => {
      caller.abort(new Error("gone"));
      await breath.spend(1_000);
    };
    const allowance = new Allowance({ signal: caller.signal });
    await expect(budget.run({ bytes: 1 }, work, allowance)).rejects.toThrow("gone");
    expect(allowance.takenMs).toBe(1_000);
  });
});
