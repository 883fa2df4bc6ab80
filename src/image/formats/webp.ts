/** WebP: lossy VP8, lossless VP8L, alpha, animation, by libwebp in `wasm/webp`. */
import { exifOrientation } from "../exif.ts";
import { type Facts, format } from "../format.ts";
import { isWebp, parseWebp } from "./webp/container.ts";
import { isOpaque, openFrames, peakBytes as decodePeak } from "./webp/decode.ts";
import { animationBytes, encodeWebp, peakBytes as encodePeak } from "./webp/encode.ts";
import { mark, markOf } from "./webp/mark.ts";
import { estimateQuality } from "./webp/quality.ts";
import { strip } from "./webp/strip.ts";

function probe(bytes: Uint8Array): Facts {
  const file = parseWebp(bytes);
  const still = file.frames[0]!;
  const alpha = !isOpaque(file);
  return {
    width: file.width,
    height: file.height,
    orientation: file.exif ? exifOrientation(file.exif) : 1,
    frames: file.frames.length,
    loops: file.loops,
    alpha,
    colorspace: still.lossless ? "RGB" : "YCbCr",
    interlaced: false,
    subsample: still.lossless ? "4:4:4" : "4:2:0",
    depth: alpha ? 32 : 24,
    quality: still.lossless ? 100 : estimateQuality(still.data),
    ...(file.profile ? { profile: file.profile } : {}),
  };
}

export const webp = format({
  summary: "Lossy or lossless, with alpha and animation; at most 16,383 pixels a side.",
  label: "WEBP",
  mime: "image/webp",
  extensions: ["webp"],
  can: { alpha: true, animation: true, quality: true, lossless: true, web: true },
  signature: isWebp,
  probe,
  decodePeakBytes(facts) {
    const animated = facts.frames > 1;
    // The frames of an animation may be of either kind.
    const lossless = animated || facts.subsample === "4:4:4";
    const { width, height, alpha } = facts;
    // The decoder works on a copy of the compressed frame.
    const copy = width * height * (lossless ? 1.2 : 0.3);
    return decodePeak({ width, height, alpha, lossless, animated }) + copy;
  },
  open: (bytes, _facts, demand) => openFrames(parseWebp(bytes), demand),
  encodePeakBytes: (picture, settings) =>
    encodePeak(picture, settings) + (picture.frames > 1 ? animationBytes(picture) : 0),
  encode: encodeWebp,
  strip,
  mark,
  markOf,
});
