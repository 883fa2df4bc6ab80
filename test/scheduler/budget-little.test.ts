/** Work that is little, beside work that is large and takes long: a file of some kilobytes beside an animation. */
import { describe, expect, it } from "vitest";

import { Budget } from "../../src/scheduler/budget.ts";
import { called, lasting, reserve, sharesOf } from "../support/budget.ts";

/** Several may share 80 bytes and 8 of small originals; one alone may have 100, and 104 with all originals. */
function isolate() {
  const state = { now: 0 };
  const options = {
    maxPassesBeside: 2,
    maxPassesOfLittle: 4,
    aloneBytes: 104,
    sharedBytes: 80,
    littleWorkBytes: 20,
    smallWorkBytes: 1,
    now: () => state.now,
  };
  const budget = new Budget(100, { ...options, originals: sharesOf(24, 4, 8), droppedBytes: () => 0 });
  return { state, budget };
}

describe("little work beside large work", () => {
  it("goes before work more often that waits for what goes on in any case, and not for ever", async () => {
    const { budget, state } = isolate();
    const animation = lasting(budget, 60);
    const photograph = lasting(budget, 60);
    const begun: boolean[] = [];
    for (let index = 0; index < 5; index++) {
      const thumbnail = lasting(budget, 10);
      await called(budget);
      state.now += 500;
      await called(budget);
      begun.push(thumbnail.state.begun);
      if (thumbnail.state.begun) await thumbnail.end();
      else await Promise.all([animation.end(), photograph.end(), thumbnail.end()]);
    }
    expect(begun).toEqual([true, true, true, true, false]);
  });

  it("goes before work no more often that waits for such work alone", async () => {
    const { budget } = isolate();
    const thumbnails = [lasting(budget, 20)];
    const photograph = lasting(budget, 75);
    await called(budget);
    expect(photograph.state.begun).toBe(false);
    for (let index = 0; index < 2; index++) {
      const next = lasting(budget, 10);
      await called(budget);
      expect(next.state.begun).toBe(true);
      await thumbnails.shift()?.end();
      thumbnails.push(next);
    }
    const late = lasting(budget, 10);
    await called(budget);
    expect(late.state.begun).toBe(false);
    await Promise.all([...thumbnails, photograph, late].map((work) => work.end()));
  });

  it("has what small originals leave of their part, at once", async () => {
    const { budget } = isolate();
    const animation = lasting(budget, 72);
    const thumbnail = lasting(budget, 16);
    await called(budget);
    expect(thumbnail.state.begun).toBe(true);
    await thumbnail.end();
    const original = reserve(budget, 4);
    const next = lasting(budget, 16);
    await called(budget);
    expect(next.state.begun).toBe(false);
    original.release();
    await called(budget);
    expect(next.state.begun).toBe(true);
    await next.end();
    await animation.end();
  });

  it("waits for half a second, and then only where everything is more than there is", async () => {
    const { budget, state } = isolate();
    const animation = lasting(budget, 83);
    const thumbnail = lasting(budget, 20);
    await called(budget);
    state.now = 499;
    await called(budget);
    expect(thumbnail.state.begun).toBe(false);
    state.now = 500;
    await called(budget);
    expect(thumbnail.state.begun).toBe(true);
    const another = lasting(budget, 4);
    state.now = 1_500;
    await called(budget);
    expect(another.state.begun).toBe(false);
    await thumbnail.end();
    await called(budget);
    expect(another.state.begun).toBe(true);
    await another.end();
    await animation.end();
  });

  it("goes before work that waits for more than there is beside it, and nothing larger does", async () => {
    const { budget, state } = isolate();
    const animation = lasting(budget, 60);
    const photograph = lasting(budget, 60);
    const thumbnail = lasting(budget, 20);
    const drawing = lasting(budget, 21);
    state.now = 1_000;
    await called(budget);
    expect([photograph, thumbnail, drawing].map(({ state: { begun } }) => begun)).toEqual([false, true, false]);
    await animation.end();
    await thumbnail.end();
    await called(budget);
    expect(photograph.state.begun).toBe(true);
    await photograph.end();
    await drawing.end();
  });
});
