/**
 * Work that the platform ends in its midst leaves the isolate in order: who comes next is served, and all memory is
 * free.
 */
import { afterEach, describe, expect, it } from "vitest";

import { ISOLATE_BUDGET_BYTES } from "../../src/limits/isolate.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { isolateThread } from "../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes, trimNative } from "../../wasm/load.ts";
import avif from "../fixtures/avif/limited-709.avif";
import bmp from "../fixtures/bmp/pal8.bmp";
import gif from "../fixtures/gif/animated-red-blue.gif";
import heic from "../fixtures/heic/s420.heic";
import ico from "../fixtures/ico/hippopotamus.regular.ico";
import jpeg from "../fixtures/jpeg/s420.jpg";
import jpeg2000 from "../fixtures/jpeg2000/lossy.jp2";
import pngAnimated from "../fixtures/png/apng-spec-022.png";
import png from "../fixtures/png/palette-8.png";
import psd from "../fixtures/psd/one-layer.psd";
import logo from "../fixtures/svg/logo-with-text.svg";
import tiff from "../fixtures/tiff/sm_colors_pb_tile.tif";
import webp from "../fixtures/webp/video-001-lossy.webp";
import { abandon } from "../support/abandoned.ts";
import { eventually } from "../support/eventually.ts";
import { daily } from "../support/exhaustive.ts";
import { JOBS } from "../support/jobs.ts";
import { sha1Of, walk } from "../support/walk.ts";

const FILES = { avif, bmp, gif, heic, ico, jpeg, jpeg2000, png, pngAnimated, psd, logo, tiff, webp };

/** Small requests of every kind of file, many at a time, and what comes of them. */
async function ordinary(count: number): Promise<string[]> {
  const files = Object.values(FILES).map((file) => new Uint8Array(file));
  const outputs = [{}, { output: { format: "webp" } }, { output: { format: "jpeg" } }, { resize: { width: 20 } }];
  const results: string[] = [];
  while (results.length < count) {
    const walks = Array.from({ length: Math.min(AT_A_TIME, count - results.length) }, async (_, more) => {
      const index = results.length + more;
      const { stored } = await walk(files[index % files.length] ?? new Uint8Array(0), outputs[index % outputs.length]);
      return sha1Of(stored);
    });
    results.push(...(await Promise.all(walks)));
  }
  return results;
}

const AT_A_TIME = 26;
const PERIOD = Object.keys(FILES).length * 4;
const wanted = await ordinary(PERIOD);
const REQUESTS = daily(2 * PERIOD, 200);

afterEach(() => void isolateThread.look());

describe.each(Object.entries(JOBS))("%s, ended in its midst,", (name, [job, next]) => {
  const row = Object.keys(JOBS).indexOf(name);

  it.each([1, 3].filter((_, column) => daily((row + column) % 2 === 0, true)))(
    "leaves nothing behind, the %ith time that it declares work",
    async (count) => {
      const right = await isolateBudget.run({ bytes: 0 }, next);
      await abandon(job, { count });
      isolateThread.look();
      expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
      expect(nativeMemoryBytes()).toBe(0);
      expect(await isolateBudget.run({ bytes: ISOLATE_BUDGET_BYTES }, next)).toBe(right);
    },
  );
});

it(`${REQUESTS} requests after work of every kind was ended are answered, and right`, async () => {
  for (const [job] of Object.values(JOBS)) {
    await abandon(job, { count: 2, bytes: 30 << 20, original: 4 << 20 });
    isolateThread.look();
  }
  const first = await ordinary(PERIOD);
  expect((await ordinary(REQUESTS - PERIOD)).slice(0, PERIOD)).toEqual(wanted);
  expect(first).toEqual(wanted);
  expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
  // Whatever is left is idle: no instance is taken for one that a job uses.
  trimNative(0);
  expect(nativeMemoryBytes()).toBe(0);
});

it("those who wait when work is ended go on, in a line of living ones", async () => {
  const [job] = JOBS["WebP written"] ?? [];
  if (!job) throw new Error("no such job");
  await abandon(job, { bytes: 90 << 20 });
  const waiting = Array.from({ length: 10 }, (_, index) => isolateBudget.run({ bytes: 60 << 20 }, () => index));
  // The first timer of somebody who lives finds the thread taken.
  expect(await Promise.all(waiting)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
});

it("who only pauses while other work is ended goes on, and is counted again", async () => {
  let isSeen = false;
  const other = isolateBudget.run({ bytes: 50 << 20 }, async (timeSlice) => {
    while (!isSeen) await timeSlice.spend(1_000);
    return "done";
  });
  const [job] = JOBS["GIF read"] ?? [];
  if (!job) throw new Error("no such job");
  await abandon(job, { bytes: 10 << 20 });
  isolateThread.look();
  expect(isolateBudget.held.work).toBe(0);
  await eventually(() => expect(isolateBudget.held.work).toBe(50 << 20));
  isSeen = true;
  expect(await other).toBe("done");
  expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
});
