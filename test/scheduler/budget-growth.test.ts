/** Work that comes to hold more than it declared: it is charged for that as it grows, and stands back where it is too much. */
import { expect, it } from "vitest";

import { FORMATS } from "../../src/image/formats.ts";
import { encodeSettings } from "../../src/image/search/presets.ts";
import { Budget } from "../../src/scheduler/budget.ts";
import { JobLimits } from "../../src/scheduler/job-limits.ts";
import { type TimeSlice, UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeStatistics, trimNative } from "../../wasm/load.ts";
import { pictureOf, scene } from "../support/rows.ts";

const A_STRETCH_MS = 1_000;

/** A budget in which memory grows when a test says so. */
function growing(bytes: number) {
  let grown = 0;
  const grownBytes = () => {
    const now = grown;
    grown = 0;
    return now;
  };
  const budget = new Budget(bytes, { grownBytes });
  /** A job that grows by so many bytes in its next stretch, and goes on until it is told to end. */
  const job = (declared: number, { signal }: { signal?: AbortSignal } = {}) => {
    const state = { stretches: 0, ended: false, grows: 0, growsAtEnd: 0 };
    const work = async (timeSlice: TimeSlice) => {
      while (!state.ended) {
        state.stretches++;
        grown += state.grows;
        state.grows = 0;
        await timeSlice.spend(A_STRETCH_MS);
      }
      grown += state.growsAtEnd;
    };
    const done = budget.run({ bytes: declared }, work, new JobLimits({ ...(signal && { signal }) }));
    return { state, end: () => void (state.ended = true), done };
  };
  return { budget, job };
}

/** Lets everybody go on who can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(0);
}

it("is charged for what it has grown by, so that others wait for it", async () => {
  const { budget, job } = growing(10);
  const first = job(2);
  await turns();
  expect(budget.held.work).toBe(2);
  first.state.grows = 7;
  await turns();
  expect(budget.held.work).toBe(7);
  const second = job(4);
  await turns();
  expect(second.state.stretches).toBe(0);
  first.end();
  await first.done;
  await turns();
  expect(second.state.stretches).toBeGreaterThan(0);
  second.end();
  await second.done;
  expect(budget.held.work).toBe(0);
});

it("is not charged for what it declared, nor for what others grew by", async () => {
  const { budget, job } = growing(10);
  const first = job(6);
  const second = job(2);
  await turns();
  first.state.grows = 5;
  await turns();
  expect(budget.held.work).toBe(8);
  for (const { end, done } of [first, second]) {
    end();
    await done;
  }
});

it("is not charged for what others grew by in their last stretch", async () => {
  const { budget, job } = growing(10);
  const first = job(6);
  const second = job(2);
  await turns();
  first.state.growsAtEnd = 5;
  first.end();
  await first.done;
  await turns();
  expect(budget.held.work).toBe(2);
  second.end();
  await second.done;
});

it("stands back while all together hold more than there is, and goes on once what began first has ended", async () => {
  const { budget, job } = growing(10);
  const first = job(4);
  const second = job(4);
  await turns();
  first.state.grows = 6;
  second.state.grows = 6;
  await turns();
  expect(budget.held.work).toBe(12);
  const before = [first.state.stretches, second.state.stretches];
  await turns();
  expect(first.state.stretches).toBeGreaterThan(before[0] ?? 0);
  expect(second.state.stretches).toBe(before[1]);
  first.end();
  await first.done;
  await expect.poll(() => second.state.stretches).toBeGreaterThan(before[1] ?? 0);
  second.end();
  await second.done;
  expect(budget.held.work).toBe(0);
});

it("ends at once where it stands back and nobody waits for it any more", async () => {
  const { budget, job } = growing(10);
  const caller = new AbortController();
  const first = job(4);
  const second = job(4, { signal: caller.signal });
  await turns();
  first.state.grows = 6;
  second.state.grows = 6;
  await turns();
  caller.abort(new Error("gone"));
  await expect(second.done).rejects.toThrow("gone");
  expect(budget.held.work).toBe(6);
  first.end();
  await first.done;
});

it("leaves idle memory no more than what is not declared", async () => {
  trimNative(0);
  const budget = new Budget(64 << 20);
  const settings = encodeSettings({ kind: "lossless" }, FORMATS.webp, false);
  await FORMATS.webp.write.encode(pictureOf([scene(1_200, 900)]), settings, UNPAUSED);
  const idle = () => nativeStatistics().reduce((sum, { idleBytes }) => sum + idleBytes, 0);
  const before = idle();
  expect(before).toBeGreaterThan(4 << 20);
  expect(await budget.run({ bytes: 32 << 20 }, idle)).toBe(before);
  expect(await budget.run({ bytes: 62 << 20 }, idle)).toBeLessThanOrEqual(2 << 20);
});

it("is charged for what native modules really take", async () => {
  trimNative(0);
  const budget = new Budget(100 << 20);
  const picture = pictureOf([scene(1_200, 900)]);
  let most = 0;
  const settings = encodeSettings({ kind: "lossless" }, FORMATS.webp, false);
  await budget.run({ bytes: 1 }, async (timeSlice) => {
    const looked: TimeSlice = {
      spend: (ms) => {
        const rest = timeSlice.spend(ms);
        most = Math.max(most, budget.held.work);
        return rest;
      },
      worked: () => timeSlice.worked(),
    };
    await FORMATS.webp.write.encode(picture, settings, looked);
  });
  expect(most).toBeGreaterThan(4 << 20);
  expect(budget.held.work).toBe(0);
});
