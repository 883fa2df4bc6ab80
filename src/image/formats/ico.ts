/** ICO and CUR: the largest picture is read, be it a bitmap with a mask or a PNG; squares are written as PNG. */
import { maximum } from "../../../wasm/estimate.ts";
import { MAX_ICON_SIDE_PIXELS } from "../../limits/pictures.ts";
import { format, type Reader } from "../codec/format.ts";
import { bitmapFacts, bitmapEstimate } from "./bmp.ts";
import { type Bitmap, dataEnd, strideOf } from "./bmp/header.ts";
import { type RowReader, rowReader, usesAlpha } from "./bmp/pixels.ts";
import { computedFrame } from "./computed-rows.ts";
import { damaged, isIco, largestEntry } from "./ico/entries.ts";
import { write } from "./ico/write.ts";
import { png } from "./png.ts";

const ALPHA_BITS = 0xff000000;

const read: Reader = {
  factsOf(bytes) {
    const entry = largestEntry(bytes);
    if (entry.kind === "png") return png.read.factsOf(entry.bytes);
    const bitmap = withAlpha(entry.bytes, entry.bitmap);
    const mask = bitmap.masks.alpha === 0 ? maskOf(entry.bytes, bitmap) : null;
    return bitmapFacts(bitmap, bitmap.masks.alpha !== 0 || mask !== null);
  },

  estimate: (facts, demand) => maximum(bitmapEstimate(facts), png.read.estimate(facts, demand)),

  async *open(bytes, facts, demand, timeSlice) {
    const entry = largestEntry(bytes);
    if (entry.kind === "png") {
      yield* png.read.open(entry.bytes, facts, demand, timeSlice);
      return;
    }
    const bitmap = withAlpha(entry.bytes, entry.bitmap);
    const mask = bitmap.masks.alpha === 0 ? maskOf(entry.bytes, bitmap) : null;
    const row = await rowReader(entry.bytes, bitmap, timeSlice);
    yield computedFrame({ ...bitmap, opaque: !facts.alpha, row: mask ? masked(row, mask) : row }, demand);
  },
};

export const ico = format({
  summary: "Icons and cursors: the largest picture is read, squares of several sizes are written.",
  label: "ICO",
  mime: "image/x-icon",
  extensions: ["ico"],
  otherExtensions: ["cur"],
  can: {
    alpha: true,
    animation: false,
    quality: false,
    lossless: true,
    web: true,
    sides: { most: MAX_ICON_SIDE_PIXELS, usual: [16, 32, 48] },
  },
  role: { listed: 7 },
  signature: isIco,
  read,
  write,
});

/** In icons, unlike in BMP files, 32 bits mean alpha, unless it is 0 everywhere or full everywhere. */
function withAlpha(bytes: Uint8Array, bitmap: Bitmap): Bitmap {
  if (bitmap.runLength || dataEnd(bitmap) > bytes.length) throw damaged();
  const { masks } = bitmap;
  const alpha = bitmap.bits === 32 ? { ...bitmap, masks: { ...masks, alpha: ALPHA_BITS } } : bitmap;
  return usesAlpha(bytes, alpha) ? alpha : { ...bitmap, masks: { ...masks, alpha: 0 } };
}

interface Mask {
  readonly bytes: Uint8Array;
  readonly stride: number;
  readonly height: number;
}

/** One bit per pixel behind the rows of pixels, bottom-up: set where the icon is transparent; null when none is. */
function maskOf(bytes: Uint8Array, bitmap: Bitmap): Mask | null {
  const { width, height, dataOffset } = bitmap;
  const stride = strideOf({ width, bits: 1 });
  const start = dataOffset + strideOf(bitmap) * height;
  const end = start + stride * height;
  if (end > bytes.length) {
    // Writers of icons with alpha know that nobody reads the mask.
    if (bitmap.bits === 32) return null;
    throw damaged();
  }
  const mask = { bytes: bytes.subarray(start, end), stride, height };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) if (isMasked(mask, x, y)) return mask;
  }
  return null;
}

function isMasked({ bytes, stride, height }: Mask, x: number, y: number): boolean {
  return ((bytes[(height - 1 - y) * stride + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1;
}

function masked(row: RowReader, mask: Mask): RowReader {
  return (target, y) => {
    row(target, y);
    for (let x = 0; x * 4 < target.length; x++) if (isMasked(mask, x, y)) target[x * 4 + 3] = 0;
  };
}
