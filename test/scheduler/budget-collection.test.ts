/** What work waits for that was given up and is not collected yet, and what an isolate may hold with all that is declared. */
import { describe, expect, it } from "vitest";

import {
  FILLED_BYTES,
  ISOLATE_BYTES,
  MAX_COLLECTION_MS,
  SHARED_BYTES,
  SMALL_ORIGINALS_BYTES,
} from "../../src/limits/isolate.ts";
import { Budget } from "../../src/scheduler/budget.ts";
import { called, lasting, reserve, sharesOf } from "../support/budget.ts";

const shares = sharesOf(6, 1, 2);

/** A budget beside memory that was given up, and what goes on there. */
function isolate(dropped: number) {
  const state = { dropped, now: 0 };
  const options = { originals: shares, aloneBytes: 12, droppedBytes: () => state.dropped, now: () => state.now };
  return { state, budget: new Budget(10, options) };
}

/** Work that ends as soon as it has begun. */
function work(budget: Budget, bytes: number) {
  const state = { begun: false };
  return { state, done: budget.run({ bytes }, () => void (state.begun = true)) };
}

describe("work that is alone, beside memory that was given up", () => {
  it("begins at once where there is room for both", async () => {
    const { budget } = isolate(5);
    const small = work(budget, 7);
    await Promise.resolve();
    expect(small.state.begun).toBe(true);
    await small.done;
  });

  it("waits where there is not, until it is collected", async () => {
    const { budget, state } = isolate(5);
    const large = work(budget, 8);
    await called(budget);
    expect(large.state.begun).toBe(false);
    state.dropped = 4;
    await called(budget);
    expect(large.state.begun).toBe(true);
    await large.done;
  });

  it("counts originals with it", async () => {
    const { budget, state } = isolate(5);
    const original = reserve(budget, 1);
    const large = work(budget, 7);
    await called(budget);
    expect(large.state.begun).toBe(false);
    state.dropped = 0;
    await called(budget);
    await large.done;
    original.release();
  });

  it("waits no longer than the engine mostly takes, each time anew", async () => {
    const { budget, state } = isolate(5);
    for (let round = 0; round < 2; round += 1) {
      const since = state.now;
      const large = work(budget, 10);
      state.now = since + MAX_COLLECTION_MS - 1;
      await called(budget);
      expect(large.state.begun).toBe(false);
      state.now = since + MAX_COLLECTION_MS;
      await called(budget);
      expect(large.state.begun).toBe(true);
      await large.done;
    }
  });

  it("does not begin for having waited where originals are in its way", async () => {
    const { budget, state } = isolate(5);
    const original = reserve(budget, 3);
    const large = work(budget, 10);
    await called(budget);
    state.now = MAX_COLLECTION_MS;
    await called(budget);
    expect(large.state.begun).toBe(false);
    state.dropped = 0;
    original.release();
    await large.done;
  });
});

/** An isolate whose engine collects when it is made to, and how often it was. */
function collecting(dropped: number) {
  const state = { dropped, now: 0, collections: 0 };
  const collect = () => {
    state.collections++;
    state.dropped = 0;
  };
  const options = { originals: shares, aloneBytes: 12, sharedBytes: 9, droppedBytes: () => state.dropped, collect };
  return { state, budget: new Budget(10, { ...options, now: () => state.now }) };
}

describe("an engine that can be made to collect", () => {
  it("does so at once for work that is alone, and only where what was given up is in the way", async () => {
    const { budget, state } = collecting(4);
    await work(budget, 7).done;
    expect(state.collections).toBe(0);
    const large = work(budget, 9);
    await Promise.resolve();
    expect(large.state.begun).toBe(true);
    expect(state.collections).toBe(1);
    await large.done;
  });

  it("does so for an original that would come in", () => {
    const { budget, state } = collecting(6);
    reserve(budget, 5).release();
    expect(state.collections).toBe(1);
  });

  it("does so once a second beside work", async () => {
    const { budget, state } = collecting(0);
    const running = lasting(budget, 3);
    for (let round = 1; round <= 3; round += 1) {
      state.dropped = 4;
      const first = work(budget, 4);
      await called(budget);
      expect(first.state.begun).toBe(true);
      await first.done;
      state.dropped = 4;
      const second = work(budget, 4);
      await called(budget);
      expect(second.state.begun).toBe(false);
      expect(state.collections).toBe(round * 2 - 1);
      state.now += 1_000;
      await called(budget);
      expect(second.state.begun).toBe(true);
      await second.done;
      state.now += 1_000;
    }
    await running.end();
  });

  it("does so in the pauses of work that nobody waits beside, before it is too much with originals", async () => {
    const { budget, state } = collecting(0);
    const original = reserve(budget, 4);
    const running = lasting(budget, 3);
    state.now += 1_000;
    state.dropped = 4;
    await called(budget);
    expect(state.collections).toBe(0);
    state.dropped = 6;
    await called(budget);
    expect(state.collections).toBe(1);
    await running.end();
    original.release();
  });

  it("is waited for as before where it collects nothing", async () => {
    const { budget, state } = isolate(5);
    const large = work(budget, 10);
    await called(budget);
    expect(large.state.begun).toBe(false);
    state.now = MAX_COLLECTION_MS;
    await called(budget);
    expect(large.state.begun).toBe(true);
    await large.done;
  });
});

/** What the platform gives for everything, what is wanted of it, and what the bundle and its heap take in a crowd. */
const PLATFORM_BYTES = 128e6;
const WANTED_BYTES = 110e6;
const HEAP_BYTES = 18e6;
/** The heap of a crowd that takes the engine all its time: what is free in it is not given back meanwhile. */
const BUSY_HEAP_BYTES = 28e6;

describe("what an isolate holds with all that is declared", () => {
  it("is less than the platform gives, whatever is alone", () => {
    expect(ISOLATE_BYTES + HEAP_BYTES).toBeLessThan(PLATFORM_BYTES);
  });

  it("is what is wanted wherever several share it", () => {
    const shared = SHARED_BYTES + SMALL_ORIGINALS_BYTES;
    expect(Math.round((shared + BUSY_HEAP_BYTES) / 1e6)).toBeLessThanOrEqual(WANTED_BYTES / 1e6);
    expect(FILLED_BYTES).toBeLessThanOrEqual(SHARED_BYTES);
  });
});
