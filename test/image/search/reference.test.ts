/** What renditions are compared with, whole, in strips, or prepared. */
import { describe, expect, it } from "vitest";

import type { Facts } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import type { Size } from "../../../src/image/pixels/geometry.ts";
import type { Picture } from "../../../src/image/pixels/picture.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import { planSteps } from "../../../src/image/plan/plan.ts";
import { completedSize } from "../../../src/image/search/completed.ts";
import { fullSearch, leastSearch } from "../../../src/image/search/memory-tiers.ts";
import { preparedSampleEstimate, Reference } from "../../../src/image/search/reference.ts";
import { inMemory, SAMPLE_TILE } from "../../../src/image/search/sample.ts";
import { judgeRows } from "../../../src/image/search/score.ts";
import { SAME, secondOpinionEstimate } from "../../../src/image/search/second-opinion.ts";
import { type Task, taskOf } from "../../../src/image/search/task.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { nativeStatistics, trimNative } from "../../../wasm/load.ts";
import { comparisonPeakBytes, openComparison, PreparedReference } from "../../../wasm/score/score.ts";

/** Slopes and edges, with some noise of this strength. */
function textured({ width, height }: Size, noise: number, alpha = 255): Uint8Array {
  const pixels = new Uint8Array(width * height * 4).fill(alpha);
  let random = 1;
  for (let at = 0; at < pixels.length; at += 4) {
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    const level = 40 + ((at >> 5) & 127) + ((at >> 12) & 31) + ((random >> 16) % (noise + 1));
    for (let sample = 0; sample < 3; sample++) pixels[at + sample] = level + sample * 9;
  }
  return pixels;
}

function pictureOf(size: Size, noise: number, alpha = 255): Picture {
  return inMemory(textured(size, noise, alpha), size, alpha === 255);
}

const NOT_KEPT = { pixels: false, prepared: false };
const PREPARED = { pixels: false, prepared: true };

describe("a reference", () => {
  it.each<[string, Size, number]>([
    ["a small picture", { width: 301, height: 203 }, 255],
    ["a small picture with alpha", { width: 301, height: 203 }, 130],
    ["a picture that is smaller than all scales", { width: 64, height: 51 }, 255],
    ["tiles of a picture", { width: 1_100, height: 800 }, 255],
    ["tiles of a picture with alpha", { width: 1_100, height: 800 }, 130],
  ])("scores renditions the same when it is prepared: %s", async (_name, size, alpha) => {
    const original = pictureOf(size, 0, alpha);
    const plain = await Reference.of(original, NOT_KEPT, UNPAUSED);
    const prepared = await Reference.of(original, PREPARED, UNPAUSED);
    const sheet = { width: plain.sample.picture.width, height: plain.sample.picture.height };
    for (const noise of [0, 6, 40]) {
      const [rendition, ofSheet] = [pictureOf(size, noise, alpha), pictureOf(sheet, noise, alpha)];
      expect(await prepared.judge(await firstFrame(rendition, UNPAUSED))).toEqual(
        await plain.judge(await firstFrame(rendition, UNPAUSED)),
      );
      expect(await prepared.judgeSample(await firstFrame(ofSheet, UNPAUSED))).toEqual(
        await plain.judgeSample(await firstFrame(ofSheet, UNPAUSED)),
      );
    }
    prepared.close();
    plain.close();
  });

  it("has a few tiles of a picture that would otherwise be its own sample, where that is asked for", async () => {
    const size = { width: 640, height: 520 };
    const original = pictureOf(size, 20);
    const whole = await Reference.of(original, NOT_KEPT, UNPAUSED);
    const tiled = await Reference.of(original, NOT_KEPT, UNPAUSED, true);
    expect(whole.sample.tiles).toBeUndefined();
    const { tiles, picture } = tiled.sample;
    expect(picture.width * picture.height).toBeLessThan((size.width * size.height) / 2);
    const places = tiles?.places ?? [];
    expect(places.length * SAMPLE_TILE.width * SAMPLE_TILE.height).toBe(picture.width * picture.height);
    for (const { x, y } of places) {
      expect(x + SAMPLE_TILE.width).toBeLessThanOrEqual(size.width);
      expect(y + SAMPLE_TILE.height).toBeLessThanOrEqual(size.height);
    }
    expect(await tiled.judgeSample(await firstFrame(picture, UNPAUSED))).toEqual(SAME);
    whole.close();
    tiled.close();
  });

  it("scores strips of a picture that is too narrow for tiles and too large to be looked at as a whole", async () => {
    const size = { width: 100, height: 60_000 };
    const [original, rendition] = [pictureOf(size, 0), pictureOf(size, 9)];
    for (const keeps of [NOT_KEPT, PREPARED]) {
      const reference = await Reference.of(original, keeps, UNPAUSED);
      expect(reference.sample.picture.height).toBeLessThan(size.height);
      expect(await reference.judgeSample(await firstFrame(reference.sample.picture, UNPAUSED))).toEqual(SAME);
      const judgement = await judgeRows(
        await firstFrame(original, UNPAUSED),
        await firstFrame(rendition, UNPAUSED),
        UNPAUSED,
      );
      expect(await reference.judge(await firstFrame(rendition, UNPAUSED))).toEqual(judgement);
      reference.close();
    }
  });
});

/** A progressive JPEG of `megapixels`, made a fifth smaller, as it is to become a PNG. */
function shrunk(megapixels: number): Task {
  const height = Math.round(Math.sqrt((megapixels * 1e6) / 1.5));
  const size = { width: Math.round(height * 1.5), height };
  const facts: Facts = {
    ...size,
    orientation: 1,
    frames: 1,
    loops: 0,
    alpha: false,
    colorspace: "YCbCr",
    interlaced: true,
    subsample: "4:2:0",
    depth: 24,
    quality: 90,
  };
  const stored = { bytes: new Uint8Array(1_000), format: FORMATS.jpeg, facts };
  const plan = planSteps(size, [
    { kind: "resize", width: size.width / 1.25, height: size.height / 1.25, kernel: "lanczos3" },
  ]);
  return taskOf(
    { stored, plan, format: FORMATS.png, objective: { kind: "smart", preset: "medium" }, isLast: true },
    null,
  );
}

it("is kept where renditions are computed from the picture, so that it is never decoded twice at once", () => {
  const searches = [1, 2, 4, 6, 8, 12, 16].flatMap((megapixels) => {
    const task = shrunk(megapixels);
    return [fullSearch(task, FORMATS.png), leastSearch(task, FORMATS.png)];
  });
  const possible = searches.filter((search) => search !== null);
  expect(possible.length).toBeGreaterThan(searches.length / 2);
  const kept = possible.flatMap(({ tiers }) =>
    tiers.map(({ keepsPixels, reference }) => keepsPixels || reference.pixels),
  );
  expect(new Set(kept)).toEqual(new Set([true]));
});

describe("a prepared reference", () => {
  const size = { width: 200, height: 150 };

  /** The score of a rendition whose rows come in bands of these heights, in turn. */
  function scored(reference: PreparedReference, rendition: Uint8Array, bands: readonly number[]): number {
    const comparison = reference.compare();
    const steps = bandsOf(rendition, bands);
    for (const band of steps) comparison.push(band);
    const result = comparison.result();
    comparison.close();
    return result;
  }

  function bandsOf(pixels: Uint8Array, heights: readonly number[]): Uint8Array[] {
    const bands: Uint8Array[] = [];
    for (let at = 0; at < pixels.length;) {
      const bytes = (heights[bands.length % heights.length] ?? 1) * size.width * 4;
      bands.push(pixels.subarray(at, at + bytes));
      at += bytes;
    }
    return bands;
  }

  function preparedOf(pixels: Uint8Array): PreparedReference {
    const reference = new PreparedReference(size, [0.5]);
    for (const band of bandsOf(pixels, [16, 3, 1])) reference.push(band);
    return reference;
  }

  it("takes rows in bands of any height, and jobs in between", async () => {
    const [first, second] = [textured(size, 0), textured(size, 20)];
    const one = new PreparedReference(size, [0.5]);
    const other = new PreparedReference(size, [0.5]);
    const firsts = bandsOf(first, [7]);
    for (const [index, band] of bandsOf(second, [7]).entries()) {
      one.push(firsts[index] ?? band);
      other.push(band);
    }
    const forth = one.compare();
    const back = other.compare();
    for (const [index, band] of bandsOf(second, [5]).entries()) {
      forth.push(band);
      back.push(bandsOf(first, [5])[index] ?? band);
    }
    const alone = preparedOf(first);
    expect(forth.result()).toBe(scored(alone, second, [16]));
    expect(forth.result()).toBe(scored(alone, second, [1, 2, 16]));
    expect(back.result()).not.toBe(forth.result());
    for (const reference of [one, other, alone]) reference.close();
  });

  it("is nothing to compare with before all rows are in, or once it is closed", async () => {
    const pixels = textured(size, 0);
    const reference = new PreparedReference(size, [0.5]);
    reference.push(pixels.subarray(0, size.width * 4));
    expect(() => reference.compare()).toThrow(RangeError);
    reference.close();
    const whole = preparedOf(pixels);
    const comparison = whole.compare();
    expect(() => whole.compare(0.1)).toThrow(RangeError);
    whole.close();
    expect(() => comparison.push(pixels.subarray(0, size.width * 4))).toThrow(RangeError);
    expect(() => whole.compare()).toThrow(RangeError);
    comparison.close();
    whole.close();
  });

  it.each<[number, number, boolean]>([
    [768, 576, true],
    [768, 576, false],
    [1_000, 660, true],
    [60, 50, true],
  ])("holds as much as it says: %d x %d, opaque: %s", async (width, height, opaque) => {
    trimNative(0);
    const alpha = opaque ? 255 : 9;
    const original = pictureOf({ width, height }, 0, alpha);
    const reference = await Reference.of(original, PREPARED, UNPAUSED);
    await reference.judge(await firstFrame(pictureOf({ width, height }, 9, alpha), UNPAUSED));
    const used = nativeStatistics().find((module) => module.name === "score")?.memoryBytes ?? 0;
    const kept = preparedSampleEstimate(original).bytes;
    expect(used).toBeGreaterThan(kept);
    const size = completedSize({ width, height });
    const second = secondOpinionEstimate({ ...size, opaque }).bytes;
    expect(used).toBeLessThan(kept + comparisonPeakBytes(size, opaque ? 1 : 2) + second);
    reference.close();
  });

  it("gives its memory back", async () => {
    trimNative(0);
    const pixels = textured(size, 0);
    for (let round = 0; round < 100; round++) preparedOf(pixels).close();
    const reference = preparedOf(pixels);
    for (let round = 0; round < 100; round++) scored(reference, pixels, [16]);
    reference.close();
    const used = nativeStatistics().find((module) => module.name === "score")?.memoryBytes;
    expect(used).toBeLessThan(4 * 1024 * 1024);
  });

  it("leaves rows out near the edges of tiles", async () => {
    const sheet = { width: SAMPLE_TILE.width * 2, height: SAMPLE_TILE.height };
    const [first, second] = [textured(sheet, 0), textured(sheet, 12)];
    const comparison = openComparison(sheet.width, sheet.height, 0.5, SAMPLE_TILE);
    const reference = new PreparedReference(sheet, [0.5], SAMPLE_TILE);
    for (let at = 0; at < first.length; at += sheet.width * 4) {
      const rows = (pixels: Uint8Array) => pixels.subarray(at, at + sheet.width * 4);
      comparison.push(rows(first), rows(second));
      reference.push(rows(first));
    }
    const prepared = reference.compare();
    for (let at = 0; at < second.length; at += sheet.width * 4) {
      prepared.push(second.subarray(at, at + sheet.width * 4));
    }
    expect(prepared.result()).toBe(comparison.result());
    comparison.close();
    reference.close();
  });
});
