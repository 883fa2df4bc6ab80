/** BMP: 1 to 32 bits, palettes, bit fields, run lengths, from OS/2 1 to Windows 5; written in 24 bits, or 32 with alpha. */
import { parallel, type Estimate, estimated } from "../../../wasm/estimate.ts";
import { type Facts, format, type Reader } from "../codec/format.ts";
import { type Bitmap, isBareBitmap, isBmp, parseBmp } from "./bmp/header.ts";
import { rowReader, usesAlpha } from "./bmp/pixels.ts";
import { ROW_BYTES } from "./bmp/run-length.ts";
import { write } from "./bmp/write.ts";
import { computedFrame, computedEstimate } from "./computed-rows.ts";

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

/** A bit of a pixel. */
const BIT_NANOSECONDS = 0.23;
/** A pixel as a code of run lengths, at which it is looked twice. */
const CODE_NANOSECONDS = 4;
/** Bits of a pixel up to which it may be one, but for files that hardly anybody writes. */
const MAX_CODED_DEPTH = 8;

/** The estimate of reading a bitmap, be it one with run lengths. */
export function bitmapEstimate(facts: Facts): Estimate {
  const { width, height, depth } = facts;
  const coded = depth <= MAX_CODED_DEPTH ? width * height : 0;
  const codes = estimated(height * ROW_BYTES, coded, CODE_NANOSECONDS);
  return parallel(codes, computedEstimate(facts, depth * BIT_NANOSECONDS));
}

const read: Reader = {
  factsOf(bytes) {
    const bitmap = parseBmp(bytes);
    return bitmapFacts(bitmap, usesAlpha(bytes, bitmap));
  },

  estimate: bitmapEstimate,

  async *open(bytes, { alpha }, demand, timeSlice) {
    const bitmap = parseBmp(bytes);
    const { masks } = bitmap;
    const shown = alpha ? bitmap : { ...bitmap, masks: { ...masks, alpha: 0 } };
    yield computedFrame({ ...shown, opaque: !alpha, row: await rowReader(bytes, shown, timeSlice) }, demand);
  },
};

export const bmp = format({
  summary:
    "1 to 32 bits, palettes, bit fields, run lengths (of OS/2 too), alpha where it is used; written in 24 bits, or 32 with alpha.",
  label: "BMP",
  mime: "image/bmp",
  extensions: ["bmp"],
  otherExtensions: ["dib"],
  can: { alpha: true, animation: false, quality: false, lossless: true, web: true, spaces: "any" },
  role: { listed: 8 },
  signature: (head) => isBmp(head) || isBareBitmap(head),
  read,
  write,
});
