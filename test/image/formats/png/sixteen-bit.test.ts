/** PNG files whose samples have 16 bits. */
import { crc32 } from "node:zlib";

import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import gamma1 from "../../../fixtures/png/gamma-1.png";
import gray16Adam7 from "../../../fixtures/png/gray-16-adam7.png";
import gray16 from "../../../fixtures/png/gray-16.png";
import grayAlpha16Adam7 from "../../../fixtures/png/gray-alpha-16-adam7.png";
import grayAlpha16 from "../../../fixtures/png/gray-alpha-16.png";
import rgb8 from "../../../fixtures/png/rgb-8.png";
import rgb16Adam7 from "../../../fixtures/png/rgb-16-adam7.png";
import rgb16 from "../../../fixtures/png/rgb-16.png";
import rgba16Adam7 from "../../../fixtures/png/rgba-16-adam7.png";
import rgba16 from "../../../fixtures/png/rgba-16.png";
import { decodeSixteenBit } from "../../../support/files.ts";
import { sixteenBitPictureOf, sixteenBitScene, paintSixteenBit } from "../../../support/rows.ts";

/** CRC-32 of the pixels as `convert <file> -depth 16 -endian LSB RGBA:-` of ImageMagick 6.9 gives them. */
const FILES = [
  ["gray-16", gray16, 0x835da44d],
  ["gray-16-adam7", gray16Adam7, 0x835da44d],
  ["gray-alpha-16", grayAlpha16, 0xb53a6c51],
  ["gray-alpha-16-adam7", grayAlpha16Adam7, 0xb53a6c51],
  ["rgb-16", rgb16, 0xa1f0f8fc],
  ["rgb-16-adam7", rgb16Adam7, 0xa1f0f8fc],
  ["rgba-16", rgba16, 0x979730e0],
  ["rgba-16-adam7", rgba16Adam7, 0x979730e0],
] as const;

const LOSSLESS = { lossless: true, quality: 80, progressive: false, effort: 0.5 };

describe("PNG files of 16 bits", () => {
  it.each(FILES)("give all bits of their samples: %s", async (_, file, expected) => {
    const { samples } = await decodeSixteenBit(png, new Uint8Array(file));
    expect(crc32(new Uint8Array(samples.buffer))).toBe(expected);
  });

  it("are those that say so", () => {
    expect(png.read.factsOf(new Uint8Array(rgb16)).bits).toBe(16);
    expect(png.read.factsOf(new Uint8Array(rgb8)).bits).toBeUndefined();
  });

  it("have one color that is transparent where they say so", async () => {
    const key = [1_000, 2_000, 3_000] as const;
    const pixels = paintSixteenBit(9, 5, (x) => (x % 2 ? [...key, 65_535] : [1_000, 2_000, 3_001, 65_535]));
    const file = await png.write.encode(sixteenBitPictureOf(pixels), LOSSLESS, UNPAUSED);
    const data = new Uint8Array(6);
    for (const [index, sample] of key.entries()) new DataView(data.buffer).setUint16(index * 2, sample);
    const keyed = withChunk(file, "tRNS", data);
    const expected = paintSixteenBit(9, 5, (x) => (x % 2 ? [...key, 0] : [1_000, 2_000, 3_001, 65_535]));
    expect(await decodeSixteenBit(png, keyed)).toEqual(expected);
  });

  it("come to the gamma of a display", async () => {
    const pixels = paintSixteenBit(64, 2, (x) => [x * 1_040, x * 520, 65_535 - x, 65_535]);
    const file = await png.write.encode(sixteenBitPictureOf(pixels), LOSSLESS, UNPAUSED);
    const data = new Uint8Array(4);
    new DataView(data.buffer).setUint32(0, 100_000);
    const shown = await decodeSixteenBit(png, withChunk(file, "gAMA", data));
    const expected = pixels.samples.map((sample, at) =>
      at % 4 === 3 ? sample : Math.round(65_535 * (sample / 65_535) ** (1 / 2.2)),
    );
    expect(shown.samples).toEqual(expected);
    expect(png.read.factsOf(new Uint8Array(gamma1)).bits).toBeUndefined();
  });

  it.each([
    ["colors", true, sixteenBitScene(61, 40)],
    ["colors and alpha", false, sixteenBitScene(61, 40, false)],
    ["alpha that is full everywhere", false, sixteenBitScene(61, 40)],
    ["gray", true, paintSixteenBit(70, 33, (x, y) => [x * 900 + y, x * 900 + y, x * 900 + y, 65_535])],
    ["gray and alpha", false, paintSixteenBit(70, 33, (x, y) => [x * 900, x * 900, x * 900, y * 1_900])],
    ["rows that do not fit into the sample", true, sixteenBitScene(1_100, 600)],
  ] as const)("are written as they are: %s", async (kind, opaque, pixels) => {
    const file = await png.write.encode(sixteenBitPictureOf(pixels, opaque), LOSSLESS, UNPAUSED);
    const { facts } = identify(file);
    const samples = (kind.startsWith("gray") ? 1 : 3) + (kind.endsWith("and alpha") ? 1 : 0);
    expect(facts).toMatchObject({ bits: 16, depth: 16 * samples });
    expect(await decodeSixteenBit(png, file)).toEqual(pixels);
  });
});

/** A file with a chunk more before its pixels. */
function withChunk(file: Uint8Array, type: string, data: Uint8Array): Uint8Array {
  const HEADER_END = 33;
  const body = new Uint8Array([...new TextEncoder().encode(type), ...data]);
  const ends = new Uint8Array(8);
  new DataView(ends.buffer).setUint32(0, data.length);
  new DataView(ends.buffer).setUint32(4, crc32(body));
  return new Uint8Array([
    ...file.subarray(0, HEADER_END),
    ...ends.subarray(0, 4),
    ...body,
    ...ends.subarray(4),
    ...file.subarray(HEADER_END),
  ]);
}
