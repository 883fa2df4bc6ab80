/** What rows declare while they are read: all that they take, and nothing twice. */
import { expect, it } from "vitest";

import { decodedFrames, ownTimeSlice, paced } from "../../../src/image/codec/metered-rows.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import type { Rows } from "../../../src/image/pixels/rows.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import type { TimeSlice } from "../../../src/scheduler/time-slice.ts";
import avif from "../../fixtures/avif/kodim03_yuv420_8bpc.avif";
import animation from "../../fixtures/gif/fire.gif";
import heic from "../../fixtures/heic/tiles.heic";
import progressive from "../../fixtures/jpeg/progressive.jpg";
import baseline from "../../fixtures/jpeg/s420.jpg";
import jpeg2000 from "../../fixtures/jpeg2000/tiles.j2k";
import interlaced from "../../fixtures/png/rgb-8-adam7.png";
import zipped from "../../fixtures/psd/zip-8.psb";
import lossless from "../../fixtures/webp/1-webp-ll.webp";
import { drain, rowsOf, scene } from "../../support/rows.ts";

/** A time slice that notes what is declared. */
function noting(): TimeSlice & { readonly spent: number[] } {
  const spent: number[] = [];
  return { spent, spend: (ms) => void spent.push(ms), worked: () => 0 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Rows of which every reading declares so many milliseconds itself. */
function declaring(timeSlice: TimeSlice, ms: number): Rows {
  const rows = rowsOf(scene(8, 40));
  return {
    ...rows,
    async read(max) {
      const read = await rows.read(max);
      await (read && timeSlice.spend(ms));
      return read;
    },
  };
}

it("declares what rows take, evenly", async () => {
  const timeSlice = noting();
  await drain(paced(rowsOf(scene(8, 40)), 100, timeSlice), 10);
  expect(timeSlice.spent).toEqual([25, 25, 25, 25]);
});

it("spreads what is left after the maker of the rows declared the rest", async () => {
  const timeSlice = noting();
  const own = ownTimeSlice(timeSlice);
  await own.spend(60);
  await drain(paced(rowsOf(scene(8, 40)), 100, timeSlice, own), 10);
  expect(timeSlice.spent).toEqual([60, 10, 10, 10, 10]);
});

it.each([
  ["a part", 10, 100],
  ["all", 25, 100],
  ["more than the estimate", 30, 120],
])("counts once what the maker declares while it is read: %s", async (_name, each, total) => {
  const timeSlice = noting();
  const own = ownTimeSlice(timeSlice);
  await drain(paced(declaring(own, each), 100, timeSlice, own), 10);
  expect(sum(timeSlice.spent)).toBeCloseTo(total);
});

it("declares what is gone past", async () => {
  const timeSlice = noting();
  const from = rowsOf(scene(8, 40));
  const skip = async (count: number) => void (await from.read(count));
  const rows = paced({ ...from, skip }, 100, timeSlice);
  await rows.skip?.(20);
  await drain({ ...rows, height: 20 }, 10);
  expect(sum(timeSlice.spent)).toBeCloseTo(100);
  expect(Math.max(...timeSlice.spent)).toBeLessThanOrEqual(25);
});

it.each([
  ["AVIF", avif],
  ["an animation", animation],
  ["HEIC", heic],
  ["a progressive JPEG", progressive],
  ["a baseline JPEG", baseline],
  ["JPEG 2000", jpeg2000],
  ["an interlaced PNG", interlaced],
  ["a zipped PSD", zipped],
  ["a lossless WebP", lossless],
])("declares the estimate of decoding %s, once", async (_name, file) => {
  const { format, facts, bytes } = identify(new Uint8Array(file));
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  const timeSlice = noting();
  for await (const { rows } of decodedFrames(format, bytes, facts, demand, timeSlice)) await drain(rows);
  const { ms } = format.read.estimate(facts, demand);

  expect(sum(timeSlice.spent)).toBeGreaterThan(ms * 0.99);
  expect(sum(timeSlice.spent)).toBeLessThan(ms * 1.5);
});
