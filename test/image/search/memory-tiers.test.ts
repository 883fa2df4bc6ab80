/** Searches in tiers of several sizes: the file is the same in each, and none holds more than it declares. */
import { afterEach, beforeAll, expect, it, vi } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { TooLong } from "../../../src/scheduler/job-limits.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { bitmapFile } from "../../bench/estimate-files.ts";
import { admittedDuring } from "../../support/admitted.ts";
import { isForToday } from "../../support/exhaustive.ts";
import { rendered } from "../../support/render.ts";
import { pictureOf, scene } from "../../support/rows.ts";

/** Large enough that what is kept of it is worth a tier of its own. */
const SIZE = { width: 1_216, height: 832 };
const MOST_TIERS = 8;
/** So long that a search takes nothing else, beside it. */
const DECODING_MS = 10_000;

const originals = new Map<string, Uint8Array>();

beforeAll(async () => {
  const picture = pictureOf([scene(SIZE.width, SIZE.height)]);
  const settings = { lossless: false, quality: 92, progressive: false, effort: 0.5 };
  originals.set("a PNG", await FORMATS.png.write.encode(picture, { ...settings, lossless: true }, UNPAUSED));
  for (const subsample of ["4:4:4", "4:2:0"] as const) {
    originals.set(
      `a JPEG of ${subsample}`,
      await FORMATS.jpeg.write.encode(picture, { ...settings, subsample }, UNPAUSED),
    );
  }
});

afterEach(() => vi.restoreAllMocks());

/** Has every piece of work begin in one tier of those that it could have, or in the last; tells how many there were. */
function onlyIn(tier: number): { most: number } {
  const seen = { most: 0 };
  const runIn = isolateBudget.runIn.bind(isolateBudget);
  vi.spyOn(isolateBudget, "runIn").mockImplementation((tiers, work, jobLimits) => {
    if (jobLimits?.within) return runIn(tiers, work, jobLimits);
    seen.most = Math.max(seen.most, tiers.length);
    const index = Math.min(tier, tiers.length - 1);
    const [first] = tiers;
    return runIn([tiers[index] ?? first], (timeSlice) => work(timeSlice, index), jobLimits);
  });
  return seen;
}

/** A format that shows what it would write keeps pixels in every tier, and so has one. */
const CASES: readonly (readonly [from: string, to: FormatName])[] = [
  ["a PNG", "jpeg"],
  ["a JPEG of 4:4:4", "jpeg"],
  ["a JPEG of 4:2:0", "jpeg"],
  ["a PNG", "webp"],
  ["a PNG", "avif"],
  ["a JPEG of 4:2:0", "jxl"],
];

it.each(CASES.filter((_, turn) => isForToday(turn, 2)))("give the same file: %s to %s", async (from, to) => {
  const original = originals.get(from) ?? new Uint8Array(0);
  const files: Uint8Array[] = [];
  const declared: number[] = [];
  for (let tier = 0, tiers = 1; tier < Math.min(tiers, MOST_TIERS); tier++) {
    const seen = onlyIn(tier);
    const pieces = await admittedDuring(
      async () => {
        const { output } = await rendered(original, { output: { format: to }, optimize: { lossless: false } });
        files.push(output.bytes);
      },
      { now: () => performance.now(), memory: true },
    );
    vi.restoreAllMocks();
    tiers = seen.most;
    for (const { estimate, heldBytes } of pieces) expect(heldBytes).toBeLessThanOrEqual(estimate.bytes);
    declared.push(Math.max(...pieces.map(({ estimate }) => estimate.bytes)));
  }
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(file).toEqual(files[0]);
  expect(declared).toEqual(declared.toSorted((one, other) => other - one));
  expect(declared.at(-1)).toBeLessThan(declared[0] ?? 0);
});

/** Tells what each piece of work declares at least. */
async function declaredOf(original: Uint8Array) {
  const least: number[] = [];
  const runIn = isolateBudget.runIn.bind(isolateBudget);
  vi.spyOn(isolateBudget, "runIn").mockImplementation(async (tiers, work, jobLimits) => {
    if (jobLimits?.within) return runIn(tiers, work, jobLimits);
    least.push(Math.min(...tiers.map(({ bytes }) => bytes)));
    return runIn(tiers, work, jobLimits);
  });
  const { output } = await rendered(original, { output: { format: "webp" }, optimize: { lossless: false } });
  vi.restoreAllMocks();
  return { least, score: output.score };
}

const SMALLER = { width: 800, height: 600 };

it("have as long as they are estimated to take", async () => {
  const { read } = FORMATS.png;
  const estimate = read.estimate.bind(read);
  // The lean tier reads the original several times as often as the fast one.
  vi.spyOn(read, "estimate").mockImplementation((facts, demand) => ({ ...estimate(facts, demand), ms: DECODING_MS }));
  onlyIn(1);
  const { output } = await rendered(originals.get("a PNG") ?? new Uint8Array(0), { output: { format: "jpeg" } });
  expect(output.score).toBeGreaterThanOrEqual(75);
});

/** What comes of a request where there is room for no search of the whole, and the ways that were tried. */
async function madeWithoutRoom(original: Uint8Array, to: FormatName, names: string[] = []) {
  const canHold = isolateBudget.canHold.bind(isolateBudget);
  const made = async (mostBytes: number) => {
    names.length = 0;
    const holds: typeof canHold = (estimate, held) => estimate.bytes < mostBytes && canHold(estimate, held);
    vi.spyOn(isolateBudget, "canHold").mockImplementation(holds);
    const searched: number[] = [];
    const trace = (event: TraceEvent) => {
      if (event.kind === "attempt") names.push(event.name);
      const isSearch = "name" in event && event.name === "search pixels";
      if (isSearch && "estimate" in event) searched.push(event.estimate.bytes);
    };
    const { output } = await rendered(original, { output: { format: to }, trace });
    return { output, leastBytes: Math.min(...searched) };
  };
  let { output, leastBytes } = await made(Infinity);
  expect(output).not.toHaveProperty("searched");
  // The search is left out, and with it a tier that takes less.
  while (names.includes("search pixels")) ({ output, leastBytes } = await made(leastBytes));
  return { output, names };
}

it.each(["webp", "png"] as const)("gives tiles the say where there is room for nothing else: %s", async (to) => {
  const { output, names } = await madeWithoutRoom(originals.get("a JPEG of 4:2:0") ?? new Uint8Array(0), to);
  expect(names.slice(0, 2)).toEqual(["search tiles", "encode blind"]);
  expect(output.searched).toBe(false);
  expect(output.score).toBeGreaterThanOrEqual(75);
});

/** White, and something to be seen where no tile lies. */
function besideTiles(): Uint8Array {
  const pixels = { ...SIZE, data: new Uint8Array(SIZE.width * SIZE.height * 4).fill(255) };
  const busy = scene(SIZE.width, SIZE.height);
  for (let at = 0; at < pixels.data.length; at += 4) {
    const [x, y] = [(at >> 2) % SIZE.width, Math.floor((at >> 2) / SIZE.width)];
    if (x > 220 && x < 700 && y < 180) pixels.data.set(busy.data.subarray(at, at + 4), at);
  }
  return bitmapFile(pixels);
}

it("writes a file anew of which tiles said too little", async () => {
  const { output, names } = await madeWithoutRoom(besideTiles(), "webp");
  expect(names.filter((name) => name === "encode blind").length).toBeGreaterThan(1);
  expect(output.score).toBeGreaterThanOrEqual(75);
});

it.each([
  ["in its own manner", () => new ApiError(422, "This way does not lead anywhere")],
  ["for want of time", () => new TooLong()],
])("hands out the file that there is where writing it anew fails %s", async (_, failure) => {
  const runIn = isolateBudget.runIn.bind(isolateBudget);
  const tried: string[] = [];
  vi.spyOn(isolateBudget, "runIn").mockImplementation((...work) => {
    if (tried.filter((name) => name === "encode blind").length > 1) throw failure();
    return runIn(...work);
  });
  const { output } = await madeWithoutRoom(besideTiles(), "webp", tried);
  expect(tried.filter((name) => name === "encode blind").length).toBe(2);
  expect(output.score).toBeLessThan(75);
});

it("sets no memory aside for a file without loss of a photograph", async () => {
  const settings = { lossless: false, quality: 95, progressive: false, effort: 0.5 };
  const photo = await FORMATS.jpeg.write.encode(pictureOf([scene(SMALLER.width, SMALLER.height)]), settings, UNPAUSED);
  expect((await declaredOf(photo)).least).toHaveLength(1);
});

it("waits for the memory of a file without loss where one may be the best", async () => {
  // Thin lines of two colors, in a file that says nothing of how much is to be seen.
  const pixels = { ...SMALLER, data: new Uint8Array(SMALLER.width * SMALLER.height * 4).fill(255) };
  for (let at = 0; at < pixels.data.length; at += 4) {
    const [x, y] = [(at >> 2) % pixels.width, Math.floor((at >> 2) / pixels.width)];
    if ((x * y) % 31 === 7) pixels.data.set([200, 0, 60], at);
  }
  const { least, score } = await declaredOf(bitmapFile(pixels));
  expect(least).toHaveLength(2);
  expect(score).toBe(100);
});
