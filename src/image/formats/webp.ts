/** WebP: lossy VP8, lossless VP8L, alpha, animation, by libwebp in `wasm/webp`. */
import { areaOf } from "../codec/complexity.ts";
import { type Facts, format } from "../codec/format.ts";
import { exifOrientation } from "../metadata/orientation.ts";
import { embedding } from "./embedding.ts";
import { isWebp, parseWebp, type WebpFrame } from "./webp/container.ts";
import { decodeBytes, isOpaque, openFrames, estimate as decodeEstimate } from "./webp/decode.ts";
import { embed } from "./webp/embed.ts";
import { encodeWebp, estimate as encodeEstimate } from "./webp/encode.ts";
import { KEPT_FRAMES_BYTES } from "./webp/frame-ways.ts";
import { manifest } from "./webp/manifest.ts";
import { mark } from "./webp/mark.ts";
import { metadata } from "./webp/metadata.ts";
import { estimateQuality } from "./webp/quality.ts";
import { strip } from "./webp/strip.ts";

function factsOf(bytes: Uint8Array): Facts {
  const file = parseWebp(bytes);
  const still = file.frames[0]!;
  const alpha = !isOpaque(file);
  const others = file.frames.slice(1);
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
    codedBytes: codedBytesOf(file.frames),
    later: { bytes: codedBytesOf(others), pixels: areaOf(others) },
    decodeBytes: decodeBytes(file),
    quality: still.lossless ? 100 : estimateQuality(still.data),
    ...(file.profile ? { profile: file.profile } : {}),
  };
}

function codedBytesOf(frames: readonly WebpFrame[]): number {
  return frames.reduce((sum, { data, alpha }) => sum + data.length + (alpha?.length ?? 0), 0);
}

/** Points that photographs lose at qualities: medians over 37 of how steep their curves are. */
const LOSSES = [
  [1, 78.6],
  [4, 70],
  [8, 63.7],
  [12, 59.5],
  [20, 52.2],
  [32, 44.2],
  [45, 37.7],
  [60, 33.3],
  [70, 30],
  [78, 26.6],
  [85, 21.4],
  [92, 15.9],
  [97, 12],
  [100, 9],
] as const;

export const webp = format({
  summary: "Lossy or lossless, with alpha and animation; at most 16,383 pixels a side.",
  label: "WEBP",
  mime: "image/webp",
  extensions: ["webp"],
  can: { alpha: true, animation: true, quality: true, lossless: true, web: true, spaces: "any", mostSide: 16_383 },
  role: { listed: 3, tried: 4, draft: { stills: 2, animations: 1 }, fallback: { animations: 1 } },
  signature: isWebp,
  read: {
    factsOf,
    estimate: decodeEstimate,
    open: (bytes, _facts, demand, timeSlice) => openFrames(parseWebp(bytes), demand, timeSlice),
  },
  write: embedding(
    {
      estimate: encodeEstimate,
      encode: encodeWebp,
      chosenBytes: KEPT_FRAMES_BYTES,
      qualities: { step: 0.25, losses: LOSSES, films: 1, bits: 0.32, tilesOfSmall: true, makesStripes: "blocks" },
      variants: [{}],
      nearLosslessLevels: [0, 20, 60],
      keepsPalettes: true,
      maxScoredPixels: Infinity,
    },
    embed,
  ),
  mark,
  strip,
  metadata,
  manifest,
});
