/** BMP: 1 to 32 bits, palettes, bit fields, run lengths, from OS/2 1 to Windows 5. */
import { type Facts, format } from "../format.ts";
import { type Bitmap, isBmp, parseBmp } from "./bmp/header.ts";
import { rowReader, usesAlpha } from "./bmp/pixels.ts";
import { ROW_BYTES } from "./bmp/run-length.ts";
import { computedFrame, computedPeakBytes } from "./computed-rows.ts";

/** The facts of a bitmap, of a BMP file or in an icon. */
export function bitmapFacts({ width, height, bits, profile }: Bitmap, alpha: boolean): Facts {
  return {
    width,
    height,
    orientation: 1,
    frames: 1,
    loops: 1,
    alpha,
    colorspace: bits <= 8 ? "Palette" : "RGB",
    interlaced: false,
    subsample: "4:4:4",
    depth: bits,
    quality: 100,
    ...(profile && { profile }),
  };
}

/** Bytes that reading a bitmap holds at most. */
export function bitmapPeakBytes(facts: Facts): number {
  return computedPeakBytes(facts) + facts.height * ROW_BYTES;
}

export const bmp = format({
  summary: "Read only: 1 to 32 bits, palettes, bit fields, run lengths (of OS/2 too), alpha where it is used.",
  label: "BMP",
  mime: "image/bmp",
  extensions: ["bmp", "dib"],
  can: { alpha: true, animation: false, quality: false, lossless: true, web: true },
  signature: isBmp,

  probe(bytes) {
    const bitmap = parseBmp(bytes);
    return bitmapFacts(bitmap, usesAlpha(bytes, bitmap));
  },

  decodePeakBytes: bitmapPeakBytes,

  *open(bytes, { alpha }, demand) {
    const bitmap = parseBmp(bytes);
    const { masks } = bitmap;
    const shown = alpha ? bitmap : { ...bitmap, masks: { ...masks, alpha: 0 } };
    yield computedFrame({ ...shown, opaque: !alpha, row: rowReader(bytes, shown) }, demand);
  },
});
