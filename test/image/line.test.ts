/** Those who wait, and those who hold memory: the living are told from those whose invocation was ended. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Holders } from "../../src/image/holders.ts";
import { Line } from "../../src/image/line.ts";

let clock = 0;
const now = () => clock;

/** Lets so much time pass for everybody whose timers run. */
async function pass(milliseconds: number): Promise<void> {
  clock += milliseconds;
  await vi.advanceTimersByTimeAsync(milliseconds);
}

/** Does something whose invocation is ended afterward: its timers never fire. */
function ended<Result>(work: () => Result): Result {
  const timers = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "setInterval")];
  for (const timer of timers) timer.mockReturnValue(0 as never);
  try {
    return work();
  } finally {
    for (const timer of timers) timer.mockRestore();
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a line", () => {
  it("serves in the order of arrival, each when it is called", async () => {
    const line = new Line({ now, onEvent: () => undefined });
    let isFree = false;
    const served: string[] = [];
    const claim = ({ first }: { first: boolean }) => first && isFree && !(isFree = false);
    for (const name of ["a", "b", "c"]) void line.wait(claim).then(() => served.push(name));
    expect(line.length).toBe(3);
    for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
      isFree = true;
      line.call();
      await pass(0);
      expect(served).toEqual(expected);
    }
    expect(line.length).toBe(0);
  });

  it("goes on past somebody who does not come any more", async () => {
    const line = new Line({ now, onEvent: () => undefined });
    void ended(() => line.wait(() => false));
    let isServed = false;
    void line.wait(({ first }) => first).then(() => (isServed = true));
    await pass(2_000);
    expect(isServed).toBe(false);
    for (let second = 0; second < 5; second++) await pass(1_000);
    expect(isServed).toBe(true);
    expect(line.length).toBe(0);
  });

  it("keeps the place of somebody who was only late", async () => {
    const line = new Line({ now, onEvent: () => undefined });
    const served: string[] = [];
    let isFree = false;
    const claim = ({ first }: { first: boolean }) => first && isFree;
    void line.wait(claim).then(() => served.push("first"));
    void line.wait(claim).then(() => served.push("second"));
    clock += 60_000;
    expect(line.length).toBe(0);
    await pass(1_000);
    expect(line.length).toBe(2);
    isFree = true;
    await pass(1_000);
    expect(served).toEqual(["first", "second"]);
  });
});

describe("holders", () => {
  it("are counted while they live, and those that were ended no more after half a minute", async () => {
    const holders = new Holders(now, () => undefined);
    const living = holders.join(5);
    ended(() => holders.join(7));
    await pass(20_000);
    expect(holders.bytes).toBe(12);
    for (let second = 0; second < 15; second++) await pass(1_000);
    expect(holders.bytes).toBe(5);
    living.leave();
    await pass(2_000);
    expect(holders.bytes).toBe(0);
  });

  it("that were forgotten are counted again when they are heard of", async () => {
    const holders = new Holders(now, () => undefined);
    const living = holders.join(5);
    holders.renew();
    expect(holders.bytes).toBe(0);
    await pass(1_000);
    expect(holders.bytes).toBe(5);
    living.leave();
    living.beat();
    expect(holders.bytes).toBe(0);
  });
});
