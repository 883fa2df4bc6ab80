/** An isolate in which work was ended in its midst takes a fifth less for a while. */
import { expect, it } from "vitest";

import { CAREFUL_MS } from "../../src/limits/isolate.ts";
import { Budget } from "../../src/scheduler/budget.ts";
import { Thread } from "../../src/scheduler/time-slice.ts";
import { lasting } from "../support/budget.ts";

/** Lets everybody go on who can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(1);
}

/** A budget of which several pieces of work share ten bytes and one alone has twenty, on a clock that tests set. */
function isolate() {
  const clock = { now: 0 };
  const thread = new Thread(
    () => clock.now,
    () => scheduler.wait(0),
  );
  const budget = new Budget(20, { sharedBytes: 10, aloneBytes: 20, thread, now: () => clock.now });
  /** An invocation is ended while it computes, and the next event finds the thread taken. */
  const end = async () => {
    void budget.run({ bytes: 1 }, () => new Promise<never>(() => undefined));
    await turns();
    thread.look();
    // What it held is forgotten once nobody has heard of it for long.
    clock.now += 60_000;
    await turns();
  };
  /** Whether two pieces of work of five bytes are at work beside each other. */
  const fitsTwo = async () => {
    const [first, second] = [lasting(budget, 5), lasting(budget, 5)];
    await turns();
    const fits = second.state.begun;
    await first.end();
    await second.end();
    return fits;
  };
  return { budget, clock, end, fitsTwo };
}

it("work that had room beside other work waits for it after an end, for an hour", async () => {
  const { clock, end, fitsTwo } = isolate();
  expect(await fitsTwo()).toBe(true);
  await end();
  expect(await fitsTwo()).toBe(false);
  clock.now += CAREFUL_MS;
  expect(await fitsTwo()).toBe(true);
});

it("each end begins the hour anew", async () => {
  const { clock, end, fitsTwo } = isolate();
  await end();
  clock.now += CAREFUL_MS / 2;
  await end();
  clock.now += CAREFUL_MS / 2;
  expect(await fitsTwo()).toBe(false);
});

it("work that needs more than that is done still, alone", async () => {
  const { budget, end } = isolate();
  await end();
  expect(await budget.run({ bytes: 20 }, () => "done")).toBe("done");
});
