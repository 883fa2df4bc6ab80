/** Writing HEIC files. */
import { describe, expect, it } from "vitest";

import { heic } from "../../../../src/image/formats/heic.ts";
import { layoutOf } from "../../../../src/image/formats/heic/encode.ts";
import { readItems } from "../../../../src/image/formats/heif/items.ts";
import { transformOf } from "../../../../src/image/formats/heif/properties.ts";
import { canScore } from "../../../../src/image/search/score.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { hevcEncodeHeap } from "../../../../wasm/hevc-encode/encoder.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import { decodeFile } from "../../../support/files.ts";
import { noise, paint, pictureOf, psnr, rowsOf, sample, scene, type Pixels } from "../../../support/rows.ts";
import { scoreRows } from "../../../support/scores.ts";

const SETTINGS = { lossless: false, quality: 90, progressive: false, effort: 0.5 };

/** Without edges, which halved chroma blurs. */
function smooth(width: number, height: number, alpha = false): Pixels {
  const wave = (at: number, length: number) => 128 + 100 * Math.sin(at / length);
  return paint(width, height, (x, y) => {
    const opacity = alpha ? Math.max(0, 255 - Math.hypot(x - width / 2, y - height / 2) * (510 / width)) : 255;
    return [wave(x, 17), wave(y + x / 4, 23), wave(x + y, 31), opacity];
  });
}

function encoded(pixels: Pixels, opaque = true, quality = 90): Promise<Uint8Array> {
  return heic.write.encode(pictureOf([pixels], { opaque }), { ...SETTINGS, quality }, UNPAUSED);
}

async function scoreOf(pixels: Pixels, bytes: Uint8Array): Promise<number> {
  return scoreRows(rowsOf(pixels), rowsOf(await decodeFile(heic, bytes)), UNPAUSED);
}

function types(bytes: Uint8Array): string[] {
  const items = readItems(bytes);
  const ids = new Set([items.primary.id, ...items.references.flatMap(({ from, to }) => [from, ...to])]);
  return [...ids].sort((one, other) => one - other).map((id) => items.item(id).type);
}

describe("HEIC that is written", () => {
  it.each([
    [1, 1],
    [2, 3],
    [8, 8],
    [17, 31],
    [65, 66],
    [127, 200],
  ])("has the picture that went in, of %i x %i", async (width, height) => {
    const pixels = smooth(width, height);
    const bytes = await encoded(pixels);
    expect(heic.read.factsOf(bytes)).toMatchObject({
      width,
      height,
      orientation: 1,
      frames: 1,
      alpha: false,
      colorspace: "YCbCr",
      subsample: "4:2:0",
      depth: 24,
      quality: 90,
    });
    expect(psnr(await decodeFile(heic, bytes), pixels)).toBeGreaterThan(38);
  });

  it("has alpha where there is some", async () => {
    const pixels = smooth(90, 67, true);
    const bytes = await encoded(pixels, false);
    expect(heic.read.factsOf(bytes)).toMatchObject({ alpha: true, depth: 32 });
    const { data } = await decodeFile(heic, bytes);
    for (let at = 3; at < data.length; at += 4) {
      expect(Math.abs(sample(data, at) - sample(pixels.data, at))).toBeLessThanOrEqual(12);
    }
  });

  it("has no alpha of an opaque picture, said to be so or not", async () => {
    const pixels = smooth(64, 48);
    expect(await encoded(pixels, false)).toEqual(await encoded(pixels));
    expect(types(await encoded(pixels))).toEqual(["hvc1"]);
  });

  it("is a grid where the picture is large, and still of its size", async () => {
    const pixels = smooth(4_101, 129, true);
    const bytes = await encoded(pixels, false);
    const facts = heic.read.factsOf(bytes);
    expect(facts).toMatchObject({ width: 4_101, height: 129, alpha: true });
    expect(types(bytes)).toEqual(["grid", ...Array<string>(5).fill("hvc1"), "grid", ...Array<string>(5).fill("hvc1")]);
    expect(psnr(await decodeFile(heic, bytes), pixels)).toBeGreaterThan(40);
  });

  it("shows what it coded, cut to odd sizes", async () => {
    const { primary } = readItems(await encoded(smooth(35, 21)));
    const { crop } = transformOf(primary.properties, { width: 36, height: 22 });
    expect(crop).toEqual({ x: 0, y: 0, width: 35, height: 21 });
  });

  it.each([
    [1_600, 1_200, { tile: { width: 1_600, height: 1_200 }, grid: false }],
    [4_000, 3_000, { tile: { width: 1_024, height: 1_024 }, grid: true }],
    [2_100, 1_000, { tile: { width: 704, height: 1_024 }, grid: true }],
    [16_384, 6_000, { tile: { width: 512, height: 512 }, grid: true }],
  ])("cuts %i x %i into tiles", async (width, height, layout) => {
    expect(layoutOf({ width, height })).toEqual(layout);
  });

  it("gets larger and better with its quality", async () => {
    const pixels = scene(256, 192);
    expect(canScore(pixels)).toBe(true);
    const results = [];
    for (const quality of [10, 30, 50, 70, 90]) {
      const bytes = await encoded(pixels, true, quality);
      expect(Math.abs(heic.read.factsOf(bytes).quality - quality)).toBeLessThanOrEqual(2);
      results.push({ bytes: bytes.length, score: await scoreOf(pixels, bytes) });
    }
    results.reduce((before, after) => {
      expect(after.bytes).toBeGreaterThan(before.bytes);
      expect(after.score).toBeGreaterThan(before.score);
      return after;
    });
  });

  it("is larger, but looks alike, when it is only tried", async () => {
    const pixels = scene(256, 192);
    const probe = await heic.write.encode(pictureOf([pixels]), { ...SETTINGS, probe: true }, UNPAUSED);
    const difference = (await scoreOf(pixels, probe)) - (await scoreOf(pixels, await encoded(pixels)));
    expect(Math.abs(difference)).toBeLessThan(2);
  });

  it("holds no more memory than it declares, and none afterward", async () => {
    for (const [pixels, opaque] of [
      [noise(300, 200), true],
      [noise(150, 90, false), false],
      [smooth(4_101, 129, true), false],
    ] as const) {
      const picture = pictureOf([pixels], { opaque });
      hevcEncodeHeap(true);
      const settings = { ...SETTINGS, quality: 100 };
      await heic.write.encode(picture, settings, UNPAUSED);
      const { used, peak } = hevcEncodeHeap();
      expect(used).toBe(0);
      expect(peak).toBeLessThanOrEqual(heic.write.estimate(picture, settings).bytes);
    }
  });

  it("does not grow over hundreds of pictures", async () => {
    const pixels = smooth(40, 30, true);
    const memory = () => nativeStatistics().find(({ name }) => name === "hevc-encode");
    await encoded(pixels, false);
    const before = memory();
    for (let count = 0; count < 200; count++) await encoded(pixels, count % 2 === 0);
    expect(memory()).toEqual(before);
  });
});
