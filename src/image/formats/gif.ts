/** GIF, still and animated, by our own reader and writer in `wasm/gif`. */
import { type Facts, format } from "../format.ts";
import { whole } from "../geometry.ts";
import { isGif, parseGif } from "./gif/container.ts";
import { decodePeakBytes, isOpaque, openFrames } from "./gif/decode.ts";
import { encodeExactly, encodeGif, encodePeakBytes } from "./gif/encode.ts";
import { mark, markOf } from "./gif/mark.ts";
import { strip } from "./gif/strip.ts";

function probe(bytes: Uint8Array): Facts {
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
    ...(file.profile ? { profile: file.profile } : {}),
  };
}

export const gif = format({
  summary: "At most 256 colors a frame, transparency without shades, animation; dithered where colors are missing.",
  label: "GIF",
  mime: "image/gif",
  extensions: ["gif"],
  can: { alpha: true, animation: true, quality: true, lossless: false, web: true },
  signature: isGif,
  probe,
  decodePeakBytes,
  open: (bytes, _facts, demand) => openFrames(bytes, parseGif(bytes), demand),
  encodePeakBytes,
  encode: encodeGif,
  strip,
  mark,
  markOf,

  recompress(bytes, facts) {
    // The colors mean what the profile says: they stay with it.
    if (facts.profile) return null;
    const { width, height, frames, loops, alpha } = facts;
    const demand = { box: whole(facts), width, height };
    const open = () => openFrames(bytes, parseGif(bytes), demand);
    const smaller = encodeExactly({ width, height, frames, loops, opaque: !alpha, open });
    return smaller && smaller.length < bytes.length ? smaller : null;
  },

  recompressPeakBytes: (_bytes, facts) => decodePeakBytes(facts) + encodePeakBytes(facts),
});
