/** Reading PNG files. */
import { crc32, deflateSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { makeChunk, TYPE } from "../../../../src/image/formats/png/chunks.ts";
import { joined } from "../../../../src/joined.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import gamma1 from "../../../fixtures/png/gamma-1.png";
import gray1Adam7 from "../../../fixtures/png/gray-1-adam7.png";
import gray1 from "../../../fixtures/png/gray-1.png";
import gray2Adam7 from "../../../fixtures/png/gray-2-adam7.png";
import gray2 from "../../../fixtures/png/gray-2.png";
import gray4Adam7 from "../../../fixtures/png/gray-4-adam7.png";
import gray4 from "../../../fixtures/png/gray-4.png";
import gray8Adam7 from "../../../fixtures/png/gray-8-adam7.png";
import gray8 from "../../../fixtures/png/gray-8.png";
import gray16Adam7 from "../../../fixtures/png/gray-16-adam7.png";
import gray16 from "../../../fixtures/png/gray-16.png";
import grayAlpha8Adam7 from "../../../fixtures/png/gray-alpha-8-adam7.png";
import grayAlpha8 from "../../../fixtures/png/gray-alpha-8.png";
import grayAlpha16Adam7 from "../../../fixtures/png/gray-alpha-16-adam7.png";
import grayAlpha16 from "../../../fixtures/png/gray-alpha-16.png";
import palette1Adam7 from "../../../fixtures/png/palette-1-adam7.png";
import palette1 from "../../../fixtures/png/palette-1.png";
import palette2Adam7 from "../../../fixtures/png/palette-2-adam7.png";
import palette2 from "../../../fixtures/png/palette-2.png";
import palette4Adam7 from "../../../fixtures/png/palette-4-adam7.png";
import palette4 from "../../../fixtures/png/palette-4.png";
import palette8Adam7 from "../../../fixtures/png/palette-8-adam7.png";
import palette8Alpha from "../../../fixtures/png/palette-8-alpha.png";
import palette8 from "../../../fixtures/png/palette-8.png";
import rgb8Adam7 from "../../../fixtures/png/rgb-8-adam7.png";
import rgb8Key from "../../../fixtures/png/rgb-8-key.png";
import rgb8 from "../../../fixtures/png/rgb-8.png";
import rgb16Adam7 from "../../../fixtures/png/rgb-16-adam7.png";
import rgb16 from "../../../fixtures/png/rgb-16.png";
import rgba8Adam7 from "../../../fixtures/png/rgba-8-adam7.png";
import rgba8 from "../../../fixtures/png/rgba-8.png";
import rgba16Adam7 from "../../../fixtures/png/rgba-16-adam7.png";
import rgba16 from "../../../fixtures/png/rgba-16.png";
import { drain, noise } from "../../../support/rows.ts";

/** CRC-32 of the RGBA pixels as `convert <file> -depth 8 RGBA:-` of ImageMagick 6.9 gives them. */
const FILES = [
  ["gray-1-adam7", gray1Adam7, 0xd0b6265e],
  ["gray-1", gray1, 0xd0b6265e],
  ["gray-16-adam7", gray16Adam7, 0x2d25b7ea],
  ["gray-16", gray16, 0x2d25b7ea],
  ["gray-2-adam7", gray2Adam7, 0xf267ca00],
  ["gray-2", gray2, 0xf267ca00],
  ["gray-4-adam7", gray4Adam7, 0xc4f91174],
  ["gray-4", gray4, 0xc4f91174],
  ["gray-8-adam7", gray8Adam7, 0x2d25b7ea],
  ["gray-8", gray8, 0x2d25b7ea],
  ["gray-alpha-16-adam7", grayAlpha16Adam7, 0xed213886],
  ["gray-alpha-16", grayAlpha16, 0xed213886],
  ["gray-alpha-8-adam7", grayAlpha8Adam7, 0xed213886],
  ["gray-alpha-8", grayAlpha8, 0xed213886],
  ["palette-1-adam7", palette1Adam7, 0x54afe075],
  ["palette-1", palette1, 0x54afe075],
  ["palette-2-adam7", palette2Adam7, 0x8495246a],
  ["palette-2", palette2, 0x8495246a],
  ["palette-4-adam7", palette4Adam7, 0x34d15d31],
  ["palette-4", palette4, 0x34d15d31],
  ["palette-8-adam7", palette8Adam7, 0x68ad0587],
  ["palette-8-alpha", palette8Alpha, 0x183a8ac5],
  ["palette-8", palette8, 0x68ad0587],
  ["rgb-16-adam7", rgb16Adam7, 0x3a1dd49b],
  ["rgb-16", rgb16, 0x3a1dd49b],
  ["rgb-8-adam7", rgb8Adam7, 0x3a1dd49b],
  ["rgb-8-key", rgb8Key, 0x6a3af90b],
  ["rgb-8", rgb8, 0x3a1dd49b],
  ["rgba-16-adam7", rgba16Adam7, 0xfa195bf7],
  ["rgba-16", rgba16, 0xfa195bf7],
  ["rgba-8-adam7", rgba8Adam7, 0xfa195bf7],
  ["rgba-8", rgba8, 0xfa195bf7],
] as const;

async function decode(file: ArrayBuffer | Uint8Array, max = 7) {
  const bytes = new Uint8Array(file);
  const facts = png.read.factsOf(bytes);
  const { width, height } = facts;
  for await (const { rows } of png.read.open(
    bytes,
    facts,
    { box: { x: 0, y: 0, width, height }, width, height },
    UNPAUSED,
  )) {
    return { facts, pixels: await drain(rows, max) };
  }
  throw new Error("no frame");
}

describe("decoding PNG", () => {
  // 16-bit files are compared with the 8-bit file that ImageMagick made of the same picture: rounded, not cut.
  it.each(FILES)("gives the pixels of another decoder: %s", async (_name, file, expected) => {
    const { pixels } = await decode(file);
    expect(crc32(pixels.data)).toBe(expected);
  });

  it.each([
    [255, 0],
    [254, 255],
  ])("makes a level transparent by the bits that its samples have: %i", async (level, alpha) => {
    // All samples of the file are 1.
    const file = new Uint8Array(gray1);
    const key = makeChunk(TYPE.tRNS, Uint8Array.of(0, level));
    const { pixels } = await decode(joined([file.subarray(0, 33), key, file.subarray(33)]));
    expect([...pixels.data.subarray(0, 4)]).toEqual([255, 255, 255, alpha]);
  });

  it("brings samples of another gamma to a display's", async () => {
    // A ramp of linear light: half of it is level 186 on a display of gamma 2.2.
    const { pixels } = await decode(gamma1);
    const raw = (await decode(withoutGamma(new Uint8Array(gamma1)))).pixels;
    const at = raw.data.findIndex((level, index) => index % 4 === 0 && level === 128);
    expect(pixels.data[at]).toBe(186);
    expect([pixels.data[at + 3], pixels.width, pixels.height]).toEqual([255, 256, 256]);
  });

  it("gives the same rows in whatever portions they are read", async () => {
    const whole = (await decode(rgba8Adam7, 1_000)).pixels.data;
    expect((await decode(rgba8Adam7, 1)).pixels.data).toEqual(whole);
    expect((await decode(rgba8Adam7, 5)).pixels.data).toEqual(whole);
  });
});

describe("undoing filters", () => {
  // Rows are undone four at a time where that pays: every filter meets every other, and rows are left over.
  it.each([
    [3, 1],
    [3, 2],
    [3, 5],
    [3, 61],
    [4, 1],
    [4, 3],
    [4, 16],
    [4, 77],
  ])("gives the samples back: %i bytes a pixel, %i pixels wide", async (channels, width) => {
    const samples = noise(width, 250).data.filter((_, index) => index % 4 < channels);
    const filters = noise(250, 1).data.filter((_, index) => index % 4 === 0);
    const file = filtered(samples, { width, height: 250, channels }, (row) => (filters[row] ?? 0) % 5);
    expect((await decode(file)).pixels.data.filter((_, index) => index % 4 < channels)).toEqual(samples);
  });

  it("refuses a filter that does not exist, behind three rows that are good", async () => {
    const size = { width: 8, height: 8, channels: 3 };
    const file = filtered(noise(8, 8).data.subarray(0, 192), size, (row) => (row === 3 ? 5 : 4));
    await expect(decode(file)).rejects.toThrow("damaged");
  });
});

/** A PNG file of the samples, filtered as the specification says (9.2), one sample after the other. */
function filtered(
  samples: Uint8Array,
  { width, height, channels }: { width: number; height: number; channels: number },
  filterOf: (row: number) => number,
): Uint8Array {
  const stride = width * channels;
  const rows = new Uint8Array((stride + 1) * height);
  const at = (row: number, x: number) => (row < 0 || x < 0 ? 0 : (samples[row * stride + x] ?? 0));
  for (let row = 0; row < height; row++) {
    const filter = filterOf(row);
    rows[row * (stride + 1)] = filter;
    for (let x = 0; x < stride; x++) {
      const [left, over, corner] = [at(row, x - channels), at(row - 1, x), at(row - 1, x - channels)];
      const predicted = [0, left, over, (left + over) >> 1, paeth(left, over, corner)][filter] ?? 0;
      rows[row * (stride + 1) + 1 + x] = at(row, x) - predicted;
    }
  }
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint16(8, 8 * 256 + (channels === 4 ? 6 : 2));
  return Uint8Array.from([
    ...new Uint8Array(gray8).subarray(0, 8),
    ...chunk("IHDR", new Uint8Array(header.buffer)),
    ...chunk("IDAT", deflateSync(rows)),
    ...chunk("IEND", []),
  ]);
}

function paeth(left: number, over: number, corner: number): number {
  const estimate = left + over - corner;
  const distances = [left, over, corner].map((sample) => Math.abs(estimate - sample));
  const nearest = Math.min(...distances);
  return [left, over, corner][distances.indexOf(nearest)] ?? 0;
}

describe("the facts of a PNG", () => {
  it.each([
    ["palette", palette4, { colorspace: "Palette", depth: 4, alpha: false, interlaced: false }],
    ["palette with alpha", palette8Alpha, { colorspace: "Palette", depth: 8, alpha: true, interlaced: false }],
    ["key color", rgb8Key, { colorspace: "RGB", depth: 24, alpha: true, interlaced: false }],
    ["16 bits, interlaced", rgba16Adam7, { colorspace: "RGB", depth: 64, alpha: true, interlaced: true }],
    ["gray", gray2, { colorspace: "Gray", depth: 2, alpha: false, interlaced: false }],
  ])("are read without decoding: %s", async (_name, file, expected) => {
    const facts = png.read.factsOf(new Uint8Array(file));
    expect(facts).toMatchObject({ ...expected, frames: 1, orientation: 1, quality: 100, subsample: "4:4:4" });
  });

  it("include a profile for the code points of cICP, which goes before an embedded one", async () => {
    const displayP3 = png.read.factsOf(withChunk(new Uint8Array(rgb8), "cICP", [12, 13, 0, 1])).profile;
    expect(displayP3?.length).toBeGreaterThan(200);
    const bare = png.read.factsOf(new Uint8Array(rgb8)).profile;
    for (const unknown of [
      [1, 13, 0, 1],
      [9, 17, 0, 1],
      [12, 13, 0, 0],
      [12, 13, 1, 1],
    ]) {
      expect(png.read.factsOf(withChunk(new Uint8Array(rgb8), "cICP", unknown)).profile).toEqual(bare);
    }
  });

  it("include the orientation of eXIf", async () => {
    const exif = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0];
    expect(png.read.factsOf(withChunk(new Uint8Array(gray8), "eXIf", exif)).orientation).toBe(6);
  });
});

/** The file with one more chunk behind IHDR. */
function withChunk(bytes: Uint8Array, type: string, data: readonly number[]): Uint8Array {
  const headerEnd = 8 + 25;
  return Uint8Array.from([...bytes.subarray(0, headerEnd), ...chunk(type, data), ...bytes.subarray(headerEnd)]);
}

function chunk(type: string, data: ArrayLike<number>): Uint8Array {
  const made = new Uint8Array(data.length + 12);
  const view = new DataView(made.buffer);
  view.setUint32(0, data.length);
  made.set(new TextEncoder().encode(type), 4);
  made.set(data, 8);
  view.setUint32(data.length + 8, crc32(made.subarray(4, data.length + 8)));
  return made;
}

/** The file with its gAMA chunk renamed, which makes it unknown. */
function withoutGamma(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const at = copy.findIndex((_, index) => String.fromCharCode(...copy.subarray(index, index + 4)) === "gAMA");
  copy[at] = "x".charCodeAt(0);
  return copy;
}
