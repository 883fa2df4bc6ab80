/**
 * PNG and APNG. Rows are decompressed, unfiltered and expanded in the native module, and filtered and compressed there
 * on the way out; this side reads and writes chunks. The decompressor is our own and the compressor libdeflate's,
 * because node:zlib cannot do either synchronously in bounded memory: its synchronous functions take and return whole
 * buffers (72 MB for 24 megapixels), and its streams are asynchronous while rows are pulled.
 */
import { pngReaderPeakBytes } from "../../../wasm/pixels/png.ts";
import { mapBands } from "../band.ts";
import { exifOrientation } from "../exif.ts";
import { type Decoded, type EncodeSettings, type Facts, format } from "../format.ts";
import type { Picture } from "../picture.ts";
import { quantizePeakBytes } from "../quantize.ts";
import { coversCanvas, framesPeakBytes, readFrames } from "./png/animation.ts";
import { isPng } from "./png/chunks.ts";
import { type PngFile, readFile, readProfile } from "./png/header.ts";
import { keptRenditionBytes, preview, writeLossy } from "./png/lossy.ts";
import { mark, markOf } from "./png/mark.ts";
import { hasAlpha, openRows } from "./png/read.ts";
import { bitsPerPixel, rewrite } from "./png/recompress.ts";
import { strip } from "./png/strip.ts";
import { animationPeakBytes, writeAnimation } from "./png/write-animation.ts";
import { stillPeakBytes, writeStill, writeTrial } from "./png/write.ts";

/** Whoever asks for the same pixels in fewer bytes is ready to wait a little longer. */
const RECOMPRESS_EFFORT = 0.7;

const COLORSPACES = { 0: "Gray", 2: "RGB", 3: "Palette", 4: "Gray", 6: "RGB" } as const;

export const png = format({
  summary: "Lossless, in few colors, or in all with levels moved a little; with alpha and animation (APNG).",
  label: "PNG",
  mime: "image/png",
  extensions: ["png", "apng"],
  can: { alpha: true, animation: true, quality: true, lossless: true, web: true },
  losses: ["colors", "levels", "nothing"],
  signature: isPng,

  probe(bytes) {
    const file = readFile(bytes);
    const profile = readProfile(file);
    return {
      width: file.width,
      height: file.height,
      orientation: exifOrientation(file.exif),
      frames: Math.max(1, file.frames.length),
      loops: file.loops,
      alpha: hasAlpha(file) || !coversCanvas(file),
      colorspace: COLORSPACES[file.type],
      interlaced: file.interlaced,
      subsample: "4:4:4",
      depth: bitsPerPixel(file),
      quality: 100,
      ...(profile && { profile }),
    } satisfies Facts;
  },

  decodePeakBytes(facts) {
    return readPeakBytes(facts);
  },

  *open(bytes, _facts, { box }) {
    const file = readFile(bytes);
    if (file.frames.length === 0) {
      yield still(bytes, file, box);
      return;
    }
    for (const { delayMs, rows } of readFrames(bytes, file)) {
      yield { delayMs: file.frames.length > 1 ? delayMs : 0, rows, box };
    }
  },

  encodePeakBytes(size, settings) {
    const { effort } = settings;
    const exact = size.frames > 1 ? animationPeakBytes(size, effort) : stillPeakBytes(size, effort);
    return isExact(settings) ? exact : exact + quantizePeakBytes(size) + keptRenditionBytes(size);
  },

  encode(picture, settings) {
    const { lossless, effort, loss, trial = false, quality } = settings;
    if (!isExact(settings)) return writeLossy(picture, { quality, effort, trial, loss });
    const shown = lossless || picture.opaque ? picture : withoutHiddenColors(picture);
    const options = { effort, freeHidden: !lossless };
    if (picture.frames > 1) return writeAnimation(shown, options);
    return trial ? writeTrial(shown) : writeStill(shown, options);
  },

  preview,

  recompress(bytes) {
    return rewrite(bytes, RECOMPRESS_EFFORT);
  },

  strip,
  mark,
  markOf,

  recompressPeakBytes(_bytes, facts) {
    const size = { ...facts, opaque: !facts.alpha };
    const encode = facts.frames > 1 ? animationPeakBytes : stillPeakBytes;
    return readPeakBytes(facts) + encode(size, RECOMPRESS_EFFORT);
  },
});

function isExact({ lossless, quality, loss }: EncodeSettings): boolean {
  return lossless || quality === 100 || loss === "nothing";
}

function readPeakBytes(facts: Facts): number {
  return pngReaderPeakBytes(facts) + (facts.frames > 1 ? framesPeakBytes(facts) : 0);
}

/** The picture with nothing stored under full transparency, which nobody sees and everybody would pay for. */
function withoutHiddenColors(picture: Picture): Picture {
  return {
    ...picture,
    *open() {
      for (const frame of picture.open()) yield { ...frame, rows: mapBands(frame.rows, (band) => band.clearHidden()) };
    },
  };
}

function still(bytes: Uint8Array, file: PngFile, box: Decoded["box"]): Decoded {
  return { delayMs: 0, rows: openRows(bytes, file, file.dataOffset, file), box };
}
