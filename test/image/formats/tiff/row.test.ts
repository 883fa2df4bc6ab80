/** Reading TIFF files. */
import { describe, expect, it } from "vitest";

import { tiff } from "../../../../src/image/formats/tiff.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import { tiffHeap } from "../../../../wasm/tiff/reader.ts";
import a33 from "../../../fixtures/tiff/a33.tif";
import bigTiff from "../../../fixtures/tiff/BigTIFF.tif";
import bigTiffTiles from "../../../fixtures/tiff/BigTIFFLong8Tiles.tif";
import bigTiffMotorola from "../../../fixtures/tiff/BigTIFFMotorola.tif";
import libtiffTestIfdLoopToSelf from "../../../fixtures/tiff/broken/libtiff-test_ifd_loop_to_self.tif";
import tiff65535Entries from "../../../fixtures/tiff/broken/tiff-65535-entries.tif";
import tiffBits64000 from "../../../fixtures/tiff/broken/tiff-bits-64000.tif";
import tiffDimsMax from "../../../fixtures/tiff/broken/tiff-dims-max.tif";
import tiffIfdBeyond from "../../../fixtures/tiff/broken/tiff-ifd-beyond.tif";
import tiffIfdLoopSelf from "../../../fixtures/tiff/broken/tiff-ifd-loop-self.tif";
import tiffIfdLoopTwo from "../../../fixtures/tiff/broken/tiff-ifd-loop-two.tif";
import tiffOkTruncated from "../../../fixtures/tiff/broken/tiff-ok-truncated.tif";
import tiffRowsPerStrip0 from "../../../fixtures/tiff/broken/tiff-rows-per-strip-0.tif";
import tiffSamples65535 from "../../../fixtures/tiff/broken/tiff-samples-65535.tif";
import tiffStripBeyond from "../../../fixtures/tiff/broken/tiff-strip-beyond.tif";
import tiffStripCountBillion from "../../../fixtures/tiff/broken/tiff-strip-count-billion.tif";
import tiffSubifdLoop from "../../../fixtures/tiff/broken/tiff-subifd-loop.tif";
import tiffTileZero from "../../../fixtures/tiff/broken/tiff-tile-zero.tif";
import tiffZeroWidth from "../../../fixtures/tiff/broken/tiff-zero-width.tif";
import tmLzwBufferOverflow from "../../../fixtures/tiff/broken/tm-lzw-buffer-overflow.tif";
import bwDeflate from "../../../fixtures/tiff/bw-deflate.tif";
import bwGopherCcittgroup3 from "../../../fixtures/tiff/bw-gopher_ccittGroup3.tif";
import bwGopherCcittgroup4 from "../../../fixtures/tiff/bw-gopher_ccittGroup4.tif";
import bwPackbits from "../../../fixtures/tiff/bw-packbits.tif";
import cmykJpegNoProfile from "../../../fixtures/tiff/cmyk_jpeg_no_profile.tif";
import colormapWithExtrasamples from "../../../fixtures/tiff/colormap-with-extrasamples.tif";
import logluv3c16b from "../../../fixtures/tiff/logluv-3c-16b.tif";
import lzwRgba4444 from "../../../fixtures/tiff/lzw-rgba-4444.tif";
import oldJpeg from "../../../fixtures/tiff/old-jpeg.tif";
import palette1c4b from "../../../fixtures/tiff/palette-1c-4b.tif";
import quadTileJpg from "../../../fixtures/tiff/quad-tile-jpg.tif";
import shapesLzwPredictor3 from "../../../fixtures/tiff/shapes_lzw_predictor3.tif";
import smColorsPbTile from "../../../fixtures/tiff/sm_colors_pb_tile.tif";
import testFloat64Predictor2BeLzw from "../../../fixtures/tiff/test_float64_predictor2_be_lzw.tif";
import video00116bit from "../../../fixtures/tiff/video-001-16bit.tif";
import video001Gray16bit from "../../../fixtures/tiff/video-001-gray-16bit.tif";
import video001Paletted from "../../../fixtures/tiff/video-001-paletted.tif";
import video001Tile64x64 from "../../../fixtures/tiff/video-001-tile-64x64.tif";
import webpLossless from "../../../fixtures/tiff/webp_lossless_rgba_alpha_fully_opaque.tif";
import { beginnings, decodeFile, fileDigest, mutations, outcomeOf } from "../../../support/files.ts";
import { EXTRA, kind, made, PLANAR } from "../../../support/tiff-files.ts";

/**
 * Digests of what ImageMagick 6.9 makes of the files (`convert FILE[0] -depth 8 RGBA:-`). The last five differ from it
 * by at most one level in how they are rounded, or (old JPEG) were looked at, because it gets the colors wrong.
 */
const FILES = [
  ["BigTIFF", bigTiff, { colorspace: "RGB", depth: 24 }, "f4ef74cca30aace6"],
  ["BigTIFF with tiles", bigTiffTiles, { depth: 24 }, "f4ef74cca30aace6"],
  ["BigTIFF, big endian", bigTiffMotorola, { depth: 24 }, "f4ef74cca30aace6"],
  ["a page that lies on its side", a33, { orientation: 8, width: 2464, height: 3444 }, "766a8cc7b5aefb11"],
  ["Deflate", bwDeflate, { colorspace: "Gray", depth: 1 }, "27ae4156c8fee39f"],
  ["CCITT group 3", bwGopherCcittgroup3, { depth: 1 }, "27ae4156c8fee39f"],
  ["CCITT group 4", bwGopherCcittgroup4, { depth: 1 }, "27ae4156c8fee39f"],
  ["PackBits", bwPackbits, { depth: 1 }, "27ae4156c8fee39f"],
  ["LogLuv", logluv3c16b, { depth: 48 }, "e3820096cb82366b"],
  ["JPEG in tiles", quadTileJpg, { colorspace: "YCbCr", subsample: "4:2:0", quality: 75 }, "2bd077bee23db8bf"],
  ["floating point of 32 bits", shapesLzwPredictor3, { depth: 96 }, "3b2eace2f1e6ad28"],
  ["PackBits in tiles", smColorsPbTile, { depth: 24 }, "d2ba9ea2695d4ff1"],
  ["floating point of 64 bits, big endian", testFloat64Predictor2BeLzw, { depth: 64 }, "eac3349c2bcfb431"],
  ["16 bits", video00116bit, { depth: 48 }, "83598e618cfcad33"],
  ["16 bits of gray", video001Gray16bit, { depth: 16 }, "107acf08e9ca17e3"],
  ["a palette", video001Paletted, { colorspace: "Palette", depth: 8 }, "cd09160c1f607f61"],
  ["tiles", video001Tile64x64, { depth: 24 }, "83598e618cfcad33"],
  ["JPEG of inks", cmykJpegNoProfile, { colorspace: "CMYK", depth: 32 }, "2cef7004e34150b8"],
  ["a palette with alpha", colormapWithExtrasamples, { alpha: true }, "af86f2af25631ca2"],
  ["4 bits a sample, with alpha", lzwRgba4444, { alpha: true, depth: 16 }, "726b57d888c17c62"],
  ["a palette of 16", palette1c4b, { depth: 4 }, "781896edecabbace"],
  ["old JPEG", oldJpeg, { colorspace: "YCbCr", subsample: "4:2:2" }, "7ac374e7864b19a9"],
] as const;

const REFUSED = {
  "64,000 bits": tiffBits64000,
  "2^32 - 1 pixels a side": tiffDimsMax,
  "a directory beyond the end": tiffIfdBeyond,
  "a strip that is cut short": tiffOkTruncated,
  "65,535 samples": tiffSamples65535,
  "a strip beyond the end": tiffStripBeyond,
  "a billion strips": tiffStripCountBillion,
  "tiles without pixels": tiffTileZero,
  "no width": tiffZeroWidth,
  "strips without rows": tiffRowsPerStrip0,
  "more entries than there are": tiff65535Entries,
};

const READ = {
  "a directory that follows itself": tiffIfdLoopSelf,
  "two directories that follow each other": tiffIfdLoopTwo,
  "a subdirectory that is its parent": tiffSubifdLoop,
  "a directory in a loop": libtiffTestIfdLoopToSelf,
};

const MADE = {
  "white that is 0": [made(2, 1, kind([8], 0), [[0, 200]]), [255, 255, 255, 255, 55, 55, 55, 255]],
  "12 bits": [made(2, 1, kind([12], 1), [[0xff, 0xf8, 0x00]]), [255, 255, 255, 255, 128, 128, 128, 255]],
  "bytes that are said to be signed": [
    made(2, 1, kind([8], 1, [339, 2]), [[0, 200]]),
    [0, 0, 0, 255, 200, 200, 200, 255],
  ],
  planes: [
    made(2, 1, kind([8, 8, 8], 2, [PLANAR, 2]), [
      [1, 2],
      [3, 4],
      [5, 6],
    ]),
    [1, 3, 5, 255, 2, 4, 6, 255],
  ],
  "planes with alpha": [made(1, 1, kind([8, 8, 8, 8], 2, [PLANAR, 2], [EXTRA, 2]), [[1], [3], [5], [7]]), [1, 3, 5, 7]],
  "premultiplied alpha": [made(1, 1, kind([8, 8, 8, 8], 2, [EXTRA, 1]), [[50, 25, 0, 100]]), [128, 64, 0, 100]],
  "alpha that is not said to be alpha": [made(1, 1, kind([8, 8, 8, 8], 2), [[50, 25, 0, 100]]), [50, 25, 0, 100]],
  "a sample that says nothing": [made(1, 1, kind([8, 8], 1, [EXTRA, 0]), [[50, 25]]), [50, 50, 50, 255]],
  "inks without a profile": [made(1, 1, kind([8, 8, 8, 8], 5), [[0, 255, 51, 51]]), [204, 0, 163, 255]],
  // Lab of sRGB's red and blue by the definitions of the CIE, with white D50: 54.29, 80.8, 69.9; 29.57, 68.3, -112.
  "Lab, 8 bits": [made(1, 1, kind([8, 8, 8], 8), [[138, 81, 70]]), [255, 0, 0, 255]],
  "Lab, 16 bits": [made(1, 1, kind([16, 16, 16], 8), [[0xb2, 0x4b, 0x4c, 0x44, 0x08, 0x90]]), [0, 0, 255, 255]],
} as const;

describe("TIFF", () => {
  it.each(FILES)("is read: %s", async (_name, file, facts, expected) => {
    const bytes = new Uint8Array(file);
    expect(tiff.read.factsOf(bytes)).toMatchObject(facts);
    expect(await fileDigest(tiff, bytes)).toBe(expected);
  });

  it.each(Object.entries(MADE))("is read: %s", async (_name, [bytes, expected]) => {
    const { data } = await decodeFile(tiff, bytes);
    expect(data.length).toBe(expected.length);
    data.forEach((value, at) => expect(Math.abs(value - (expected[at] ?? NaN))).toBeLessThanOrEqual(3));
  });

  it.each([
    ["one strip", bwPackbits],
    ["tiles", video001Tile64x64],
    ["several strips", video001Paletted],
    ["old JPEG", oldJpeg],
  ])("gives a region as it is in the whole: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const facts = tiff.read.factsOf(bytes);
    const { width } = facts;
    const whole = (await decodeFile(tiff, bytes)).data;
    for await (const { rows } of tiff.read.open(
      bytes,
      facts,
      { box: { x: 0, y: 37, width, height: 9 }, width, height: 9 },
      UNPAUSED,
    )) {
      let y = 37;
      for (let read = await rows.read(4); read; read = await rows.read(4)) {
        expect(read).toEqual(whole.subarray(y * width * 4, y * width * 4 + read.length));
        y += read.length / width / 4;
      }
      expect(y).toBe(46);
    }
  });

  it.each(Object.entries(REFUSED))("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(tiff, new Uint8Array(file))).toBe(422);
  });

  it.each(Object.entries(READ))("is read with %s", async (_name, file) => {
    expect(await outcomeOf(tiff, new Uint8Array(file))).toBe("decoded");
  });

  it.each([
    ["WebP", new Uint8Array(webpLossless), "The TIFF file is compressed with WebP, which is not supported"],
    [
      "LERC",
      made(1, 1, kind([8], 1, [259, 34_887]), [[7]]),
      "The TIFF file is compressed with LERC, which is not supported",
    ],
    [
      "nobody knows what",
      made(1, 1, kind([8], 1, [259, 4_711]), [[7]]),
      "The TIFF file is compressed in a way that is not supported",
    ],
  ])("says that it is compressed with %s", async (_name, bytes, message) => {
    expect(() => tiff.read.factsOf(bytes)).toThrow(message);
    expect(await outcomeOf(tiff, bytes)).toBe(422);
  });

  it("says whether it is damaged or of another kind", async () => {
    expect(() => tiff.read.factsOf(new Uint8Array(tiffIfdBeyond))).toThrow("The TIFF file is damaged or cut short");
    const floating = made(1, 1, kind([24], 1, [339, 3]), [[1, 2, 3]]);
    expect(() => tiff.read.factsOf(floating)).toThrow("The TIFF file has samples of a kind that is not supported");
  });

  it("holds no more memory than it declares, and none afterward", async () => {
    for (const [name, file] of FILES) {
      const bytes = new Uint8Array(file);
      const facts = tiff.read.factsOf(bytes);
      const before = tiffHeap(true).used;
      await decodeFile(tiff, bytes);
      const { used, peak } = tiffHeap();
      expect(used, name).toBe(before);
      const declared = tiff.read.estimate(facts, {
        box: { x: 0, y: 0, width: 1, height: 1 },
        width: 1,
        height: 1,
      }).bytes;
      expect(peak - before, name).toBeLessThanOrEqual(declared);
    }
  });

  it("is refused wherever it ends", async () => {
    for (const file of [bigTiff, bwPackbits, video00116bit, video001Tile64x64, quadTileJpg]) {
      for (const part of beginnings(new Uint8Array(file), 40)) {
        // A directory at the end of the file may lose what nobody needs.
        if (part.length < 0.9 * file.byteLength) expect(await outcomeOf(tiff, part)).toBe(422);
      }
    }
  });

  it("is refused or read whatever its bytes are, and leaves no memory and no instance behind", async () => {
    const files = [bigTiff, bwDeflate, bwGopherCcittgroup3, bwGopherCcittgroup4, cmykJpegNoProfile, lzwRgba4444];
    files.push(smColorsPbTile, testFloat64Predictor2BeLzw, video001Paletted, tmLzwBufferOverflow);
    await outcomeOf(tiff, new Uint8Array(bigTiff));
    const before = tiffHeap().used;
    for (const file of files) {
      for (const mutated of mutations(new Uint8Array(file), 300)) await outcomeOf(tiff, mutated);
    }
    expect(tiffHeap().used).toBe(before);
    const statistics = nativeStatistics().find(({ name }) => name === "tiff");
    expect(statistics?.replaced).toBeGreaterThan(0);
  });
});
