/** Reading HEIC files. */
import { describe, expect, it } from "vitest";

import { toSrgb } from "../../../../src/image/codec/convert-colors.ts";
import { heic } from "../../../../src/image/formats/heic.ts";
import { hevc } from "../../../../src/image/formats/heic/codec.ts";
import { readItems } from "../../../../src/image/formats/heif/items.ts";
import { pictureOf } from "../../../../src/image/formats/heif/picture.ts";
import { writeHeif } from "../../../../src/image/formats/heif/write.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { detect } from "../../../../src/image/plan/detect.ts";
import { turn } from "../../../../src/image/steps/turn.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { hevcDecodeHeap } from "../../../../wasm/hevc-decode/decoder.ts";
import alpha from "../../../fixtures/heic/alpha.heic";
import clap from "../../../fixtures/heic/clap.heic";
import depth10 from "../../../fixtures/heic/depth10.heic";
import depth12 from "../../../fixtures/heic/depth12.heic";
import exif from "../../../fixtures/heic/exif.heic";
import grayAlpha from "../../../fixtures/heic/gray-alpha.heic";
import gray from "../../../fixtures/heic/gray.heic";
import grid from "../../../fixtures/heic/grid.heic";
import premultiplied from "../../../fixtures/heic/premultiplied.heic";
import rgba from "../../../fixtures/heic/rgba.heic";
import s420 from "../../../fixtures/heic/s420.heic";
import s422 from "../../../fixtures/heic/s422.heic";
import s444 from "../../../fixtures/heic/s444.heic";
import sequence from "../../../fixtures/heic/sequence.heic";
import source from "../../../fixtures/heic/source.png";
import turn00 from "../../../fixtures/heic/turn-0-0.heic";
import turn01 from "../../../fixtures/heic/turn-0-1.heic";
import turn10 from "../../../fixtures/heic/turn-1-0.heic";
import turn11 from "../../../fixtures/heic/turn-1-1.heic";
import turn1 from "../../../fixtures/heic/turn-1-none.heic";
import turn20 from "../../../fixtures/heic/turn-2-0.heic";
import turn21 from "../../../fixtures/heic/turn-2-1.heic";
import turn2 from "../../../fixtures/heic/turn-2-none.heic";
import turn30 from "../../../fixtures/heic/turn-3-0.heic";
import turn31 from "../../../fixtures/heic/turn-3-1.heic";
import turn3 from "../../../fixtures/heic/turn-3-none.heic";
import { decodeFile, fileDigest } from "../../../support/files.ts";
import { digest, drain, paint, psnr, rowsOf, sample, type Pixels } from "../../../support/rows.ts";

/** Of 133 x 101 pixels of one photograph; decibels that heif-convert of libheif 1.15 gets against it. */
const PHOTOGRAPHS = [
  ["4:2:0", s420, { subsample: "4:2:0", depth: 24 }, 41.48],
  ["4:2:2", s422, { subsample: "4:2:2", depth: 24 }, 41.49],
  ["4:4:4", s444, { subsample: "4:4:4", depth: 24 }, 41.94],
  ["10 bits", depth10, { subsample: "4:2:0", depth: 30 }, 42],
  ["12 bits", depth12, { subsample: "4:2:0", depth: 36 }, 42.09],
] as const;

/** Digests of what heif-convert makes of files without halved chroma. */
const EXACT = [
  ["4:4:4", s444, { colorspace: "YCbCr", orientation: 1 }, "ca5e2eab940f294a"],
  ["gray", gray, { colorspace: "Gray", depth: 8, quality: 100 }, "f4e9540644bfb14a"],
  ["gray with alpha", grayAlpha, { colorspace: "Gray", depth: 16, alpha: true }, "701e2331ce89600f"],
  ["gray with a clean aperture", clap, { colorspace: "Gray", width: 29, height: 100 }, "08fdbf4b5e921ed6"],
] as const;

/** Turned by `irot` quarters counterclockwise, then mirrored by `imir`; digests of what heif-convert makes of them. */
const TURNS = [
  ["mirrored top to bottom", turn00, 4, "d6a2d6288a9ee0c9"],
  ["mirrored left to right", turn01, 2, "e8134271aab849dc"],
  ["a quarter", turn1, 8, "65ac91f3c0885bed"],
  ["a quarter, mirrored top to bottom", turn10, 5, "7aa8294312894235"],
  ["a quarter, mirrored left to right", turn11, 7, "1fccd46e9e73cb3f"],
  ["half", turn2, 3, "c0ada05d730a6c0d"],
  ["half, mirrored top to bottom", turn20, 2, "e8134271aab849dc"],
  ["half, mirrored left to right", turn21, 4, "d6a2d6288a9ee0c9"],
  ["three quarters", turn3, 6, "e91afeaa3b79aaa4"],
  ["three quarters, mirrored top to bottom", turn30, 7, "1fccd46e9e73cb3f"],
  ["three quarters, mirrored left to right", turn31, 5, "7aa8294312894235"],
] as const;

const photograph = await decodeFile(png, new Uint8Array(source));

function region(picture: Pixels, width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    data.set(picture.data.subarray(y * picture.width * 4, (y * picture.width + width) * 4), y * width * 4);
  }
  return { width, height, data };
}

/** The coded picture of a file with other numbers for its colors. */
function recolored(file: ArrayBuffer, matrix: number, fullRange: boolean, primaries = 1): Uint8Array {
  const items = readItems(new Uint8Array(file));
  const { color } = pictureOf(items, items.primary, hevc);
  const { config, payload } = color.tile(0);
  return writeHeif({
    width: 133,
    height: 101,
    tile: color.tileSize,
    grid: false,
    itemType: "hvc1",
    configType: "hvcC",
    brands: ["heic", "mif1"],
    color: {
      config,
      bits: [8, 8, 8],
      tiles: [payload],
    },
    primaries,
    transfer: 13,
    matrix,
    fullRange,
  });
}

/** What a pixel becomes whose samples are read by another matrix, given as the shares of red and blue in luma. */
function reread(
  [red = 0, green = 0, blue = 0]: readonly number[],
  shares: readonly [number, number],
  fullRange: boolean,
) {
  const luma = (r: number, g: number, b: number) => 0.299 * r + 0.587 * g + 0.114 * b;
  const y = luma(red, green, blue);
  const [cb, cr] = [(blue - y) / 1.772, (red - y) / 1.402];
  const [share, other] = shares;
  const scale = fullRange ? 1 : 255 / 224;
  const l = fullRange ? y : ((y - 16) * 255) / 219;
  const [r, b] = [l + 2 * (1 - share) * cr * scale, l + 2 * (1 - other) * cb * scale];
  return [r, (l - share * r - other * b) / (1 - share - other), b].map((value) => Math.min(255, Math.max(0, value)));
}

describe("HEIC", () => {
  it.each(PHOTOGRAPHS)("is read as well as by libheif: %s", async (_name, file, facts, decibels) => {
    const bytes = new Uint8Array(file);
    expect(detect(bytes)).toBe("heic");
    expect(heic.read.factsOf(bytes)).toMatchObject({
      ...facts,
      width: 133,
      height: 101,
      alpha: false,
      colorspace: "YCbCr",
    });
    expect(psnr(await decodeFile(heic, bytes), photograph)).toBeGreaterThan(decibels);
  });

  it.each(EXACT)("is read exactly: %s", async (_name, file, facts, expected) => {
    const bytes = new Uint8Array(file);
    expect(heic.read.factsOf(bytes)).toMatchObject(facts);
    expect(await fileDigest(heic, bytes)).toBe(expected);
  });

  it.each(TURNS)("is turned: %s", async (_name, file, orientation, expected) => {
    const bytes = new Uint8Array(file);
    const facts = heic.read.factsOf(bytes);
    expect(facts).toMatchObject({ orientation, width: 24, height: 16 });
    const demand = { box: { x: 0, y: 0, width: 24, height: 16 }, width: 24, height: 16 };
    for await (const { rows } of heic.read.open(bytes, facts, demand, UNPAUSED)) {
      expect(await digest((await drain(turn(rows, orientation))).data)).toBe(expected);
    }
  });

  it("reads a grid tile row by tile row", async () => {
    const bytes = new Uint8Array(grid);
    expect(heic.read.factsOf(bytes)).toMatchObject({ width: 100, height: 90, subsample: "4:2:0" });
    expect(psnr(await decodeFile(heic, bytes), region(photograph, 100, 90))).toBeGreaterThan(42.42);
  });

  it("reads alpha, and undoes its multiplication", async () => {
    const straight = await decodeFile(heic, new Uint8Array(alpha));
    const divided = await decodeFile(heic, new Uint8Array(premultiplied));
    expect(heic.read.factsOf(new Uint8Array(alpha))).toMatchObject({ alpha: true, depth: 32 });
    for (let at = 0; at < straight.data.length; at += 4) {
      const opacity = sample(straight.data, at + 3);
      expect(sample(divided.data, at + 3)).toBe(opacity);
      if (opacity === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const expected = Math.min(255, (sample(straight.data, at + channel) * 255) / opacity);
        expect(Math.abs(sample(divided.data, at + channel) - expected)).toBeLessThanOrEqual(0.5);
      }
    }
  });

  it.each([
    ["BT.709", 1, true, [0.2126, 0.0722]],
    ["BT.709, limited range", 1, false, [0.2126, 0.0722]],
    ["BT.601, limited range", 6, false, [0.299, 0.114]],
    ["BT.2020", 9, true, [0.2627, 0.0593]],
  ] as const)("believes the container about colors: %s", async (_name, matrix, fullRange, shares) => {
    const plain = await decodeFile(heic, new Uint8Array(s444));
    const bytes = recolored(s444, matrix, fullRange);
    const { data } = await decodeFile(heic, bytes);
    for (let at = 0; at < data.length; at += 4) {
      const before = plain.data.subarray(at, at + 3);
      // What was clipped cannot be told.
      if (before.some((value) => value === 0 || value === 255)) continue;
      reread([...before], shares, fullRange).forEach((value, channel) => {
        expect(Math.abs(sample(data, at + channel) - value)).toBeLessThanOrEqual(3);
      });
    }
  });

  it("takes samples as green, blue and red where the matrix says so", async () => {
    expect(heic.read.factsOf(recolored(s444, 0, true)).colorspace).toBe("RGB");
    const plain = (await decodeFile(heic, new Uint8Array(s444))).data;
    const { data } = await decodeFile(heic, recolored(s444, 0, true));
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = [sample(plain, at), sample(plain, at + 1), sample(plain, at + 2)];
      if ([red, green, blue].some((value) => value === 0 || value === 255)) continue;
      expect(Math.abs(sample(data, at + 1) - (0.299 * red + 0.587 * green + 0.114 * blue))).toBeLessThanOrEqual(1.5);
    }
  });

  it.each([
    ["Display P3", 12, [249, 77, 72]],
    ["BT.2020", 9, [255, 35, 72]],
  ])("converts from the primaries that the container names: %s", async (_name, primaries, expected) => {
    expect(heic.read.factsOf(recolored(s444, 6, true)).profile).toBeUndefined();
    const { profile } = heic.read.factsOf(recolored(s444, 6, true, primaries));
    const color = paint(1, 1, () => [230, 90, 80, 255]);
    const converted = (await drain(toSrgb(rowsOf(color), profile, "YCbCr"))).data;
    expected.forEach((value, channel) => expect(Math.abs(sample(converted, channel) - value)).toBeLessThanOrEqual(4));
  });

  it("does not turn by EXIF data, which the file repeats after it was turned", async () => {
    expect(heic.read.factsOf(new Uint8Array(exif))).toMatchObject({ width: 24, height: 16, orientation: 1 });
  });

  it("can be had without its metadata", async () => {
    const bytes = new Uint8Array(exif);
    const stripped = heic.strip(bytes).file();
    const text = (file: Uint8Array) => new TextDecoder("latin1").decode(file);
    expect(text(bytes)).toContain("secret");
    expect(text(stripped)).not.toContain("secret");
    expect(stripped.length).toBeLessThan(bytes.length);
    expect(await decodeFile(heic, stripped)).toEqual(await decodeFile(heic, bytes));
    for (const file of [s420, rgba, clap, turn10]) {
      const other = new Uint8Array(file);
      expect(heic.read.factsOf(heic.strip(other).file())).toEqual(heic.read.factsOf(other));
      expect(await decodeFile(heic, heic.strip(other).file())).toEqual(await decodeFile(heic, other));
    }
    expect(heic.strip(new Uint8Array(sequence)).file()).toEqual(new Uint8Array(sequence));
  });

  it("takes the still picture of a sequence", async () => {
    const bytes = new Uint8Array(sequence);
    expect(heic.read.factsOf(bytes)).toMatchObject({ width: 200, height: 160, frames: 1 });
    expect((await decodeFile(heic, bytes)).data.length).toBe(200 * 160 * 4);
  });

  it.each([
    ["4:2:0", s420],
    ["a grid", grid],
    ["a grid with alpha", rgba],
  ])("gives a region as it is in the whole: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const facts = heic.read.factsOf(bytes);
    const whole = await decodeFile(heic, bytes);
    const box = { x: 9, y: 61, width: 17, height: 23 };
    for await (const decoded of heic.read.open(bytes, facts, { box, width: 17, height: 23 }, UNPAUSED)) {
      const part = await drain(decoded.rows);
      for (let y = 0; y < box.height; y++) {
        const at = ((decoded.box.y + y) * part.width + decoded.box.x) * 4;
        const from = ((box.y + y) * whole.width + box.x) * 4;
        expect(part.data.subarray(at, at + box.width * 4)).toEqual(whole.data.subarray(from, from + box.width * 4));
      }
    }
  });

  it("holds no more memory than it declares, and none afterward", async () => {
    for (const file of [s420, s422, s444, depth12, grid, rgba, alpha, sequence]) {
      const bytes = new Uint8Array(file);
      const facts = heic.read.factsOf(bytes);
      hevcDecodeHeap(true);
      await decodeFile(heic, bytes);
      const { used, peak } = hevcDecodeHeap();
      expect(used).toBe(0);
      expect(peak).toBeLessThanOrEqual(heic.read.estimate(facts).bytes);
    }
  });
});
