/** TIFF files whose strips or tiles are not there, are cut short, or lack a part although their lengths say what there is. */
import { describe, expect, it } from "vitest";

import { tiff } from "../../../../src/image/formats/tiff.ts";
import { nativeHeap } from "../../../../wasm/load.ts";
import fax3 from "../../../fixtures/tiff/bw-gopher_ccittGroup3.tif";
import fax4 from "../../../fixtures/tiff/bw-gopher_ccittGroup4.tif";
import packBits from "../../../fixtures/tiff/bw-packbits.tif";
import inksJpeg from "../../../fixtures/tiff/cmyk_jpeg_no_profile.tif";
import lzwAlpha from "../../../fixtures/tiff/lzw-rgba-4444.tif";
import oldJpeg from "../../../fixtures/tiff/old-jpeg.tif";
import plain4 from "../../../fixtures/tiff/palette-1c-4b.tif";
import jpegTiles from "../../../fixtures/tiff/quad-tile-jpg.tif";
import lzw from "../../../fixtures/tiff/shapes_lzw_predictor3.tif";
import deflated from "../../../fixtures/tiff/video-001-16bit.tif";
import plain16 from "../../../fixtures/tiff/video-001-gray-16bit.tif";
import deflatedTiles from "../../../fixtures/tiff/video-001-tile-64x64.tif";
import { placesOf, shown } from "../../../support/gaps.ts";

const TAG = { stripOffsets: 273, stripBytes: 279, tileOffsets: 324, tileBytes: 325 } as const;
const SHORT = 3;

/** A copy of a classic TIFF file, of which places and lengths of strips or tiles can be changed. */
class Editable {
  readonly bytes: Uint8Array;
  readonly count: number;
  private readonly view: DataView;
  private readonly little: boolean;
  private readonly offsets: number;
  private readonly lengths: number;

  constructor(file: ArrayBuffer) {
    this.bytes = new Uint8Array(file).slice();
    this.view = new DataView(this.bytes.buffer);
    this.little = this.bytes[0] === 0x49;
    this.offsets = this.entry(TAG.stripOffsets) ?? this.entry(TAG.tileOffsets) ?? NaN;
    this.lengths = this.entry(TAG.stripBytes) ?? this.entry(TAG.tileBytes) ?? NaN;
    this.count = this.view.getUint32(this.offsets + 4, this.little);
  }

  offset(index: number): number {
    return this.value(this.offsets, index);
  }

  length(index: number): number {
    return this.value(this.lengths, index);
  }

  setOffset(index: number, value: number): void {
    this.set(this.offsets, index, value);
  }

  setLength(index: number, value: number): void {
    this.set(this.lengths, index, value);
  }

  /** Takes bytes out of a strip or tile; what follows in it moves there. */
  takeOut(index: number, from: number, size: number): void {
    const end = this.offset(index) + this.length(index);
    this.bytes.copyWithin(from, from + size, end);
    this.setLength(index, this.length(index) - size);
  }

  /** Where the entry of a tag is in the first directory. */
  private entry(tag: number): number | undefined {
    const directory = this.view.getUint32(4, this.little);
    const entries = this.view.getUint16(directory, this.little);
    const places = Array.from({ length: entries }, (_, index) => directory + 2 + index * 12);
    return places.find((at) => this.view.getUint16(at, this.little) === tag);
  }

  private place(entry: number, index: number): { readonly at: number; readonly short: boolean } {
    const short = this.view.getUint16(entry + 2, this.little) === SHORT;
    const size = short ? 2 : 4;
    const within = this.view.getUint32(entry + 4, this.little) * size <= 4;
    return { at: (within ? entry + 8 : this.view.getUint32(entry + 8, this.little)) + index * size, short };
  }

  private value(entry: number, index: number): number {
    const { at, short } = this.place(entry, index);
    return short ? this.view.getUint16(at, this.little) : this.view.getUint32(at, this.little);
  }

  private set(entry: number, index: number, value: number): void {
    const { at, short } = this.place(entry, index);
    if (short) this.view.setUint16(at, value, this.little);
    else this.view.setUint32(at, value, this.little);
  }
}

const FILES = [
  ["not compressed, 4 bits", plain4],
  ["not compressed, 16 bits", plain16],
  ["PackBits", packBits],
  ["LZW with alpha", lzwAlpha],
  ["LZW of floating point", lzw],
  ["Deflate", deflated],
  ["Deflate in tiles", deflatedTiles],
  ["fax, group 3", fax3],
  ["fax, group 4", fax4],
  ["JPEG of inks", inksJpeg],
  ["JPEG in tiles", jpegTiles],
] as const;

const CHANGES: Readonly<Record<string, (file: Editable, index: number) => void>> = {
  "at the beginning of the file": (file, index) => file.setOffset(index, 0),
  "at the beginning, without a length": (file, index) => (file.setOffset(index, 0), file.setLength(index, 0)),
  "at the end of the file": (file, index) => file.setOffset(index, file.bytes.length),
  "beyond the end of the file": (file, index) => file.setOffset(index, file.bytes.length + 1_000),
  "half as long": (file, index) => file.setLength(index, file.length(index) >> 1),
  "a tenth shorter": (file, index) => file.setLength(index, Math.floor(file.length(index) * 0.9)),
};

/** The first, one in the middle and the last. */
function someOf({ count }: Editable): ReadonlySet<number> {
  return new Set([0, count >> 1, count - 1]);
}

describe.each(FILES)("a TIFF file, %s", (_name, file) => {
  it.each(Object.entries(CHANGES))("is refused with a strip or tile %s", async (_change, change) => {
    const used = nativeHeap().used;
    for (const index of someOf(new Editable(file))) {
      const edited = new Editable(file);
      change(edited, index);
      expect(await shown(tiff, edited.bytes), `${index}`).toBe("422");
    }
    expect(nativeHeap().used).toBe(used);
  });
});

describe("a TIFF file of several strips or tiles", () => {
  it.each([
    ["not compressed", plain16],
    ["Deflate in tiles", deflatedTiles],
    ["JPEG in tiles", jpegTiles],
  ])("is refused with one without a length: %s", async (_name, file) => {
    for (const index of someOf(new Editable(file))) {
      const edited = new Editable(file);
      edited.setLength(index, 0);
      expect(await shown(tiff, edited.bytes), `${index}`).toBe("422");
    }
  });
});

describe("a TIFF file that lacks a part of a strip or tile", () => {
  // After a smaller gap, codes may find back into step, and make as many pixels as there were.
  it.each([
    ["not compressed, 4 bits", plain4, [1, 40, 200]],
    ["PackBits", packBits, [40, 80]],
    ["LZW with alpha", lzwAlpha, [1, 4, 40, 200]],
    ["LZW of floating point", lzw, [1, 4, 40, 200]],
    ["Deflate", deflated, [40, 200, 1_000]],
    ["fax, group 3", fax3, [40, 80]],
    ["fax, group 4", fax4, [1, 4, 40]],
    ["JPEG of inks", inksJpeg, [100, 200]],
    ["JPEG in tiles", jpegTiles, [200, 400]],
    ["old JPEG", oldJpeg, [100, 200]],
  ] as const)("is refused: %s", async (_name, file, sizes) => {
    const used = nativeHeap().used;
    const results = new Set<string>();
    for (const size of sizes) {
      for (const index of someOf(new Editable(file))) {
        const whole = new Editable(file);
        const start = whole.offset(index);
        for (const at of placesOf(start, start + whole.length(index), size, 8)) {
          const edited = new Editable(file);
          edited.takeOut(index, at, size);
          results.add(await shown(tiff, edited.bytes));
        }
      }
    }
    expect(results).toEqual(new Set(["422"]));
    expect(nativeHeap().used).toBe(used);
  });
});
