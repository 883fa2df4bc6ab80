/** The memory that jobs share: who waits, who is refused. */
import { describe, expect, it } from "vitest";

import { Budget } from "../../src/image/budget.ts";

/** A job that shares the thread until it is told to end. */
function job(budget: Budget, bytes: number) {
  const state = { started: false, ended: false };
  const done = budget.run({ bytes }, async (breath) => {
    state.started = true;
    while (!state.ended) await breath.spend(A_STRETCH_MS);
  });
  return { state, end: () => void (state.ended = true), done };
}

const A_STRETCH_MS = 1_000;

/** Lets everybody go on who can. */
const turns = () => scheduler.wait(10);

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

  it("frees what a failed job held", async () => {
    const budget = new Budget(10, 0);
    await expect(budget.run({ bytes: 10 }, () => Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
    await expect(budget.run({ bytes: 10 }, () => "next")).resolves.toBe("next");
  });
});
