/** Files that have lost some bytes are refused, or show what they showed: formats with decoders that could go on. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { bmp } from "../../../src/image/formats/bmp.ts";
import { gif } from "../../../src/image/formats/gif.ts";
import { ico } from "../../../src/image/formats/ico.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { png } from "../../../src/image/formats/png.ts";
import { psd } from "../../../src/image/formats/psd.ts";
import { tiff } from "../../../src/image/formats/tiff.ts";
import { webp } from "../../../src/image/formats/webp.ts";
import { nativeHeap } from "../../../wasm/load.ts";
import pal4rle from "../../fixtures/bmp/pal4rle.bmp";
import pal8 from "../../fixtures/bmp/pal8.bmp";
import pal8os2 from "../../fixtures/bmp/pal8os2.bmp";
import pal8rle from "../../fixtures/bmp/pal8rle.bmp";
import rgb24Rle24 from "../../fixtures/bmp/rgb24-rle24.bmp";
import rgb24 from "../../fixtures/bmp/rgb24.bmp";
import redBlueGif from "../../fixtures/gif/animated-red-blue.gif";
import stillGif from "../../fixtures/gif/hippopotamus.masked-with-muybridge.gif";
import testImage from "../../fixtures/gif/TestImage.gif";
import favicon from "../../fixtures/ico/favicon.ico";
import hippopotamus from "../../fixtures/ico/hippopotamus.regular.ico";
import joypad from "../../fixtures/ico/joypad.ico";
import squoosh from "../../fixtures/ico/squoosh-favicon.ico";
import spec022 from "../../fixtures/png/apng-spec-022.png";
import minimal from "../../fixtures/png/minimal.apng";
import overPrevious from "../../fixtures/png/over-previous.apng";
import rgb16Adam7 from "../../fixtures/png/rgb-16-adam7.png";
import rgba8 from "../../fixtures/png/rgba-8.png";
import cmyk from "../../fixtures/psd/cmyk.psd";
import oneLayer from "../../fixtures/psd/one-layer.psd";
import transparent from "../../fixtures/psd/transparent-multiply.psd";
import twoLayers from "../../fixtures/psd/two-layers.psb";
import zipDifferences from "../../fixtures/psd/zip-differences-16.psd";
import bigTiff from "../../fixtures/tiff/BigTIFF.tif";
import fax3 from "../../fixtures/tiff/bw-gopher_ccittGroup3.tif";
import fax4 from "../../fixtures/tiff/bw-gopher_ccittGroup4.tif";
import packBits from "../../fixtures/tiff/bw-packbits.tif";
import oldJpeg from "../../fixtures/tiff/old-jpeg.tif";
import jpegTiles from "../../fixtures/tiff/quad-tile-jpg.tif";
import lzw from "../../fixtures/tiff/shapes_lzw_predictor3.tif";
import deflated from "../../fixtures/tiff/video-001-16bit.tif";
import roseAlpha from "../../fixtures/webp/1-webp-a.webp";
import blend from "../../fixtures/webp/animated-blend.webp";
import redBlueWebp from "../../fixtures/webp/animated-red-blue.webp";
import denali from "../../fixtures/webp/denali.webp";
import gopherAlpha from "../../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import video from "../../fixtures/webp/video-001-lossy.webp";
import { placesOf, shown, without } from "../../support/gaps.ts";
import { jpegFile } from "../../support/jpeg-files.ts";

interface Kind {
  readonly format: FormatDefinition;
  readonly files: Readonly<Record<string, ArrayBuffer>>;
  /** Bytes that are missing, all in one place. */
  readonly sizes: readonly number[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  WebP: { format: webp, files: { video, roseAlpha, gopherAlpha, denali, blend, redBlueWebp }, sizes: [40, 200, 1_000] },
  PNG: { format: png, files: { rgba8, rgb16Adam7 }, sizes: [1, 4, 40, 400] },
  APNG: { format: png, files: { minimal, overPrevious }, sizes: [1, 4, 40, 120] },
  GIF: { format: gif, files: { stillGif, redBlueGif, testImage }, sizes: [4, 40, 300] },
  BMP: { format: bmp, files: { pal8, pal8os2, rgb24, pal4rle, pal8rle, rgb24Rle24 }, sizes: [1, 4, 40, 1_000] },
  ICO: { format: ico, files: { favicon, hippopotamus, joypad, squoosh }, sizes: [1, 4, 40, 200] },
  PSD: { format: psd, files: { cmyk, oneLayer, transparent, twoLayers, zipDifferences }, sizes: [1, 40, 200, 1_000] },
  TIFF: {
    format: tiff,
    files: { bigTiff, fax3, fax4, packBits, oldJpeg, jpegTiles, lzw, deflated },
    sizes: [1, 4, 40, 100],
  },
};

const FILES = Object.entries(KINDS).flatMap(([kind, { format, files, sizes }]) =>
  Object.entries(files).map(([name, file]) => ({ kind, name, format, sizes, bytes: new Uint8Array(file) })),
);

const GAPS = 20;

describe("a file that lacks a part", () => {
  it.each(FILES)("is refused, or shows what it showed: $kind, $name", async ({ format, sizes, bytes }) => {
    const whole = await shown(format, bytes);
    const used = nativeHeap().used;
    const counts = new Map([["422", 0]]);
    for (const size of sizes) {
      for (const at of placesOf(0, bytes.length, size, GAPS)) {
        const result = await shown(format, without(bytes, at, size));
        counts.set(result, (counts.get(result) ?? 0) + 1);
      }
    }
    expect([...counts.keys()].filter((result) => result !== "422" && result !== whole)).toEqual([]);
    expect(counts.get("422")).toBeGreaterThan(GAPS);
    expect(nativeHeap().used).toBe(used);
  });

  it("is refused: an animation of sixteen frames that lacks some", async () => {
    const bytes = new Uint8Array(spec022);
    const refused = placesOf(400, bytes.length - 400, 190, GAPS).map((at) => shown(png, without(bytes, at, 190)));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(["422"]));
  });
});

/** Where the entropy-coded data of a JPEG file begins. */
function dataStart(bytes: Uint8Array): number {
  const scan = bytes.findIndex((byte, at) => byte === 0xff && bytes[at + 1] === 0xda);
  return scan + 2 + ((bytes[scan + 2] ?? 0) << 8) + (bytes[scan + 3] ?? 0);
}

/** A JPEG file between its restart markers. */
function intervalsOf(bytes: Uint8Array): readonly number[] {
  const isRestart = (at: number) => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf8) === 0xd0;
  return [...bytes.keys()].filter(isRestart);
}

describe("a JPEG file", () => {
  // Codes find back into step after a few wrong ones: a smaller gap may leave as many blocks as there were.
  it.each(["s444", "s422", "rgb", "cmyk", "gray", "progressive-restart", "restart"])(
    "is refused when it lacks a part of its data: %s",
    async (name) => {
      const bytes = jpegFile(name);
      const results = new Set<string>();
      for (const at of placesOf(dataStart(bytes), bytes.length - 2, 300, GAPS)) {
        results.add(await shown(jpeg, without(bytes, at, 300)));
      }
      expect(results).toEqual(new Set(["422"]));
    },
  );

  it.each(["restart", "progressive-restart"])("is refused when it lacks restart intervals: %s", async (name) => {
    const bytes = jpegFile(name);
    const marks = intervalsOf(bytes);
    expect(marks.length).toBeGreaterThan(5);
    for (const count of [1, 2, 3]) {
      for (const [index, from] of marks.slice(0, -count).entries()) {
        const to = marks[index + count] ?? from;
        expect(await shown(jpeg, without(bytes, from, to - from)), `${count} from ${index}`).toBe("422");
      }
    }
  });

  it("is refused when its end stands in the midst of its data", async () => {
    for (const name of ["s420", "gray", "restart", "several-scans", "progressive"]) {
      const bytes = jpegFile(name);
      const whole = await shown(jpeg, bytes);
      for (const at of placesOf(dataStart(bytes), bytes.length - 40, 2, GAPS)) {
        const early = bytes.slice();
        early.set([0xff, 0xd9], at);
        // In a table between two scans it is no end.
        expect(["422", whole], name).toContain(await shown(jpeg, early));
      }
    }
  });

  it("is refused when it has data of more rows than it says, as what follows a gap may look", async () => {
    for (const name of ["s420", "s444", "gray"]) {
      const bytes = jpegFile(name).slice();
      const frame = bytes.findIndex((byte, at) => byte === 0xff && bytes[at + 1] === 0xc0);
      bytes.set([0, 64], frame + 5);
      expect(await shown(jpeg, bytes), name).toBe("422");
    }
  });
});
