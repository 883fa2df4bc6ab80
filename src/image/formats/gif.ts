/** GIF, still and animated, by our own reader and writer in `wasm/gif`. */
import { parallel, type Estimate, times } from "../../../wasm/estimate.ts";
import { areaOf, changesOf, detailOf } from "../codec/complexity.ts";
import { type Facts, format, type Reader, type Recompressor } from "../codec/format.ts";
import { ownTimeSlice, paced } from "../codec/metered-rows.ts";
import type { Writer } from "../codec/writer.ts";
import { whole } from "../pixels/geometry.ts";
import type { Picture } from "../pixels/picture.ts";
import { isGif, parseGif } from "./gif/container.ts";
import { canvasBytes, decodeEstimate, isOpaque, openFrames } from "./gif/decode.ts";
import { encodeExactly, encodeGif, exactEstimate, gifEstimate, READINGS } from "./gif/encode.ts";
import { manifest } from "./gif/manifest.ts";
import { mark } from "./gif/mark.ts";
import { metadata } from "./gif/metadata.ts";
import { strip } from "./gif/strip.ts";
import { png } from "./png.ts";

function factsOf(bytes: Uint8Array): Facts {
  const file = parseGif(bytes);
  const still = file.frames[0]!;
  return {
    width: file.width,
    height: file.height,
    orientation: 1,
    frames: file.frames.length,
    loops: file.frames.length > 1 ? file.loops : 1,
    alpha: !isOpaque(file),
    colorspace: "Palette",
    interlaced: still.interlaced,
    subsample: "4:4:4",
    depth: Math.max(1, Math.ceil(Math.log2(still.palette.length / 3))),
    quality: 100,
    codedBytes: file.codedBytes,
    later: { bytes: file.laterBytes, pixels: areaOf(file.frames.slice(1)) },
    decodeBytes: canvasBytes(file),
    ...(file.profile ? { profile: file.profile } : {}),
  };
}

const read: Reader = {
  factsOf,
  estimate: decodeEstimate,
  open: (bytes, _facts, demand, timeSlice) => openFrames(bytes, parseGif(bytes), demand, timeSlice),
};

const write: Writer = {
  estimate: gifEstimate,
  encode: encodeGif,
  qualities: { step: 1 },
  variants: [{}],
  maxScoredPixels: Infinity,
};

const recompress: Recompressor = {
  estimate: (_bytes, facts) => recompressEstimate(facts),

  async run(bytes, facts, _settings, timeSlice) {
    // The colors mean what the profile says: they stay with it.
    if (facts.profile) return null;
    const smaller = await encodeExactly(pictureOf(bytes, facts), timeSlice);
    return smaller && smaller.length < bytes.length ? smaller : null;
  },
};

/** The file is read to see its colors, and read again to be written. */
function recompressEstimate(facts: Facts): Estimate {
  const extent = { ...facts, opaque: !facts.alpha, changes: changesOf(facts, facts), detail: detailOf(facts, facts) };
  return parallel(times(READINGS, decodeEstimate(facts)), exactEstimate(extent));
}

/** The file as a picture, whose reading declares what it takes. */
function pictureOf(bytes: Uint8Array, facts: Facts): Picture {
  const { width, height, frames, loops, alpha } = facts;
  const ms = frames === 1 ? decodeEstimate(facts).ms : 0;
  return {
    width,
    height,
    frames,
    loops,
    opaque: !alpha,
    async *open(timeSlice) {
      const own = ownTimeSlice(timeSlice);
      for await (const frame of openFrames(bytes, parseGif(bytes), { box: whole(facts) }, own)) {
        yield { ...frame, rows: paced(frame.rows, ms, timeSlice, own) };
      }
    },
  };
}

export const gif = format({
  summary: "At most 256 colors a frame, transparency without shades, animation; dithered where colors are missing.",
  label: "GIF",
  mime: "image/gif",
  extensions: ["gif"],
  can: { alpha: true, allOrNothing: true, animation: true, quality: true, lossless: false, web: true },
  role: { listed: 6, tried: 6, largerThan: png, everywhere: true, draft: { animations: 2 } },
  signature: isGif,
  read,
  write,
  recompress,
  mark,
  strip,
  metadata,
  manifest,
});
