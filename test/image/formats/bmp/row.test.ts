/** Reading BMP files. */
import { describe, expect, it } from "vitest";

import { bmp } from "../../../../src/image/formats/bmp.ts";
import { detect, identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import bmpBpp0 from "../../../fixtures/bmp/broken/bmp-bpp-0.bmp";
import bmpBpp57 from "../../../fixtures/bmp/broken/bmp-bpp-57.bmp";
import bmpDimsMax from "../../../fixtures/bmp/broken/bmp-dims-max.bmp";
import bmpHeightMin from "../../../fixtures/bmp/broken/bmp-height-min.bmp";
import bmpOffsetBeyond from "../../../fixtures/bmp/broken/bmp-offset-beyond.bmp";
import bmpPaletteBeyond from "../../../fixtures/bmp/broken/bmp-palette-beyond.bmp";
import bmpRle820000Empty from "../../../fixtures/bmp/broken/bmp-rle8-20000-empty.bmp";
import bmpRle8DeltaOutside from "../../../fixtures/bmp/broken/bmp-rle8-delta-outside.bmp";
import bmpRle8TopDown from "../../../fixtures/bmp/broken/bmp-rle8-top-down.bmp";
import bmpTruncated from "../../../fixtures/bmp/broken/bmp-truncated.bmp";
import bmpWidthNegative from "../../../fixtures/bmp/broken/bmp-width-negative.bmp";
import bmpZero from "../../../fixtures/bmp/broken/bmp-zero.bmp";
import pal1 from "../../../fixtures/bmp/pal1.bmp";
import pal2 from "../../../fixtures/bmp/pal2.bmp";
import pal4 from "../../../fixtures/bmp/pal4.bmp";
import pal4rle from "../../../fixtures/bmp/pal4rle.bmp";
import pal8 from "../../../fixtures/bmp/pal8.bmp";
import pal8os2 from "../../../fixtures/bmp/pal8os2.bmp";
import pal8os2v2 from "../../../fixtures/bmp/pal8os2v2.bmp";
import pal8rle from "../../../fixtures/bmp/pal8rle.bmp";
import pal8topdown from "../../../fixtures/bmp/pal8topdown.bmp";
import pal8v5 from "../../../fixtures/bmp/pal8v5.bmp";
import pal8w125 from "../../../fixtures/bmp/pal8w125.bmp";
import rgb16565 from "../../../fixtures/bmp/rgb16-565.bmp";
import rgb16 from "../../../fixtures/bmp/rgb16.bmp";
import rgb24Rle24 from "../../../fixtures/bmp/rgb24-rle24.bmp";
import rgb24 from "../../../fixtures/bmp/rgb24.bmp";
import rgb32bf from "../../../fixtures/bmp/rgb32bf.bmp";
import rgba32 from "../../../fixtures/bmp/rgba32.bmp";
import yellowRoseSmallV5 from "../../../fixtures/bmp/yellow_rose-small-v5.bmp";
import { beginnings, decodeFile, fileDigest, mutations, outcomeOf } from "../../../support/files.ts";

/**
 * Digests of what ImageMagick 6.9 makes of the files (`convert FILE -depth 8 RGBA:-`); where it cannot read one or
 * rounds 5-bit samples differently, of the same picture in another file of the suite, or of our own, looked at.
 */
const FILES = [
  ["1 bit", pal1, 1, "54483daf3c817e92"],
  ["2 bits", pal2, 2, "bc7e318d7a5e8b21"],
  ["4 bits", pal4, 4, "2b322fe79adba017"],
  ["4 bits, run lengths", pal4rle, 4, "2b322fe79adba017"],
  ["8 bits", pal8, 8, "9f33d52c158d2859"],
  ["8 bits, run lengths", pal8rle, 8, "9f33d52c158d2859"],
  ["OS/2 1", pal8os2, 8, "9f33d52c158d2859"],
  ["OS/2 2", pal8os2v2, 8, "9f33d52c158d2859"],
  ["top-down", pal8topdown, 8, "9f33d52c158d2859"],
  ["Windows 5", pal8v5, 8, "9f33d52c158d2859"],
  ["padded rows", pal8w125, 8, "cf4d45fe07f4e82e"],
  ["bit fields of 5, 6 and 5 bits", rgb16565, 16, "2a018aed0053eb07"],
  ["16 bits", rgb16, 16, "d6f27086a528ceb4"],
  ["24 bits", rgb24, 24, "ac4dbaf6110c3f2c"],
  // From rgb24.bmp; Chromium shows the same of both.
  ["24 bits, run lengths of OS/2", rgb24Rle24, 24, "ac4dbaf6110c3f2c"],
  ["32 bits with bit fields", rgb32bf, 32, "ac4dbaf6110c3f2c"],
  ["alpha", rgba32, 32, "ee3cd3c840db8eb7"],
  ["alpha, Windows 5", yellowRoseSmallV5, 32, "b0b8de554e21e83b"],
] as const;

const REFUSED = {
  "0 bits": bmpBpp0,
  "57 bits": bmpBpp57,
  "2^31 - 1 pixels a side": bmpDimsMax,
  "a height of -2^31": bmpHeightMin,
  "pixels beyond the end": bmpOffsetBeyond,
  "400 million pixels in no code": bmpRle820000Empty,
  "rows missing": bmpTruncated,
  "a negative width": bmpWidthNegative,
  "no pixels": bmpZero,
};

/** A bitmap of one row of 32-bit pixels with all masks set. */
function withAlpha(...pixels: number[]): Uint8Array {
  const bytes = new Uint8Array(14 + 56 + pixels.length * 4);
  const view = new DataView(bytes.buffer);
  const fields = [56, pixels.length, 1, (32 << 16) | 1, 3, 0, 0, 0, 0, 0, 0xff0000, 0xff00, 0xff, 0xff000000];
  bytes.set([0x42, 0x4d]);
  view.setUint32(10, 70, true);
  [...fields, ...pixels].forEach((value, index) => view.setUint32(14 + index * 4, value, true));
  return bytes;
}

/** A bitmap of RLE24 codes, 4 x 2, with the given size of its second header. */
function runs24(headerBytes: number, ...codes: number[]): Uint8Array {
  const bytes = new Uint8Array(14 + headerBytes + codes.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(10, 14 + headerBytes, true);
  [headerBytes, 4, 2, (24 << 16) | 1, 4].forEach((value, index) => view.setUint32(14 + index * 4, value, true));
  bytes.set(codes, 14 + headerBytes);
  return bytes;
}

describe("BMP", () => {
  it.each(FILES)("is read: %s", async (_name, file, depth, expected) => {
    const bytes = new Uint8Array(file);
    expect(bmp.read.factsOf(bytes).depth).toBe(depth);
    expect(await fileDigest(bmp, bytes)).toBe(expected);
  });

  it("has alpha only where it is used", async () => {
    const alpha = (...pixels: number[]) => bmp.read.factsOf(withAlpha(...pixels)).alpha;
    expect(alpha(0x80112233, 0xff112233)).toBe(true);
    expect(alpha(0xff112233, 0xff112233)).toBe(false);
    expect(alpha(0x00112233, 0x00112233)).toBe(false);
    expect([...(await decodeFile(bmp, withAlpha(0x00112233))).data]).toEqual([0x11, 0x22, 0x33, 255]);
    expect([...(await decodeFile(bmp, withAlpha(0x80112233, 0))).data]).toEqual([0x11, 0x22, 0x33, 0x80, 0, 0, 0, 0]);
  });

  it.each([
    ["version 4", 108],
    ["version 5", 124],
  ])("has the alpha of the mask without bit fields: header of %s", async (_name, headerBytes) => {
    const bytes = new Uint8Array(14 + headerBytes + 8);
    const view = new DataView(bytes.buffer);
    bytes.set([0x42, 0x4d]);
    view.setUint32(10, 14 + headerBytes, true);
    const fields = [headerBytes, 2, 1, (32 << 16) | 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff000000];
    fields.forEach((value, index) => view.setUint32(14 + index * 4, value, true));
    [0x80112233, 0x00445566].forEach((value, index) => view.setUint32(14 + headerBytes + index * 4, value, true));
    expect([...(await decodeFile(bmp, bytes)).data]).toEqual([0x11, 0x22, 0x33, 0x80, 0x44, 0x55, 0x66, 0]);
    view.setUint32(14 + 52, 0, true);
    expect(bmp.read.factsOf(bytes).alpha).toBe(false);
  });

  it.each([
    ["8 bits", pal8],
    ["4 bits", pal4],
  ])("has its palette where the place of pixels does not count it: %s", async (_name, file) => {
    const bytes = new Uint8Array(file.slice(0));
    new DataView(bytes.buffer).setUint32(10, 54, true);
    expect(await fileDigest(bmp, bytes)).toBe(await fileDigest(bmp, new Uint8Array(file)));
  });

  it.each([
    ["palette", pal8],
    ["run lengths", pal4rle],
    ["24 bits", rgb24],
    ["bit fields", rgb32bf],
    ["Windows 5", yellowRoseSmallV5],
  ])("is read without the header of its file: %s", async (_name, file) => {
    const bare = new Uint8Array(file).subarray(14);
    expect(identify(bare).name).toBe("bmp");
    expect(await fileDigest(bmp, bare)).toBe(await fileDigest(bmp, new Uint8Array(file)));
    for (const part of beginnings(bare, 20))
      expect(detect(part) === null || (await outcomeOf(bmp, part)) === 422).toBe(true);
  });

  it.each([
    ["plain", pal8],
    ["run lengths", pal8rle],
    ["run lengths of 24 bits", rgb24Rle24],
  ])("gives a region as it is in the whole: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const facts = bmp.read.factsOf(bytes);
    const box = { x: 3, y: 20, width: 50, height: 9 };
    const whole = (await decodeFile(bmp, bytes)).data;
    expect.assertions(3);
    for await (const decoded of bmp.read.open(bytes, facts, { box, width: 50, height: 9 }, UNPAUSED)) {
      expect(decoded.rows.height).toBe(9);
      expect(decoded.box).toEqual({ ...box, y: 0 });
      expect(await decoded.rows.read(16)).toEqual(whole.subarray(20 * 127 * 4, 29 * 127 * 4));
    }
  });

  it.each([20, 40, 64])(
    "has runs, literals and steps in run lengths of 24 bits: header of %i bytes",
    async (headerBytes) => {
      // Below: two pixels of one color, a step to the right; above: three single pixels, padded, and one that no code
      // paints.
      const codes = [2, 3, 2, 1, 0, 2, 1, 0, 1, 6, 5, 4, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1];
      const above = [3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255, 0, 0, 0, 255];
      const below = [1, 2, 3, 255, 1, 2, 3, 255, 0, 0, 0, 255, 4, 5, 6, 255];
      expect([...(await decodeFile(bmp, runs24(headerBytes, ...codes))).data]).toEqual([...above, ...below]);
      expect(await outcomeOf(bmp, runs24(108, ...codes))).toBe(422);
    },
  );

  it.each(Object.entries(REFUSED))("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(bmp, new Uint8Array(file))).toBe(422);
  });

  it.each([
    ["colors beyond the palette", bmpPaletteBeyond],
    ["run lengths that leave the picture", bmpRle8DeltaOutside],
    ["run lengths top-down", bmpRle8TopDown],
  ])("is read with %s", async (_name, file) => {
    expect(await outcomeOf(bmp, new Uint8Array(file))).toBe("decoded");
  });

  it("is refused wherever it ends", async () => {
    for (const file of [pal4rle, pal8rle, rgb16, rgb24, rgb24Rle24, yellowRoseSmallV5]) {
      for (const part of beginnings(new Uint8Array(file), 50)) expect(await outcomeOf(bmp, part)).toBe(422);
    }
  });

  it("is refused or read whatever its bytes are", async () => {
    for (const file of [pal1, pal4rle, pal8rle, rgb16565, rgb24Rle24, yellowRoseSmallV5]) {
      for (const mutated of mutations(new Uint8Array(file), 400)) await outcomeOf(bmp, mutated);
    }
  });
});
