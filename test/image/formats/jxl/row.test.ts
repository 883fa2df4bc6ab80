/** Reading JPEG XL files. */
import { describe, expect, it } from "vitest";

import { converted } from "../../../../src/image/codec/convert-colors.ts";
import { jxl } from "../../../../src/image/formats/jxl.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { whole } from "../../../../src/image/pixels/geometry.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jxlDecodeHeap } from "../../../../wasm/jxl-decode/decoder.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import jpegFile from "../../../fixtures/jpeg/s420.jpg";
import adobeRgb from "../../../fixtures/jxl/adobe-rgb.jxl";
import alphaLossless from "../../../fixtures/jxl/alpha-lossless.jxl";
import alpha from "../../../fixtures/jxl/alpha.jxl";
import alphaByDjxl from "../../../fixtures/jxl/alpha.png";
import animated from "../../../fixtures/jxl/animated.jxl";
import flat from "../../../fixtures/jxl/flat.jxl";
import gray from "../../../fixtures/jxl/gray.jxl";
import grayByDjxl from "../../../fixtures/jxl/gray.png";
import inksAlpha from "../../../fixtures/jxl/inks-alpha.jxl";
import inks from "../../../fixtures/jxl/inks.jxl";
import jpeg from "../../../fixtures/jxl/jpeg.jxl";
import largeGroups from "../../../fixtures/jxl/large-groups.jxl";
import linear from "../../../fixtures/jxl/linear.jxl";
import lossless from "../../../fixtures/jxl/lossless.jxl";
import lossy from "../../../fixtures/jxl/lossy.jxl";
import lossyByDjxl from "../../../fixtures/jxl/lossy.png";
import p3Lossless from "../../../fixtures/jxl/p3-lossless.jxl";
import p3 from "../../../fixtures/jxl/p3.jxl";
import packedProfile from "../../../fixtures/jxl/packed-profile.jxl";
import patches from "../../../fixtures/jxl/patches.jxl";
import patchesByDjxl from "../../../fixtures/jxl/patches.png";
import pqLossless from "../../../fixtures/jxl/pq-lossless.jxl";
import progressive from "../../../fixtures/jxl/progressive-dc.jxl";
import progressiveByDjxl from "../../../fixtures/jxl/progressive-dc.png";
import resampled from "../../../fixtures/jxl/resampled.jxl";
import resampledByDjxl from "../../../fixtures/jxl/resampled.png";
import sixteen from "../../../fixtures/jxl/sixteen.jxl";
import layers from "../../../fixtures/jxl/splines-in-layers.jxl";
import layersByDjxl from "../../../fixtures/jxl/splines-in-layers.png";
import splines from "../../../fixtures/jxl/splines.jxl";
import splinesByDjxl from "../../../fixtures/jxl/splines.png";
import squeezedAlpha from "../../../fixtures/jxl/squeezed-alpha.jxl";
import squeezed from "../../../fixtures/jxl/squeezed.jxl";
import turned from "../../../fixtures/jxl/turned.jxl";
import upsampledGroups from "../../../fixtures/jxl/upsampled-groups.jxl";
import sixteenPng from "../../../fixtures/png/rgb-16.png";
import adobeProfile from "../../../fixtures/profiles/adobe-rgb.icc";
import sourceAlpha from "../../../fixtures/resample/source-alpha.png";
import source from "../../../fixtures/resample/source.png";
import { beginnings, decodeFile, mutations, outcomeOf } from "../../../support/files.ts";
import { interleaved } from "../../../support/interleaved.ts";
import { rendered } from "../../../support/render.ts";
import { digest, drain, type Pixels, rowsOf } from "../../../support/rows.ts";
import { strippedFile } from "../../../support/stripped.ts";

const FACTS = [
  ["lossy", lossy, { quality: 90, depth: 24, colorspace: "RGB", interlaced: false }],
  ["lossless", lossless, { quality: 100, depth: 24, alpha: false, orientation: 1, frames: 1, loops: 1 }],
  ["in several passes", progressive, { interlaced: true }],
  ["with alpha", alpha, { alpha: true, depth: 32 }],
  ["gray", gray, { colorspace: "Gray", depth: 8 }],
  ["of 16 bits", sixteen, { depth: 48, width: 33, height: 17 }],
  ["of floating point", linear, { depth: 96 }],
  ["of inks", inks, { colorspace: "CMYK", depth: 32, alpha: false }],
  ["that lies on its side", turned, { orientation: 6, width: 48, height: 32 }],
  ["made of a JPEG file", jpeg, { colorspace: "YCbCr", subsample: "4:2:0", width: 133, height: 101 }],
  ["animated", animated, { frames: 3, loops: 0, alpha: true, width: 150, height: 150 }],
] as const;

/** What was written without loss, and what it was written from. */
const EXACTLY = [
  ["modular", lossless, source],
  ["modular, squeezed", squeezed, source],
  ["modular with alpha", alphaLossless, sourceAlpha],
] as const;

/** The same pixels as djxl 0.7 makes of them, but for how they are rounded. */
const BY_DJXL = [
  ["VarDCT", lossy, lossyByDjxl],
  ["VarDCT in passes, groups from the center", progressive, progressiveByDjxl],
  ["VarDCT with alpha", alpha, alphaByDjxl],
  ["gray", gray, grayByDjxl],
  ["made larger by the decoder", resampled, resampledByDjxl],
  ["16 bits", sixteen, sixteenPng],
  ["letters that return", patches, patchesByDjxl],
  ["splines", splines, splinesByDjxl],
  ["splines in two layers", layers, layersByDjxl],
  ["a JPEG file's coefficients", jpeg, undefined],
] as const;

const decoded = (file: ArrayBuffer) => decodeFile(jxl, new Uint8Array(file));
const decodedPng = (file: ArrayBuffer) => decodeFile(png, new Uint8Array(file));

function difference(a: Pixels, b: Pixels): { most: number; mean: number } {
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  let [most, sum] = [0, 0];
  a.data.forEach((value, at) => {
    const apart = Math.abs(value - (b.data[at] ?? 0));
    most = Math.max(most, apart);
    sum += apart;
  });
  return { most, mean: sum / a.data.length };
}

describe("JPEG XL", () => {
  it.each(FACTS)("says what it is: %s", (_name, file, facts) => {
    const found = identify(new Uint8Array(file));
    expect(found.name).toBe("jxl");
    expect(found.facts).toMatchObject(facts);
  });

  it.each(EXACTLY)("has the pixels it was written from: %s", async (_name, file, from) => {
    expect(difference(await decoded(file), await decodedPng(from)).most).toBe(0);
  });

  it.each(BY_DJXL)("has the pixels that its own decoder makes: %s", async (_name, file, reference) => {
    const expected = reference ? await decodedPng(reference) : await decodedJpeg();
    const { most, mean } = difference(await decoded(file), expected);
    expect(most).toBeLessThanOrEqual(reference ? 1 : JPEG_LEVELS);
    expect(mean).toBeLessThan(1);
  });

  it("has the colors of its profile, whether kept or coded", async () => {
    const [kept, coded, plain] = [await decoded(p3Lossless), await decoded(p3), await decoded(lossless)];
    expect(difference(kept, coded).mean).toBeLessThan(2);
    expect(difference(kept, plain).mean).toBeGreaterThan(2);
    expect(difference(await decoded(adobeRgb), plain).mean).toBeGreaterThan(2);
    expect(difference(await decoded(pqLossless), plain).mean).toBeGreaterThan(20);
  });

  it("gives linear light the curve of sRGB before it is rounded", async () => {
    const light = await decoded(linear);
    const samples = await decodedPng(source);
    samples.data.forEach((value, at) => {
      const part = value / 255;
      const curved = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
      const expected = at % 4 === 3 ? value : curved * 255;
      expect(Math.abs((light.data[at] ?? 0) - expected)).toBeLessThanOrEqual(1);
    });
  });

  it("mixes inks as its profile says", async () => {
    const { data, width } = await decoded(inks);
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
    expect(at(0, 5)).toEqual([32, 78, 29, 255]);
    expect(at(36, 5)).toEqual([93, 59, 100, 255]);
  });

  it("mixes inks as its profile says where there is alpha, too", async () => {
    const { data, width, height } = await decoded(inksAlpha);
    const expected = Uint8Array.from({ length: width }, (_, x) => (x < 12 ? 255 : x >= 36 ? 0 : (36 - x) * 10));
    for (let y = 0; y < height; y++) {
      const row = data.subarray(y * width * 4, (y + 1) * width * 4);
      expect(row.filter((_, at) => at % 4 === 3)).toEqual(expected);
    }
    // The inks of a pixel that both files have: what is transparent has colors, too.
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
    const without = await mixed(Uint8Array.of(5 * 5, 3 * 8, 255 - 5 * 3, 255 - 3 * 4));
    expect(at(5, 3)).toEqual(without);
    expect(at(40, 20)).toEqual(await mixed(Uint8Array.of(40 * 5, 20 * 8, 255 - 40 * 3, 255 - 20 * 4)));
  });

  it.each([
    ["groups of 1,024 pixels a side, and a window of what was read before", largeGroups],
    ["groups of 1,024 pixels a side, made larger", upsampledGroups],
    ["a JPEG file with a profile", packedProfile],
    ["colors in blocks beside alpha that is squeezed", squeezedAlpha],
    ["layers", layers],
    ["inks and alpha", inksAlpha],
  ])("declares what decoding takes: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const facts = jxl.read.factsOf(bytes);
    const before = jxlDecodeHeap(true).used;
    await decodeFile(jxl, bytes);
    const demand = { box: whole(facts), width: facts.width, height: facts.height };
    expect(jxlDecodeHeap().peak - before).toBeLessThanOrEqual(jxl.read.estimate(facts, demand).bytes);
  });

  it("gives back a JPEG file with its profile", async () => {
    const bytes = new Uint8Array(packedProfile);
    const file = await jxl.unpack.run(bytes, jxl.read.factsOf(bytes), UNPAUSED);
    expect(identify(file).facts.profile).toEqual(new Uint8Array(adobeProfile));
  });

  it("shows all frames of an animation, over each other", async () => {
    const bytes = new Uint8Array(animated);
    const { facts } = identify(bytes);
    const { width, height } = facts;
    const demand = { box: { x: 0, y: 0, width, height }, width, height };
    const frames: { delayMs: number; pixels: Pixels }[] = [];
    for await (const { delayMs, rows } of jxl.read.open(bytes, facts, demand, UNPAUSED)) {
      frames.push({ delayMs, pixels: await drain(rows) });
    }
    expect(frames.map(({ delayMs }) => delayMs)).toEqual([1_000, 1_000, 3_000]);
    const skipping: Pixels[] = [];
    for await (const { rows } of jxl.read.open(bytes, facts, demand, UNPAUSED)) {
      // Of every frame but the last nothing is read.
      if (skipping.push({ width, height, data: new Uint8Array(0) }) === 3) skipping[2] = await drain(rows);
    }
    expect(skipping[2]?.data).toEqual(frames[2]?.pixels.data);
  });

  it("gives back the JPEG file that it was made of", async () => {
    const bytes = new Uint8Array(jpeg);
    const facts = jxl.read.factsOf(bytes);
    expect(await jxl.unpack.run(bytes, facts, UNPAUSED)).toEqual(new Uint8Array(jpegFile));
    expect(jxl.unpack.estimate(new Uint8Array(lossy), facts)).toBeNull();
  });

  it("becomes JPEG by what it was made of, and not by its pixels", async () => {
    const order = { output: { format: "jpeg", encoding: "baseline" }, optimize: { lossless: true } } as const;
    const [packed, plain] = [
      await rendered(new Uint8Array(jpeg), order),
      await rendered(new Uint8Array(jpegFile), order),
    ];
    expect(packed.output.bytes).toEqual(plain.output.bytes);
  });

  it("is the same picture without what it does not need", async () => {
    const bytes = new Uint8Array(jpeg);
    const stripped = strippedFile(jxl.strip(bytes));
    expect(stripped.length).toBeLessThan(bytes.length);
    expect(await decodeFile(jxl, stripped)).toEqual(await decodeFile(jxl, bytes));
  });

  it.each([
    ["bare", lossless],
    ["boxed", jpeg],
  ])("takes metadata: %s", async (_name, file) => {
    const bytes = strippedFile(jxl.strip(new Uint8Array(file)));
    const exif = Uint8Array.of(0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0);
    const xmp = new TextEncoder().encode("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>");
    const written = jxl.metadata.write(bytes, { exif, xmp });
    expect(jxl.metadata.read(written)).toEqual({ exif, xmp });
    expect(await decodeFile(jxl, written)).toEqual(await decodeFile(jxl, bytes));
    expect(jxl.metadata.read(bytes)).toEqual({});
  });
});

/** What the profile of the inks makes of one mixture, 255 being no ink. */
async function mixed(mixture: Uint8Array): Promise<number[]> {
  const { profile = new Uint8Array() } = jxl.read.factsOf(new Uint8Array(inksAlpha));
  const rows = converted(rowsOf({ width: 1, height: 1, data: mixture }), profile, "cmyk-inverted");
  if (!rows) throw new Error("the profile is of no use");
  return [...(await drain(rows)).data.subarray(0, 3)];
}

/** Chroma that is made larger in another way. */
const JPEG_LEVELS = 40;

async function decodedJpeg(): Promise<Pixels> {
  const { jpeg: format } = await import("../../../../src/image/formats/jpeg.ts");
  return decodeFile(format, new Uint8Array(jpegFile));
}

const DAMAGED = { lossy, squeezed, progressive, alpha, animated, adobeRgb, jpeg, inks };
const MUTATIONS = 150;
const BEGINNINGS = 40;
const SLOW_MS = 10_000;

describe("JPEG XL that is damaged", () => {
  it.each(Object.entries(DAMAGED))("is a picture or refused, whatever byte is wrong: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const good = await decodeFile(jxl, bytes);
    const { used } = jxlDecodeHeap();
    let slowest = 0;
    for (const damaged of [...mutations(bytes, MUTATIONS), ...beginnings(bytes, BEGINNINGS)]) {
      const start = performance.now();
      expect(["decoded", 422, 415]).toContain(await outcomeOf(jxl, damaged));
      slowest = Math.max(slowest, performance.now() - start);
    }
    expect(slowest).toBeLessThan(SLOW_MS);
    expect(await decodeFile(jxl, bytes)).toEqual(good);
    expect(jxlDecodeHeap().used).toBeLessThanOrEqual(used);
  });

  it("takes the decoder with it that refused it", async () => {
    const replaced = () => nativeStatistics().find(({ name }) => name === "jxl-decode")?.replaced ?? 0;
    const good = new Uint8Array(lossless);
    await decodeFile(jxl, good);
    const before = replaced();
    await decodeFile(jxl, good);
    expect(replaced()).toBe(before);
    expect(await outcomeOf(jxl, good.slice().fill(0x55, good.length / 2))).toBe(422);
    expect(replaced()).toBeGreaterThan(before);
  });

  it("is refused when it is cut short", async () => {
    for (const file of [lossy, lossless, jpeg]) {
      const bytes = new Uint8Array(file);
      expect(await outcomeOf(jxl, bytes.subarray(0, bytes.length - 60))).toBe(422);
    }
  });

  it("makes way for others, and holds no more than it declares, with millions of pixels in few bytes", async () => {
    const bytes = new Uint8Array(flat);
    expect(bytes.length).toBeLessThan(1_000);
    const facts = jxl.read.factsOf(bytes);
    const demand = { box: whole(facts), width: 100, height: 77 };
    let declaredMs = 0;
    const timeSlice = { ...UNPAUSED, spend: (ms: number) => void (declaredMs += ms) };
    jxlDecodeHeap(true);
    for await (const { rows } of jxl.read.open(bytes, facts, demand, timeSlice)) while (await rows.read(64)) continue;
    const estimate = jxl.read.estimate(facts, demand);
    expect(jxlDecodeHeap().peak).toBeLessThanOrEqual(estimate.bytes);
    expect(estimate.bytes).toBeLessThan(40 << 20);
    expect(declaredMs).toBeGreaterThan(estimate.ms / 8);
  });

  it("is what it is alone while others are decoded beside it", async () => {
    const jobs = [flat, animated, alpha, flat].map(
      (file) => async (timeSlice: TimeSlice) => digest((await decodeFile(jxl, new Uint8Array(file), timeSlice)).data),
    );
    const alone: string[] = [];
    for (const job of jobs) alone.push(await job(UNPAUSED));
    expect(await interleaved(jobs)).toEqual(alone);
  });

  it("is refused with a billion pixels in a few bytes, without memory for them", () => {
    // 2^30 x 2^30: sizes of 30 bits, and a frame of nothing.
    const bytes = Uint8Array.from([0xff, 0x0a, 0xf8, 0xff, 0xff, 0xff, 0xc7, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 0, 0, 0]);
    const memory = () => nativeStatistics().find(({ name }) => name === "jxl-decode")?.memoryBytes ?? 0;
    const before = memory();
    expect(() => identify(bytes)).toThrow(expect.objectContaining({ status: 422 }));
    expect(memory() - before).toBeLessThan(8 << 20);
  });
});
