/** Reading JPEG 2000 files. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { jpeg2000 } from "../../../../src/image/formats/jpeg2000.ts";
import { openFile } from "../../../../src/image/formats/jpeg2000/facts.ts";
import { layoutOf } from "../../../../src/image/formats/jpeg2000/layout.ts";
import { bandsOf } from "../../../../src/image/formats/jpeg2000/windows.ts";
import { jxl } from "../../../../src/image/formats/jxl.ts";
import { resample } from "../../../../src/image/steps/resample.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jpeg2000Heap } from "../../../../wasm/jpeg2000/instance.ts";
import alpha from "../../../fixtures/jpeg2000/alpha.jp2";
import boxLength from "../../../fixtures/jpeg2000/broken/jp2-box-length-1.jp2";
import headerOnly from "../../../fixtures/jpeg2000/broken/jp2-header-only.jp2";
import size60000 from "../../../fixtures/jpeg2000/broken/jp2-siz-60000.jp2";
import sizeMax from "../../../fixtures/jpeg2000/broken/jp2-siz-max.jp2";
import tiles1x1 from "../../../fixtures/jpeg2000/broken/jp2-tiles-1x1.jp2";
import truncated from "../../../fixtures/jpeg2000/broken/jp2-truncated.jp2";
import magicOnly from "../../../fixtures/jpeg2000/broken/magic-only.jp2";
import grayAlpha from "../../../fixtures/jpeg2000/gray-alpha.j2k";
import gray from "../../../fixtures/jpeg2000/gray.j2k";
import index from "../../../fixtures/jpeg2000/index.j2k";
import inksAlpha from "../../../fixtures/jpeg2000/inks-alpha.j2k";
import inks from "../../../fixtures/jpeg2000/inks.j2k";
import layers from "../../../fixtures/jpeg2000/layers.jp2";
import lossless from "../../../fixtures/jpeg2000/lossless.jp2";
import lossy from "../../../fixtures/jpeg2000/lossy.jp2";
import lowPrecincts from "../../../fixtures/jpeg2000/low-precincts.j2k";
import parts from "../../../fixtures/jpeg2000/parts.j2k";
import signed from "../../../fixtures/jpeg2000/signed.j2k";
import sixteen from "../../../fixtures/jpeg2000/sixteen.jp2";
import styles from "../../../fixtures/jpeg2000/styles.j2k";
import tilesOffset from "../../../fixtures/jpeg2000/tiles-offset.j2k";
import tiles from "../../../fixtures/jpeg2000/tiles.j2k";
import twelve from "../../../fixtures/jpeg2000/twelve.jp2";
import ycc420 from "../../../fixtures/jpeg2000/ycc420.j2k";
import inksJxl from "../../../fixtures/jxl/inks.jxl";
import adobeRgb from "../../../fixtures/profiles/adobe-rgb.icc";
import { decodeFile, fileDigest, outcomeOf } from "../../../support/files.ts";
import { drain, psnr, rowsOf, sample } from "../../../support/rows.ts";
import { strippedFile } from "../../../support/stripped.ts";
import { box, definitions, enumerated, jp2File, palette, profiled } from "./files.ts";

/**
 * Digests of what `opj_decompress` of OpenJPEG 2.5.0 makes of the files, as RGBA of 8 bits. The last three differ from
 * it by at most one level, in how they are rounded.
 */
const FILES = [
  ["reversible", lossless, { quality: 100, depth: 24, colorspace: "RGB" }, "da9e4df5ba0ccfb5"],
  ["irreversible", lossy, { interlaced: true }, "6db36dec3b10d1f1"],
  ["gray, with markers in packets", gray, { colorspace: "Gray", depth: 8 }, "4b22f87a3d5c7f61"],
  ["alpha", alpha, { alpha: true, depth: 32 }, "63218c6cde371842"],
  ["tiles, by position", tiles, { interlaced: false }, "da9e4df5ba0ccfb5"],
  ["tiles and a picture off the origin, precincts", tilesOffset, { width: 101, height: 77 }, "da9e4df5ba0ccfb5"],
  ["layers and small code blocks", layers, { subsample: "4:4:4" }, "fb529273a5268958"],
  ["tile parts by resolution", parts, {}, "da9e4df5ba0ccfb5"],
  ["every style of code blocks", styles, {}, "da9e4df5ba0ccfb5"],
  ["signed", signed, { depth: 8 }, "d6b1a31c9119ff65"],
  ["four components that nothing is said of", inks, { alpha: true }, "66605f055406ad9b"],
  ["16 bits", sixteen, { depth: 48 }, "aa58f8c4b5dde392"],
  ["12 bits", twelve, { depth: 36 }, "4a7c9fea5e4281c5"],
  ["subsampled chroma", ycc420, { colorspace: "YCbCr", subsample: "4:2:0" }, "f665668c0f80ceac"],
] as const;

const REFUSED = {
  "a box that escapes": boxLength,
  "no codestream": headerOnly,
  "2^32 - 1 pixels a side": sizeMax,
  "3.6 billion tiles": tiles1x1,
  "a codestream that is cut short": truncated,
  "nothing after the signature": magicOnly,
};

/** Of decoding all of a file. */
function estimateOf(file: ArrayBuffer | Uint8Array) {
  const facts = jpeg2000.read.factsOf(new Uint8Array(file));
  const { width, height } = facts;
  return jpeg2000.read.estimate(facts, { box: { x: 0, y: 0, width, height }, width, height });
}

const OPACITY = [3, 1, 0] as const;
const FOUR_INKS = [
  [0, 0, 1],
  [1, 0, 2],
  [2, 0, 3],
  [3, 0, 4],
] as const;
/** The profile of four inks, which black darkens to black. */
const inkProfile = () => jxl.read.factsOf(new Uint8Array(inksJxl)).profile ?? new Uint8Array();

describe("JPEG 2000", () => {
  it.each(FILES)("is read: %s", async (_name, file, facts, expected) => {
    const bytes = new Uint8Array(file);
    expect(jpeg2000.read.factsOf(bytes)).toMatchObject(facts);
    expect(await fileDigest(jpeg2000, bytes)).toBe(expected);
  });

  it("is refused when it is larger than it could be", () => {
    expect(jpeg2000.read.factsOf(new Uint8Array(size60000))).toMatchObject({ width: 60_000, height: 60_000 });
    expect(estimateOf(size60000).bytes).toBeGreaterThan(1 << 26);
  });

  it.each(Object.entries(REFUSED))("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(jpeg2000, new Uint8Array(file))).toBe(422);
  });

  it("is read without its end marker, and with more behind it", async () => {
    const bytes = new Uint8Array(lossless);
    const whole = (await decodeFile(jpeg2000, bytes)).data;
    const same = async (other: Uint8Array) =>
      (await decodeFile(jpeg2000, other)).data.every((value, at) => value === whole[at]);
    expect(await same(bytes.subarray(0, -2))).toBe(true);
    expect(await same(Uint8Array.from([...bytes, 1, 2, 3]))).toBe(true);
  });
});

describe("the boxes of a JP2 file", () => {
  const pixels = async (bytes: Uint8Array) => (await decodeFile(jpeg2000, bytes)).data;
  let four: Uint8Array;
  beforeAll(async () => {
    four = await pixels(new Uint8Array(inks));
  });
  const channel = (data: Uint8Array, at: number) => data.filter((_, place) => place % 4 === at);

  it("say in which order colors are", async () => {
    const reversed = definitions([0, 0, 3], [1, 0, 2], [2, 0, 1], OPACITY);
    const data = await pixels(jp2File(inks, [enumerated(16), reversed]));
    for (const at of [0, 1, 2]) expect(channel(data, at)).toEqual(channel(four, 2 - at));
    expect(channel(data, 3)).toEqual(channel(four, 3));
  });

  it("say that colors are multiplied with their opacity", async () => {
    const premultiplied = definitions([0, 0, 1], [1, 0, 2], [2, 0, 3], [3, 2, 0]);
    const data = await pixels(jp2File(inks, [enumerated(16), premultiplied]));
    data.forEach((value, at) => {
      const opacity = sample(four, at | 3);
      const straight = opacity ? Math.min(255, Math.round((sample(four, at) * 255) / opacity)) : 0;
      if (at % 4 !== 3) expect(Math.abs(value - straight)).toBeLessThanOrEqual(1);
    });
  });

  it("say that there is no opacity", () => {
    const plain = definitions([0, 0, 1], [1, 0, 2], [2, 0, 3], [3, 65, 0]);
    expect(jpeg2000.read.factsOf(jp2File(inks, [enumerated(16), plain])).alpha).toBe(false);
  });

  it("hold a palette", async () => {
    const colors = [0, 1, 2, 3, 4, 5, 6, 7].map((entry) => [entry * 30, 255 - entry, entry === 3 ? 200 : 0]);
    const file = jp2File(index, [enumerated(16), ...palette(...colors)]);
    const data = await pixels(file);
    const indices = channel(await pixels(new Uint8Array(index)), 0);
    expect(jpeg2000.read.factsOf(file)).toMatchObject({ colorspace: "Palette", depth: 8 });
    indices.forEach((entry, at) =>
      expect([...data.subarray(at * 4, at * 4 + 4)]).toEqual([...(colors[entry] ?? []), 255]),
    );
  });

  it("hold a palette with opacity", async () => {
    const colors = [0, 1, 2, 3, 4, 5, 6, 7].map((entry) => [1, 2, 3, entry * 36]);
    const roles = definitions([0, 0, 1], [1, 0, 2], [2, 0, 3], OPACITY);
    const data = await pixels(jp2File(index, [enumerated(16), ...palette(...colors), roles]));
    expect(channel(data, 3)).toEqual(channel(await pixels(new Uint8Array(index)), 0).map((entry) => entry * 36));
  });

  it("hold a palette with more columns than channels", async () => {
    const columns = 255;
    const level = (entry: number, column: number) => (entry * 30 + column) % 256;
    const colors = Array.from({ length: 1024 }, (_, entry) =>
      Array.from({ length: columns }, (_unused, column) => level(entry, column)),
    );
    const depths = Array.from({ length: columns }, () => 7);
    const used = [0, 254, 9];
    const mapping = used.flatMap((column) => [0, 0, 1, column]);
    const header = [4, 0, columns, ...depths];
    const data = await pixels(
      jp2File(index, [enumerated(16), box("pclr", [...header, ...colors.flat()]), box("cmap", mapping)]),
    );
    const indices = channel(await pixels(new Uint8Array(index)), 0);
    indices.forEach((entry, at) =>
      expect([...data.subarray(at * 4, at * 4 + 4)]).toEqual([...used.map((column) => level(entry, column)), 255]),
    );
  });

  it("say that there are four inks", async () => {
    const file = jp2File(inks, [enumerated(12)]);
    expect(jpeg2000.read.factsOf(file)).toMatchObject({ colorspace: "CMYK", alpha: false });
    (await pixels(file)).forEach((value, at) => {
      const key = 255 - sample(four, at | 3);
      expect(value).toBe(at % 4 === 3 ? 255 : Math.floor(((255 - sample(four, at)) * key + 127) / 255));
    });
  });

  it.each([
    ["whose colors follow from a profile", () => profiled(inkProfile())],
    ["whose colors follow from nothing", () => enumerated(12)],
  ])("say that there is alpha beside four inks, %s", async (_name, color) => {
    const opaque = jp2File(inksAlpha, [color(), definitions(...FOUR_INKS, [4, 65_535, 65_535])]);
    const clear = jp2File(inksAlpha, [color(), definitions(...FOUR_INKS, [4, 1, 0])]);
    expect(jpeg2000.read.factsOf(clear)).toMatchObject({ colorspace: "CMYK", alpha: true });
    const [without, data] = [await pixels(opaque), await pixels(clear)];
    for (const at of [0, 1, 2]) expect(channel(data, at)).toEqual(channel(without, at));
    const levels = Uint8Array.from({ length: 40 }, (_, x) =>
      x < 10 ? 255 : x < 30 ? Math.floor(((x - 10) * 255) / 20) : 0,
    );
    for (let y = 0; y < 30; y++) expect(channel(data, 3).subarray(y * 40, y * 40 + 40)).toEqual(levels);
    // Small and in parts, inks and alpha are still those of the same pixels.
    const facts = jpeg2000.read.factsOf(clear);
    const demand = { box: { x: 7, y: 9, width: 30, height: 20 }, width: 30, height: 20 };
    for await (const { rows, box: at } of jpeg2000.read.open(clear, facts, demand, UNPAUSED)) {
      const part = await drain(rows, 3);
      for (let y = 0; y < 20; y++) {
        const from = ((at.y + y) * part.width + at.x) * 4;
        const expected = ((9 + y) * 40 + 7) * 4;
        expect(part.data.subarray(from, from + 120)).toEqual(data.subarray(expected, expected + 120));
      }
    }
  });

  it("say that inks are multiplied with alpha", async () => {
    const clear = jp2File(inksAlpha, [enumerated(12), definitions(...FOUR_INKS, [4, 1, 0])]);
    const multiplied = jp2File(inksAlpha, [enumerated(12), definitions(...FOUR_INKS, [4, 2, 0])]);
    const [data, straightened] = [await pixels(clear), await pixels(multiplied)];
    expect(channel(straightened, 3)).toEqual(channel(data, 3));
    data.forEach((value, at) => {
      const opacity = sample(data, at | 3);
      // More ink than was stored: darker, where it is not opaque.
      if (opacity === 255) expect(straightened[at]).toBe(value);
      else if (at % 4 < 3 && opacity > 0) expect(sample(straightened, at)).toBeLessThanOrEqual(value);
    });
  });

  it("say that the color of gray is that of all the picture", async () => {
    const color = definitions([0, 0, 0], [1, 1, 0]);
    const expected = await pixels(jp2File(grayAlpha, [enumerated(17), definitions([0, 0, 1], [1, 1, 0])]));
    const file = jp2File(grayAlpha, [enumerated(17), color]);
    expect(jpeg2000.read.factsOf(file)).toMatchObject({ colorspace: "Gray", alpha: true });
    expect(await pixels(file)).toEqual(expected);
  });

  it("hold a profile, which is honored", async () => {
    const { codestream } = openFile(new Uint8Array(lossless)).file;
    const file = jp2File(codestream, [profiled(adobeRgb)]);
    const plain = await pixels(new Uint8Array(lossless));
    const wide = await pixels(file);
    expect(jpeg2000.read.factsOf(file).profile).toEqual(new Uint8Array(adobeRgb));
    expect(psnr({ width: 101, height: 77, data: plain }, { width: 101, height: 77, data: wide })).toBeLessThan(45);
  });

  it("may hold an orientation", () => {
    const tag = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0];
    const exif = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...tag, 0, 0, 0, 0];
    const uuid = new TextEncoder().encode("JpgTiffExif->JP2");
    expect(jpeg2000.read.factsOf(jp2File(inks, [enumerated(16)], box("uuid", [...uuid, ...exif]))).orientation).toBe(6);
  });

  it("are left out where the picture does not need them", () => {
    const note = box("xml ", [60, 97, 47, 62]);
    const file = jp2File(inks, [enumerated(16)], note);
    const stripped = strippedFile(jpeg2000.strip(Uint8Array.from([...file, ...note])));
    expect(stripped).toEqual(jp2File(inks, [enumerated(16)]));
  });

  it.each([
    ["a color space of another kind", [enumerated(99)]],
    ["a palette without entries", [enumerated(16), box("pclr", [0, 0, 3, 7, 7, 7])]],
    ["a palette that ends early", [enumerated(16), box("pclr", [0, 9, 3, 7, 7, 7, 1, 2])]],
    ["a channel that is no component", [enumerated(16), ...palette([1, 2, 3]).slice(0, 1), box("cmap", [0, 9, 1, 0])]],
    ["a color that is missing", [enumerated(16), definitions([0, 0, 3])]],
    ["the same color twice", [enumerated(16), definitions([0, 0, 1], [1, 0, 1], [2, 0, 3])]],
    ["a box in the header that escapes", [box("colr", [1, 0, 0, 0, 0, 0, 16], 5_000)]],
  ])("are refused with %s", async (_name, header) => {
    expect(await outcomeOf(jpeg2000, jp2File(inks, header))).toBe(422);
  });
});

describe("parts of a JPEG 2000 picture", () => {
  const whole = { x: 0, y: 0, width: 101, height: 77 };

  it.each([
    ["one tile", lossless],
    ["tiles", tiles],
    ["tiles off the origin", tilesOffset],
    ["subsampled chroma", ycc420],
    ["an irreversible transform", lossy],
  ])("are as they are in the whole: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const facts = jpeg2000.read.factsOf(bytes);
    const all = (await decodeFile(jpeg2000, bytes)).data;
    for (const wanted of [whole, { x: 38, y: 21, width: 41, height: 30 }, { x: 99, y: 3, width: 2, height: 74 }]) {
      for await (const { rows, box: at } of jpeg2000.read.open(
        bytes,
        facts,
        {
          box: wanted,
          width: wanted.width,
          height: wanted.height,
        },
        UNPAUSED,
      )) {
        const { width, data } = await drain(rows, 7);
        for (let y = 0; y < wanted.height; y++) {
          const from = ((at.y + y) * width + at.x) * 4;
          const expected = ((wanted.y + y) * 101 + wanted.x) * 4;
          const length = wanted.width * 4;
          // A window in floating point may round otherwise than the whole.
          data.subarray(from, from + length).forEach((value, place) => {
            expect(Math.abs(value - sample(all, expected + place))).toBeLessThanOrEqual(file === lossless ? 0 : 1);
          });
        }
      }
    }
  });

  it.each([
    ["one tile", lossless],
    ["tiles off the origin", tilesOffset],
    ["subsampled chroma", ycc420],
  ])("are decoded smaller where that is enough: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const facts = jpeg2000.read.factsOf(bytes);
    const small = { width: 25, height: 19 };
    const options = { ...small, kernel: "lanczos3" } as const;
    const expected = await drain(resample(rowsOf(await decodeFile(jpeg2000, bytes)), { ...options, box: whole }));
    for await (const { rows, box: at } of jpeg2000.read.open(bytes, facts, { box: whole, ...small }, UNPAUSED)) {
      expect(rows.width).toBeLessThan(60);
      expect(psnr(await drain(resample(rows, { ...options, box: at })), expected)).toBeGreaterThan(28);
    }
  });

  it("cover what is wanted, each pixel once, in the memory that was declared", () => {
    const stream = openFile(new Uint8Array(tilesOffset)).stream;
    const layout = layoutOf({ codestream: new Uint8Array(tilesOffset) }, stream);
    const side = fc.integer({ min: 1, max: 30_000 });
    const tileSide = fc.integer({ min: 1, max: 9_000 });
    const property = fc.property(
      side,
      side,
      tileSide,
      tileSide,
      fc.nat(6),
      fc.nat(200),
      (width, height, w, h, reduce, x) => {
        const tile = { x, y: x >> 1, width: w, height: h };
        const count = Math.ceil(width / w) * Math.ceil(height / h);
        fc.pre(count < 3_000);
        const region = { left: x, top: x, right: x + width, bottom: x + height };
        let [bottom, pixels] = [region.top, 0];
        const scaled = { x0: x, y0: x, x1: x + width * 2 ** reduce, y1: x + height * 2 ** reduce };
        for (const band of bandsOf({ ...stream, image: scaled, tile, tiles: count }, layout, region, reduce)) {
          expect(band.top).toBe(bottom);
          bottom = band.bottom;
          let right = region.left;
          for (const { area, decoded } of band.windows) {
            expect(area).toMatchObject({ left: right, top: band.top, bottom: band.bottom });
            expect(decoded.left <= area.left && decoded.top <= area.top).toBe(true);
            expect(decoded.right >= area.right && decoded.bottom >= area.bottom).toBe(true);
            right = area.right;
            pixels += (area.right - area.left) * (band.bottom - band.top);
          }
          expect(right).toBe(region.right);
          expect((band.bottom - band.top) * width).toBeLessThanOrEqual(8 << 20);
        }
        expect(bottom).toBe(region.bottom);
        expect(pixels).toBe(width * height);
      },
    );
    fc.assert(property, { numRuns: 300, seed: 1 });
  });

  it("take no more memory than declared, and none afterward", async () => {
    // Precincts of two rows make code blocks of a single one.
    for (const [name, file] of [...FILES, ["low precincts", lowPrecincts] as const]) {
      const bytes = new Uint8Array(file);
      const before = jpeg2000Heap(true).used;
      await decodeFile(jpeg2000, bytes);
      const { used, peak } = jpeg2000Heap();
      expect(used, name).toBe(before);
      expect(peak - before, name).toBeLessThanOrEqual(estimateOf(bytes).bytes);
    }
  });
});
