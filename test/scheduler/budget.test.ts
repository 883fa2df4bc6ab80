/** The memory that jobs share: who waits, who is refused. */
import { describe, expect, it, vi } from "vitest";

import { Budget } from "../../src/scheduler/budget.ts";
import { Caller } from "../../src/scheduler/caller.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import type { TimeSlice } from "../../src/scheduler/time-slice.ts";
import { lasting, reserve, sharesOf } from "../support/budget.ts";

/** A job that shares the thread until it is told to end. */
function job(budget: Budget, bytes: number, { account, ms = 0 }: { account?: string; ms?: number } = {}) {
  const state = { started: false, ended: false };
  const work = async (timeSlice: TimeSlice) => {
    state.started = true;
    while (!state.ended) await timeSlice.spend(A_STRETCH_MS);
  };
  const done = budget.run({ bytes, ms }, work, new JobLimits({ account }));
  return { state, end: () => void (state.ended = true), done };
}

const A_STRETCH_MS = 1_000;

/** Lets everybody go on who can: in turns behind their timers, since a time would say nothing on a busy machine. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(1);
}

describe("Budget", () => {
  it("refuses with 422 what could never fit", async () => {
    await expect(new Budget(10).run({ bytes: 11 }, () => 1)).rejects.toMatchObject({ status: 422 });
  });

  it("serves in the order of arrival where there is not room for both", async () => {
    const budget = new Budget(10);
    const first = job(budget, 6);
    const large = job(budget, 8);
    const small = job(budget, 3);
    await turns();
    expect([first.state.started, large.state.started, small.state.started]).toEqual([true, false, false]);
    first.end();
    await first.done;
    await turns();
    expect([large.state.started, small.state.started]).toEqual([true, false]);
    large.end();
    small.end();
    await Promise.all([large.done, small.done]);
  });

  it("lets small work go before large work that came first where both have room, a bounded number of times", async () => {
    const budget = new Budget(10, { maxPassesBeside: 2 });
    const first = job(budget, 6);
    const large = job(budget, 8);
    const small = [1, 2, 3].map(() => job(budget, 1));
    await turns();
    expect([large, ...small].map(({ state }) => state.started)).toEqual([false, true, true, false]);
    for (const { end } of [first, ...small]) end();
    await turns();
    expect(large.state.started).toBe(true);
    large.end();
    await Promise.all([first, large, ...small].map(({ done }) => done));
  });

  it("keeps room for the first while others pass it", async () => {
    const budget = new Budget(10);
    const first = job(budget, 6);
    const large = job(budget, 8);
    const small = [1, 2].map(() => job(budget, 2));
    await turns();
    // A second one would be in its way once the first work has ended.
    expect(small.map(({ state }) => state.started)).toEqual([true, false]);
    for (const { end } of [first, large, ...small]) end();
    await Promise.all([first, large, ...small].map(({ done }) => done));
  });

  it("lets go of who gives up while waiting, and serves those behind it", async () => {
    const budget = new Budget(10);
    const running = job(budget, 6);
    const caller = new AbortController();
    const large = budget.run({ bytes: 8 }, () => "never", new JobLimits({ signal: caller.signal }));
    const small = job(budget, 4);
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
    const budgetOf = () => new Budget(10, { maxWaitMs: 1_000 });

    it("take turns in the queue: one that came later with little passes what another brought in bulk", async () => {
      const budget = budgetOf();
      const order: string[] = [];
      const start = (account: string) =>
        budget.run({ bytes: 10 }, () => void order.push(account), new JobLimits({ account }));
      const running = job(budget, 10, { account: "a" });
      const waiting = [start("a"), start("a"), start("b")];
      running.end();
      await Promise.all([running.done, ...waiting]);
      expect(order).toEqual(["a", "b", "a"]);
    });

    it("are refused at once, with the time that is declared before them, where that is longer than they may wait", async () => {
      const budget = budgetOf();
      const jobs = [1, 2].map(() => job(budget, 10, { account: "a", ms: 950 }));
      await expect(job(budget, 10, { account: "a", ms: 1 }).done).rejects.toMatchObject({
        status: 503,
        headers: { "Retry-After": "2" },
      });
      // Accounts take turns: another one comes behind one piece of each.
      const other = job(budget, 10, { account: "b", ms: 500 });
      await expect(job(budget, 10, { account: "b", ms: 1 }).done).rejects.toMatchObject({ status: 503 });
      for (const { end } of [...jobs, other]) end();
      await Promise.all([...jobs, other].map(({ done }) => done));
    });

    it("are counted less while their work goes on, and not at all once it is over", async () => {
      const budget = budgetOf();
      const running = job(budget, 1, { account: "a", ms: 3_000 });
      await vi.waitFor(() => expect(budget.queuedMs).toBeLessThanOrEqual(1_000));
      expect(await budget.run({ bytes: 1, ms: 600 }, () => "next", new JobLimits({ account: "a" }))).toBe("next");
      running.end();
      await running.done;
      expect(budget.queuedMs).toBe(0);
    });

    it("are not refused the rest of a job that has begun", async () => {
      const budget = budgetOf();
      const jobLimits = new JobLimits({ account: "a" });
      await budget.run({ bytes: 1, ms: 1 }, () => "first", jobLimits);
      const others = [1, 2, 3].map(() => job(budget, 10, { account: "a", ms: 500 }));
      const second = budget.run({ bytes: 10, ms: 500 }, () => "second", jobLimits);
      for (const { end } of others) end();
      expect(await second).toBe("second");
      await Promise.all(others.map(({ done }) => done));
    });

    it("have no more than half of what work may have while others wait for some of it", async () => {
      const budget = budgetOf();
      const running = [job(budget, 5, { account: "a" }), job(budget, 5, { account: "a" })];
      const waiting = [job(budget, 2, { account: "a" }), job(budget, 6, { account: "b" })];
      await turns();
      running[0]?.end();
      await running[0]?.done;
      await turns();
      // Room for the second piece of a is there, but it has half already, and b waits.
      expect(waiting.map(({ state }) => state.started)).toEqual([false, false]);
      for (const { end } of [...running, ...waiting]) end();
      await Promise.all([...running, ...waiting].map(({ done }) => done));
    });

    it("are let in by what their requests usually take", () => {
      const budget = budgetOf();
      const request = () => new Caller({ account: "a" });
      for (let count = 0; count < 5; count += 1) budget.expect(request());
      const [known] = [request()];
      budget.expect(known);
      budget.learn(known, 900);
      budget.expect(request());
      expect(() => budget.expect(request())).not.toThrow();
      expect(() => budget.expect(request())).toThrow("No capacity");
      budget.expect(new Caller({ account: "b" }));
    });
  });

  it("counts results that come after those before them are stored", () => {
    const budget = new Budget(10);
    const kept = budget.keep(0);
    void kept.grow(4);
    kept.shrink(0);
    expect(budget.held.originals).toBe(0);
    void kept.grow(6);
    expect(budget.held.originals).toBe(6);
    kept.release();
    expect(budget.held.originals).toBe(0);
  });

  it("frees what a failed job held", async () => {
    const budget = new Budget(10);
    await expect(budget.run({ bytes: 10 }, () => Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
    await expect(budget.run({ bytes: 10 }, () => "next")).resolves.toBe("next");
  });

  describe("originals", () => {
    const shares = sharesOf(6, 1, 2);
    const budgetOf = (aloneBytes = 10) =>
      new Budget(10, { originals: shares, aloneBytes, maxBlockedMs: 500, maxWaitMs: 2_000 });

    it("beyond their share wait, holding nothing, until there is room", async () => {
      const budget = budgetOf();
      const first = reserve(budget, 4);
      const waiting = budget.take(3);
      await turns();
      expect([budget.held.originals, budget.waitingAtDoor]).toEqual([4, 1]);
      first.release();
      (await waiting).release();
      expect(budget.held.originals).toBe(0);
    });

    it("hold less where there are several than one may, and one that is left goes on to that", async () => {
      const several = { ...sharesOf(8, 0, 0), severalBytes: 6, stepBytes: 2 };
      const budget = new Budget(10, { originals: several, maxWaitMs: 2_000 });
      const [first, second] = [await budget.take(5), await budget.take(3)];
      const growing = first.grow(5);
      await turns();
      expect([budget.held.originals, budget.waitingAtDoor]).toEqual([4, 1]);
      await second.grow(3);
      second.release();
      await growing;
      expect(budget.held.originals).toBe(5);
      first.release();
      const one = await budget.take(8);
      await one.grow(8);
      expect(budget.held.originals).toBe(8);
      one.release();
    });

    it("wait while work waits beside which there would be no room for them", async () => {
      const budget = new Budget(10, { originals: sharesOf(6, 1, 1), maxWaitMs: 2_000 });
      const original = reserve(budget, 1);
      const large = reserve(budget, 2);
      const running = lasting(budget, 3);
      const waiting = budget.run({ bytes: 8 }, () => undefined);
      await turns();
      expect(() => reserve(budget, 2)).toThrow("No room");
      original.release();
      large.release();
      await Promise.all([running.end(), waiting]);
      reserve(budget, 2).release();
    });

    it("are 503 with Retry-After once they have waited as long as they may", async () => {
      const budget = budgetOf();
      reserve(budget, 4);
      const caller = new Caller({ account: "a", maxWaitMs: 50 });
      await expect(budget.take(3, { caller })).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "2" } });
      expect(caller.waitedMs).toBeGreaterThanOrEqual(50);
    });

    it("go when their caller leaves", async () => {
      const budget = budgetOf();
      reserve(budget, 4);
      const leaving = new AbortController();
      const waiting = budget.take(3, { caller: new Caller({ account: "a", signal: leaving.signal }) });
      await turns();
      leaving.abort(new Error("gone"));
      await expect(waiting).rejects.toThrow("gone");
      expect(budget.waitingAtDoor).toBe(0);
    });

    it("that are small have room beside large ones", () => {
      const budget = budgetOf();
      reserve(budget, 6);
      reserve(budget, 1);
      reserve(budget, 1);
      expect(() => reserve(budget, 1)).toThrow("No room");
    });

    it("that are large find no room beside work that needs it", async () => {
      const budget = budgetOf();
      const running = job(budget, 8);
      await turns();
      expect(() => reserve(budget, 3)).toThrow("No room");
      const small = reserve(budget, 1);
      running.end();
      await running.done;
      small.release();
      reserve(budget, 3);
    });

    it("find none at all beside work that has everything, however small they are", async () => {
      const budget = budgetOf();
      const running = job(budget, 10);
      await turns();
      expect(() => reserve(budget, 1)).toThrow("No room");
      running.end();
      await running.done;
      reserve(budget, 1);
    });

    it("take room from work that would run beside other work, until they shrink or go", async () => {
      const budget = budgetOf();
      const original = reserve(budget, 5);
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
      const originals = [reserve(budget, 3), reserve(budget, 3)];
      const jobs = originals.map(({ release }) => budget.run({ bytes: 10 }, () => "done").finally(release));
      expect(await Promise.all(jobs)).toEqual(["done", "done"]);
      expect(budget.held).toEqual({ work: 0, originals: 0 });
    });

    it("never make the sum larger than what there is: what fits goes first", async () => {
      const budget = budgetOf(12);
      const originals = [reserve(budget, 2), reserve(budget, 4)];
      const order: string[] = [];
      const large = budget.run({ bytes: 10 }, () => void order.push("large")).finally(originals[0]?.release);
      const small = budget.run({ bytes: 4 }, () => void order.push("small")).finally(originals[1]?.release);
      await Promise.all([large, small]);
      expect(order).toEqual(["small", "large"]);
    });

    it("that stand in each other's way are refused with 503, the last one first", async () => {
      const budget = budgetOf(12);
      const originals = [reserve(budget, 2), reserve(budget, 4)];
      const done: string[] = [];
      const [first, last] = originals.map(({ release }) =>
        budget.run({ bytes: 10 }, () => void done.push("done")).finally(release),
      );
      await expect(last).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "2" } });
      await first;
      expect(done).toEqual(["done"]);
      expect(budget.held).toEqual({ work: 0, originals: 0 });
    });

    it("that are still read are waited for, as long as a request may wait", async () => {
      const budget = budgetOf(12);
      const [own, other] = [reserve(budget, 2), reserve(budget, 4)];
      const waiting = budget.run({ bytes: 10 }, () => "done").finally(own.release);
      await scheduler.wait(800);
      other.release();
      expect(await waiting).toBe("done");
    });

    it("that are large wait while work waits for others to go", async () => {
      const budget = budgetOf(12);
      const original = reserve(budget, 4);
      const waiting = budget.run({ bytes: 10 }, () => "done");
      expect(() => reserve(budget, 2)).toThrow("No room");
      original.release();
      expect(await waiting).toBe("done");
      reserve(budget, 2);
    });

    it("hold what they held until there is room to grow", async () => {
      const budget = budgetOf();
      const one = reserve(budget, 1);
      const other = reserve(budget, 4);
      const growing = one.grow(3);
      await turns();
      expect(budget.held.originals).toBe(5);
      other.release();
      await growing;
      expect(budget.held.originals).toBe(3);
      one.release();
      expect(budget.held.originals).toBe(0);
    });

    it("are given back once, however often they are released", () => {
      const budget = budgetOf();
      const [one] = [reserve(budget, 2), reserve(budget, 2)];
      one.shrink(5);
      one.release();
      one.release();
      expect(budget.held.originals).toBe(2);
    });
  });
});
