/** What one job may take: known before it begins, and held while it goes on. */
import { describe, expect, it } from "vitest";

import { deadlineOf } from "../../src/image/search/overrun.ts";
import { OVERRUN_FACTOR, OVERRUN_GRACE_MS, OVERRUN_OF_BOUND } from "../../src/limits/isolate.ts";
import { Budget } from "../../src/scheduler/budget.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import { type TimeSlice, UNPAUSED } from "../../src/scheduler/time-slice.ts";

const budget = new Budget(10);
/** Declares more than a stretch at a time until it has declared so much. */
const spending = (ms: number) => async (timeSlice: TimeSlice) => {
  for (let spent = 0; spent < ms; spent += 50) await timeSlice.spend(50);
  return "done";
};

const LATE = { status: 422, message: expect.stringContaining("fewer pixels") as string };

describe("the limits of a job", () => {
  it("refuses work beyond it before any of it is done", async () => {
    const jobLimits = new JobLimits({ maxMs: 1_000 });
    let began = false;
    const work = () => void (began = true);
    await expect(budget.run({ bytes: 1, ms: 1_001 }, work, jobLimits)).rejects.toMatchObject(LATE);
    expect([began, jobLimits.takenMs]).toEqual([false, 0]);
    await expect(budget.run({ bytes: 1, ms: 1_000 }, () => "done", jobLimits)).resolves.toBe("done");
  });

  it("is shared by all work of a job, by what each of it declared in truth", async () => {
    const jobLimits = new JobLimits({ maxMs: 1_000 });
    await budget.run({ bytes: 1, ms: 900 }, spending(300), jobLimits);
    expect(jobLimits.takenMs).toBe(300);
    expect([jobLimits.affords({ ms: 700 }), jobLimits.affords({ ms: 701 })]).toEqual([true, false]);
  });

  it("does not end work whose estimate was too low, and counts what it took", async () => {
    const jobLimits = new JobLimits({ maxMs: 100_000 });
    await expect(budget.run({ bytes: 1, ms: 10 }, spending(20_000), jobLimits)).resolves.toBe("done");
    expect(jobLimits.takenMs).toBe(20_000);
    expect(jobLimits.leftMs).toBe(80_000);
    expect(budget.held.work).toBe(0);
  });

  it("ends a search that takes far more than its estimate, or all that is left to its job, between two tries", async () => {
    const most = 100 * OVERRUN_FACTOR + OVERRUN_GRACE_MS;
    const deadline = deadlineOf(UNPAUSED, { ms: 100 }, new JobLimits({ maxMs: 100_000 }));
    await deadline.timeSlice.spend(most);
    expect(deadline.isOver()).toBe(false);
    await deadline.timeSlice.spend(1);
    expect(deadline.isOver()).toBe(true);
    const hurried = deadlineOf(UNPAUSED, { ms: 100 }, new JobLimits({ maxMs: 50 }).partOf(UNPAUSED));
    await hurried.timeSlice.spend(51);
    expect(hurried.isOver()).toBe(true);
  });

  it("lets what follows a search that took too long have what the job may take at all", () => {
    const jobLimits = new JobLimits({ maxMs: 500 });
    expect(jobLimits.affords({ ms: 501 })).toBe(false);
    jobLimits.goOn();
    expect(jobLimits.affords({ ms: 500 * OVERRUN_OF_BOUND })).toBe(true);
    expect(jobLimits.affords({ ms: 500 * OVERRUN_OF_BOUND + 1 })).toBe(false);
  });

  it("ends a job that takes far more than it may, whatever the estimates of its work were", async () => {
    const jobLimits = new JobLimits({ maxMs: 500 });
    await budget.run({ bytes: 1, ms: 300 }, spending(450), jobLimits);
    const more = spending(500 * OVERRUN_OF_BOUND);
    await expect(budget.run({ bytes: 1, ms: 50 }, more, jobLimits)).rejects.toMatchObject(LATE);
    expect(jobLimits.takenMs).toBe(500 * OVERRUN_OF_BOUND + 50);
  });

  it("ends work that nobody waits for", async () => {
    const caller = new AbortController();
    const work = async (timeSlice: TimeSlice) => {
      caller.abort(new Error("gone"));
      await timeSlice.spend(1_000);
    };
    const jobLimits = new JobLimits({ signal: caller.signal });
    await expect(budget.run({ bytes: 1 }, work, jobLimits)).rejects.toThrow("gone");
    expect(jobLimits.takenMs).toBe(1_000);
  });
});
