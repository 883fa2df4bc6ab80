/** What renditions are compared with, whole, in strips, or prepared. */
import { describe, expect, it } from "vitest";

import type { Facts } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import type { Size } from "../../../src/image/pixels/geometry.ts";
import type { Picture } from "../../../src/image/pixels/picture.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import { planSteps } from "../../../src/image/plan/plan.ts";
import { fullSearch, leastSearch } from "../../../src/image/search/memory-tiers.ts";
import { referenceOf } from "../../../src/image/search/reference.ts";
import { SAMPLE_TILE } from "../../../src/image/search/sample.ts";
import { judgeRows, scoreEstimate } from "../../../src/image/search/score.ts";
import { SAME } from "../../../src/image/search/second-opinion.ts";
import { type Task, taskOf } from "../../../src/image/search/task.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { nativeStatistics, trimNative } from "../../../wasm/load.ts";
import { openComparison } from "../../../wasm/score/score.ts";
import { pictureOf as pictureFrom } from "../../support/rows.ts";

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
  return pictureFrom([{ ...size, data: textured(size, noise, alpha) }], { opaque: alpha === 255 });
}

describe("a reference", () => {
  it("has a few tiles of a picture that would otherwise be its own sample, where that is asked for", async () => {
    const size = { width: 640, height: 520 };
    const original = pictureOf(size, 20);
    const whole = await referenceOf(original, false, UNPAUSED);
    const tiled = await referenceOf(original, false, UNPAUSED, true);
    expect(whole.sample.tiles).toBeUndefined();
    const { tiles, picture } = tiled.sample;
    expect(picture.width * picture.height).toBeLessThan((size.width * size.height) / 2);
    const places = tiles?.places ?? [];
    expect(places.length * SAMPLE_TILE.width * SAMPLE_TILE.height).toBe(picture.width * picture.height);
    for (const { x, y } of places) {
      expect(x + SAMPLE_TILE.width).toBeLessThanOrEqual(size.width);
      expect(y + SAMPLE_TILE.height).toBeLessThanOrEqual(size.height);
    }
    expect(await tiled.judgeSample.both(await firstFrame(picture, UNPAUSED))).toEqual(SAME);
  });

  it("scores strips of a picture that is too narrow for tiles and too large to be looked at as a whole", async () => {
    const size = { width: 100, height: 60_000 };
    const [original, rendition] = [pictureOf(size, 0), pictureOf(size, 9)];
    for (const keepsPixels of [false, true]) {
      const reference = await referenceOf(original, keepsPixels, UNPAUSED);
      expect(reference.sample.picture.height).toBeLessThan(size.height);
      expect(await reference.judgeSample.both(await firstFrame(reference.sample.picture, UNPAUSED))).toEqual(SAME);
      const judgement = await judgeRows(
        await firstFrame(original, UNPAUSED),
        await firstFrame(rendition, UNPAUSED),
        UNPAUSED,
      );
      expect(await reference.judge.both(await firstFrame(rendition, UNPAUSED))).toEqual(judgement);
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
    tiers.map(({ keepsPixels, keepsCompared }) => keepsPixels || keepsCompared),
  );
  expect(new Set(kept)).toEqual(new Set([true]));
});

it.each<[number, number, number]>([
  [300, 200, 255],
  [60, 50, 255],
  [60, 50, 120],
  [1_500, 1_000, 255],
])("says the same by one opinion after the other as by both: %d x %d, alpha %d", async (width, height, alpha) => {
  const size = { width, height };
  const reference = await referenceOf(pictureOf(size, 0, alpha), true, UNPAUSED);
  for (const { picture, opinions } of [
    { picture: size, opinions: reference.judge },
    { picture: reference.sample.picture, opinions: reference.judgeSample },
  ]) {
    for (const noise of [9, 60]) {
      const open = () => firstFrame(pictureOf(picture, noise, alpha), UNPAUSED);
      const both = await opinions.both(await open());
      const second = await opinions.second(await open());
      expect(second).toBeLessThan(100);
      expect(both.points).toBe(Math.min(both.score, second));
      expect(await opinions.both(await open(), false, second)).toEqual(both);
    }
  }
});

describe("a comparison in step", () => {
  it.each<[number, number, boolean]>([
    [768, 576, true],
    [768, 576, false],
    [1_000, 660, true],
    [60, 50, true],
  ])("holds as much as it says: %d x %d, opaque: %s", async (width, height, opaque) => {
    trimNative(0);
    const size = { width, height };
    const alpha = opaque ? 255 : 9;
    const reference = await referenceOf(pictureOf(size, 0, alpha), false, UNPAUSED);
    await reference.judgeSample.both(await firstFrame(pictureOf(reference.sample.picture, 9, alpha), UNPAUSED));
    const used = nativeStatistics().find((module) => module.name === "score")?.memoryBytes ?? 0;
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(scoreEstimate({ ...size, ...reference.sample.picture, opaque }).bytes);
  });

  it("gives its memory back", () => {
    trimNative(0);
    const size = { width: 200, height: 150 };
    const pixels = textured(size, 0);
    for (let round = 0; round < 100; round++) {
      const comparison = openComparison(size.width, size.height);
      for (let at = 0; at < pixels.length; at += size.width * 4 * 10) {
        const rows = pixels.subarray(at, at + size.width * 4 * 10);
        comparison.push(rows, rows);
      }
      expect(comparison.result()).toBe(100);
      comparison.close();
      expect(() => comparison.result()).toThrow(RangeError);
    }
    const used = nativeStatistics().find((module) => module.name === "score")?.memoryBytes;
    expect(used).toBeLessThan(4 * 1024 * 1024);
  });
});
