/** TIFF files whose samples have more than 8 bits. */
import { crc32 } from "node:zlib";

import { describe, expect, it } from "vitest";

import { tiff } from "../../../../src/image/formats/tiff.ts";
import tiles from "../../../fixtures/tiff/rgba-16-tiles.tif";
import deflated from "../../../fixtures/tiff/video-001-16bit.tif";
import gray from "../../../fixtures/tiff/video-001-gray-16bit.tif";
import shallow from "../../../fixtures/tiff/video-001-tile-64x64.tif";
import { decodeSixteenBit } from "../../../support/files.ts";
import { EXTRA, kind, made, PLANAR } from "../../../support/tiff-files.ts";

const FULL = 65_535;
const FORMAT = 339;

/** CRC-32 of the pixels as `convert <file> -depth 16 -endian LSB RGBA:-` of ImageMagick 6.9 gives them. */
const FILES = [
  ["colors and alpha in tiles, high bytes first", tiles, 0xbb3b2af4],
  ["colors", deflated, 0xa29d37ee],
  ["gray", gray, 0xece5593b],
] as const;

const MADE = {
  "12 bits of gray": [
    made(2, 1, kind([12], 1), [[0xff, 0xf8, 0x01]]),
    12,
    [FULL, FULL, FULL, FULL, 32_792, 32_792, 32_792, FULL],
  ],
  "white that is 0": [made(1, 1, kind([16], 0), [[0x34, 0x12]]), 16, [0xedcb, 0xedcb, 0xedcb, FULL]],
  "planes with alpha": [
    made(1, 1, kind([16, 16, 16, 16], 2, [PLANAR, 2], [EXTRA, 2]), [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]),
    16,
    [0x201, 0x403, 0x605, 0x807],
  ],
  "premultiplied alpha": [
    made(1, 1, kind([16, 16, 16, 16], 2, [EXTRA, 1]), [[0, 0x40, 0, 0x20, 0, 0, 0, 0x80]]),
    16,
    [32_768, 16_384, 0, 32_768],
  ],
  "signed numbers": [made(1, 1, kind([16], 1, [FORMAT, 2]), [[0, 0x80]]), 16, [0, 0, 0, FULL]],
  "32 bits": [made(1, 1, kind([32], 1), [[0xff, 0xff, 0x34, 0x12]]), 16, [0x1234, 0x1234, 0x1234, FULL]],
  "floating point": [
    made(2, 1, kind([32], 1, [FORMAT, 3]), [[0, 0, 0, 0x3f, 0, 0, 0x80, 0xbf]]),
    16,
    [32_768, 32_768, 32_768, FULL, 0, 0, 0, FULL],
  ],
} as const;

describe("TIFF files of more than 8 bits", () => {
  it.each(FILES)("give all bits of their samples: %s", async (_, file, expected) => {
    const bytes = new Uint8Array(file);
    expect(tiff.read.factsOf(bytes).bits).toBe(16);
    const { samples } = await decodeSixteenBit(tiff, bytes);
    expect(crc32(new Uint8Array(samples.buffer))).toBe(expected);
  });

  it.each(Object.entries(MADE))("are read as they are meant: %s", async (_, [bytes, bits, expected]) => {
    expect(tiff.read.factsOf(bytes).bits).toBe(bits);
    expect([...(await decodeSixteenBit(tiff, bytes)).samples]).toEqual(expected);
  });

  it("are none where samples have 8, or are inks or places in a palette", () => {
    expect(tiff.read.factsOf(new Uint8Array(shallow)).bits).toBeUndefined();
    const inks = made(1, 1, kind([16, 16, 16, 16], 5), [[1, 2, 3, 4, 5, 6, 7, 8]]);
    expect(tiff.read.factsOf(inks).bits).toBeUndefined();
  });

  it("hold as much more as their rows do", () => {
    const facts = tiff.read.factsOf(new Uint8Array(tiles));
    const demand = { box: { x: 0, y: 0, width: 40, height: 30 }, width: 40, height: 30 };
    const [usual, sixteenBit] = [demand, { ...demand, sixteenBit: true }].map(
      (one) => tiff.read.estimate(facts, one).bytes,
    );
    expect((sixteenBit ?? 0) - (usual ?? 0)).toBe(40 * 16 * 4);
  });
});
