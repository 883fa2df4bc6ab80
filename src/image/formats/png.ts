/**
 * PNG and APNG. Rows are decompressed, unfiltered and expanded in the native module, and filtered and compressed there
 * on the way out; this side reads and writes chunks. The decompressor is our own and the compressor libdeflate's,
 * because node:zlib's streams know nothing of turns of the thread, and its synchronous functions take and return whole
 * buffers (72 MB for 24 megapixels).
 */
import { parallel } from "../../../wasm/estimate.ts";
import { pngReaderEstimate } from "../../../wasm/pixels/png-reader.ts";
import { areaOf } from "../codec/complexity.ts";
import { type Facts, format, type Reader } from "../codec/format.ts";
import { isHighDynamicRange } from "../color/code-points.ts";
import { exifOrientation } from "../metadata/orientation.ts";
import { embedding } from "./embedding.ts";
import { coversCanvas, framesEstimate, readFrames, restores } from "./png/animation.ts";
import { isPng } from "./png/chunks.ts";
import { embed, PROFILE_NANOSECONDS } from "./png/embed.ts";
import { readFile, readProfile } from "./png/header.ts";
import { manifest } from "./png/manifest.ts";
import { mark } from "./png/mark.ts";
import { metadata } from "./png/metadata.ts";
import { changesLevels, hasAlpha, openRows, wholeOf } from "./png/read.ts";
import { bitsPerPixel, recompress } from "./png/recompress.ts";
import { strip } from "./png/strip.ts";
import { write } from "./png/study.ts";

const COLORSPACES = { 0: "Gray", 2: "RGB", 3: "Palette", 4: "Gray", 6: "RGB" } as const;

const read: Reader = {
  factsOf(bytes) {
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
      ...(file.depth === 16 && file.frames.length === 0 && { bits: 16 }),
      quality: 100,
      codedBytes: file.codedBytes,
      later: {
        bytes: file.laterBytes,
        pixels: areaOf(file.frames.slice(1).map(({ box }) => box)),
        ...(restores(file) && { restores: true }),
      },
      ...(profile && { profile, highDynamicRange: isHighDynamicRange(file.codePoints?.[1] ?? 0) }),
      ...(changesLevels(file) && { convertsColors: true }),
    } satisfies Facts;
  },

  estimate(facts, { sixteenBit }) {
    return facts.frames > 1
      ? parallel(pngReaderEstimate(facts), framesEstimate(facts))
      : pngReaderEstimate(facts, sixteenBit);
  },

  async *open(bytes, _facts, { box, sixteenBit }, timeSlice) {
    const file = readFile(bytes);
    if (file.frames.length === 0) {
      yield { delayMs: 0, rows: openRows(bytes, wholeOf(file), timeSlice, sixteenBit || undefined), box };
      return;
    }
    for await (const { delayMs, rows } of readFrames(bytes, file, timeSlice)) {
      yield { delayMs: file.frames.length > 1 ? delayMs : 0, rows, box };
    }
  },
  sixteenBit: true,
};

export const png = format({
  summary: "Lossless, in few colors, or in all with levels moved a little; with alpha and animation (APNG).",
  label: "PNG",
  mime: "image/png",
  extensions: ["png", "apng"],
  can: { alpha: true, animation: true, quality: true, lossless: true, web: true, spaces: "any" },
  role: { listed: 5, tried: 5, everywhere: true, draft: { stills: 3 }, fallback: { stills: 2 } },
  signature: isPng,
  read,
  write: embedding(write, embed, PROFILE_NANOSECONDS),
  recompress,
  mark,
  strip,
  metadata,
  manifest,
});
