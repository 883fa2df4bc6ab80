/** JPEG XL files whose samples have more than 8 bits. */
import { describe, expect, it } from "vitest";

import { displayP3 } from "../../../../src/image/color/space.ts";
import { jxl } from "../../../../src/image/formats/jxl.ts";
import { openFile } from "../../../../src/image/formats/jxl/facts.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { whole } from "../../../../src/image/pixels/geometry.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { decodeEstimate, JxlDecoder, jxlDecodeHeap, sixteenBitBytes } from "../../../../wasm/jxl-decode/decoder.ts";
import { encodeEstimate, JxlEncoder } from "../../../../wasm/jxl-encode/encoder.ts";
import { jxlEncodeHeap } from "../../../../wasm/jxl-encode/instance.ts";
import linear from "../../../fixtures/jxl/linear.jxl";
import sixteen from "../../../fixtures/jxl/sixteen.jxl";
import rgb16 from "../../../fixtures/png/rgb-16.png";
import { daily } from "../../../support/exhaustive.ts";
import { decodeSixteenBit, decodeFile } from "../../../support/files.ts";
import {
  type SixteenBitPixels,
  sixteenBitPictureOf,
  sixteenBitScene,
  paintSixteenBit,
  pictureOf,
} from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 95, progressive: false, effort: 0.5 };
const LOSSLESS = { ...SETTINGS, lossless: true };
const FULL = 65_535;

/** A picture of samples that have so many bits. */
function ofBits({ width, height, samples }: SixteenBitPixels, bits: number): SixteenBitPixels {
  const most = 2 ** bits - 1;
  return {
    width,
    height,
    samples: samples.map((sample) => Math.round((Math.round((sample * most) / FULL) * FULL) / most)),
  };
}

/** The samples as files of so many bits have them. */
const numbersOf = ({ samples }: SixteenBitPixels, bits: number) =>
  samples.map((sample) => Math.round((sample * (2 ** bits - 1)) / FULL));

/** A wedge of gray from dark to light, of every level that there is room for. */
const wedge = paintSixteenBit(1_024, 24, (x) => [20_000 + x * 8, 20_000 + x * 8, 20_000 + x * 8, FULL]);

const levelsOf = ({ samples }: SixteenBitPixels) => new Set(samples.filter((_, at) => at % 4 === 1)).size;

describe("JPEG XL of more than 8 bits", () => {
  it.each([9, 10, 12, 14, 16])("loses nothing without loss: %i bits", async (bits) => {
    for (const [width, height, opaque] of [
      [1, 1, true],
      [130, 70, false],
      [513, 520, true],
    ] as const) {
      const pixels = ofBits(sixteenBitScene(width, height, opaque), bits);
      const file = await jxl.write.encode(sixteenBitPictureOf(pixels, opaque, bits), LOSSLESS, UNPAUSED);
      expect(identify(file).facts).toMatchObject({
        bits,
        alpha: !opaque,
        quality: 100,
        depth: bits * (opaque ? 3 : 4),
      });
      // Between two of 16 bits, decoders choose as they like.
      const decoded = await decodeSixteenBit(jxl, file);
      expect({ ...decoded, samples: numbersOf(decoded, bits) }).toEqual({
        ...pixels,
        samples: numbersOf(pixels, bits),
      });
    }
  });

  it("may hold what 8 bits take, and what its rows take more while they wait", async () => {
    const file = await jxl.write.encode(sixteenBitPictureOf(sixteenBitScene(900, 800)), LOSSLESS, UNPAUSED);
    const { source, told } = openFile(file);
    const decode = async (facts: typeof told, sixteenBit: boolean) => {
      const decoder = new JxlDecoder(source, facts, "stored", sixteenBit);
      try {
        while ((await decoder.next(UNPAUSED)) !== "end") while (decoder.rows(64)) continue;
      } finally {
        decoder.close();
      }
    };
    const { used } = jxlDecodeHeap(true);
    await decode(told, false);
    const exact = { ...told, decodeBytes: told.decodeBytes + jxlDecodeHeap().peak - used - decodeEstimate(told).bytes };
    await decode(exact, false);
    await decode(exact, true);
    expect(sixteenBitBytes(told)).toBeGreaterThan(0);
    await expect(decode({ ...exact, decodeBytes: exact.decodeBytes - sixteenBitBytes(told) }, true)).rejects.toThrow();
  });

  it("loses nothing in a fast pass either, and is read in the memory that it says", async () => {
    const pixels = sixteenBitScene(1_500, 1_400);
    const file = await jxl.write.encode(sixteenBitPictureOf(pixels), LOSSLESS, UNPAUSED);
    const facts = jxl.read.factsOf(file);
    const estimate = jxl.read.estimate(facts, { box: whole(pixels), width: 1_500, height: 1_400, sixteenBit: true });
    const { used } = jxlDecodeHeap(true);
    expect(await decodeSixteenBit(jxl, file)).toEqual(pixels);
    expect(jxlDecodeHeap().peak - used).toBeLessThanOrEqual(estimate.bytes);
  });

  it("is read with all bits that others wrote", async () => {
    const bytes = new Uint8Array(sixteen);
    expect(jxl.read.factsOf(bytes).bits).toBe(16);
    // The samples of the PNG file that it was made of.
    expect(await decodeSixteenBit(jxl, bytes)).toEqual(await decodeSixteenBit(png, new Uint8Array(rgb16)));
  });

  it("gives floating point in linear light the curve of sRGB", async () => {
    const bytes = new Uint8Array(linear);
    const { samples } = await decodeSixteenBit(jxl, bytes);
    const { data } = await decodeFile(jxl, bytes);
    const apart = data.map((level, at) => (Math.abs(level - (samples[at] ?? 0) / 257) > 1 ? 1 : 0));
    expect(apart.some(Boolean)).toBe(false);
  });

  it("keeps more levels than 8 bits have with loss", async () => {
    const file = await jxl.write.encode(sixteenBitPictureOf(wedge), SETTINGS, UNPAUSED);
    const decoded = await decodeSixteenBit(jxl, file);
    expect(levelsOf(decoded)).toBeGreaterThan(400);
    const farthest = decoded.samples.reduce(
      (most, sample, at) => Math.max(most, Math.abs(sample - (wedge.samples[at] ?? 0))),
      0,
    );
    expect(farthest).toBeLessThan(257);
    expect(identify(file).facts.bits).toBe(16);
  });

  it("has the colors of Display P3 with loss, and alpha of 8 bits", async () => {
    const pixels = sixteenBitScene(90, 60, false);
    const picture = { ...sixteenBitPictureOf(pixels, false), space: displayP3() };
    const decoded = await decodeSixteenBit(jxl, await jxl.write.encode(picture, SETTINGS, UNPAUSED));
    const alphas = pixels.samples.filter((_, at) => at % 4 === 3).map((alpha) => Math.round(alpha / 257) * 257);
    expect(decoded.samples.filter((_, at) => at % 4 === 3)).toEqual(alphas);
    const data = Uint8Array.from(pixels.samples, (sample) => Math.round(sample / 257));
    const shallow = { ...pictureOf([{ ...pixels, data }], { opaque: false }), space: displayP3() };
    const usual = await decodeFile(jxl, await jxl.write.encode(shallow, SETTINGS, UNPAUSED));
    const apart = decoded.samples.reduce((sum, sample, at) => sum + (sample / 257 - (usual.data[at] ?? 0)) ** 2, 0);
    expect(Math.sqrt(apart / decoded.samples.length)).toBeLessThan(1.5);
  });

  it("is read with 8 bits where no more are asked for", async () => {
    const pixels = sixteenBitScene(64, 50);
    const file = await jxl.write.encode(sixteenBitPictureOf(pixels), LOSSLESS, UNPAUSED);
    const { data } = await decodeFile(jxl, file);
    const farthest = data.reduce(
      (most, level, at) => Math.max(most, Math.abs(level - (pixels.samples[at] ?? 0) / 257)),
      0,
    );
    expect(farthest).toBeLessThan(1);
  });

  it("holds no more than its estimate", async () => {
    for (const pixels of [sixteenBitScene(1_200, 900), sixteenBitNoise(700, 600)]) {
      for (const distance of daily([0, 4], [0, 0.7, 4])) {
        const { width, height, samples } = pixels;
        const shape = { width, height, opaque: true, distance, tier: "thorough", bits: 16 } as const;
        const { used } = jxlEncodeHeap(true);
        const encoder = new JxlEncoder(shape);
        encoder.frame(0);
        const bytes = new Uint8Array(samples.buffer);
        for (let y = 0, count = encoder.wanted(); count > 0; y += count, count = encoder.wanted()) {
          encoder.band().set(bytes.subarray(y * width * 8, (y + count) * width * 8));
          await encoder.push(count, UNPAUSED);
        }
        await encoder.finish(true, UNPAUSED);
        expect(jxlEncodeHeap().peak - used).toBeLessThan(encodeEstimate(shape).bytes);
        encoder.close();
        expect(jxlEncodeHeap().used).toBe(used);
      }
    }
  });
});

/** Noise in all bits, the same on every run (xorshift32). */
function sixteenBitNoise(width: number, height: number): SixteenBitPixels {
  let state = 0x2545f491;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & FULL;
  };
  return paintSixteenBit(width, height, () => [next(), next(), next(), FULL]);
}
