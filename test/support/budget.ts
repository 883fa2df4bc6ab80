/** Budgets of a few bytes, and room in them that is there at once. */
import type { InputShare } from "../../src/scheduler/budget-options.ts";
import type { Budget } from "../../src/scheduler/budget.ts";
import type { Reservation } from "../../src/scheduler/held-bytes.ts";

/** What originals may hold, taken as a whole: no step is smaller than an original, and none is tiny. */
export function sharesOf(bytes: number, small: number, smallBytes: number): InputShare {
  return { bytes, small, smallBytes, tiny: 0, tinyBytes: 0, stepBytes: 1e9 };
}

/** @throws Error when there is no room right now */
export function reserve(budget: Budget, bytes: number): Reservation {
  const reservation = budget.tryTake(bytes);
  if (!reservation) throw new Error("No room");
  return reservation;
}

/** Some memory is free again: those who wait come to see. */
export async function called(budget: Budget): Promise<void> {
  reserve(budget, 1).release();
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(1);
}

/** Work that goes on until it is told to end. */
export function lasting(budget: Budget, bytes: number) {
  const state = { begun: false, isOver: false };
  const done = budget.run({ bytes }, async (timeSlice) => {
    state.begun = true;
    while (!state.isOver) await timeSlice.spend(Infinity);
  });
  const end = async () => {
    state.isOver = true;
    await done;
  };
  return { state, end };
}
