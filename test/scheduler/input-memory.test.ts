/** Originals that take their room step by step, as their bytes arrive. */
import { expect, it } from "vitest";

import { told } from "../../src/metrics.ts";
import { Budget } from "../../src/scheduler/budget.ts";
import { Caller } from "../../src/scheduler/caller.ts";
import { reserve, sharesOf } from "../support/budget.ts";

const STEP = 4;
const budgetOf = (bytes: number) =>
  new Budget(40, { originals: { ...sharesOf(bytes, 0, 0), stepBytes: STEP }, maxWaitMs: 2_000 });

/** Lets everybody go on who can: in turns behind their timers, since a time would say nothing on a busy machine. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(1);
}

it("come to their end before others begin that have waited longer", async () => {
  const budget = budgetOf(3 * STEP);
  const begun = await budget.take(2 * STEP);
  const [first, second] = [reserve(budget, STEP), reserve(budget, STEP)];
  const order: string[] = [];
  const newcomer = budget.take(STEP).then((reservation) => {
    order.push("newcomer");
    return reservation;
  });
  await turns();
  const growing = Promise.resolve(begun.grow(2 * STEP)).then(() => order.push("begun"));
  await turns();
  expect(budget.waitingAtDoor).toBe(2);
  first.release();
  await growing;
  await turns();
  expect(order).toEqual(["begun"]);
  second.release();
  for (const { release } of [begun, await newcomer]) release();
  expect(budget.held.originals).toBe(0);
});

it("are counted where they waited for their next step, and were refused it", async () => {
  const refused = () =>
    Number(/budget_waits_total\{[^}]*for="originals",outcome="refused"[^}]*\} (\d+)/.exec(told([], {}))?.[1] ?? 0);
  const before = refused();
  const budget = budgetOf(2 * STEP);
  const begun = await budget.take(2 * STEP, { caller: new Caller({ account: "a", maxWaitMs: 50 }) });
  const other = reserve(budget, STEP);
  await expect(begun.grow(2 * STEP)).rejects.toMatchObject({ status: 503 });
  expect(refused()).toBe(before + 1);
  for (const { release } of [begun, other]) release();
});
