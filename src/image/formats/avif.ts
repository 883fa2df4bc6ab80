/** AVIF: AV1 stills in a HEIF container, by dav1d in `wasm/av1-decode` and libaom in `wasm/av1-encode`. */
import { type Facts, format } from "../format.ts";
import { av1 } from "./avif/codec.ts";
import { encodeAvif, peakBytes, resultDecodeBytes } from "./avif/encode.ts";
import { factsOf } from "./heif/facts.ts";
import { openImage } from "./heif/open.ts";
import { strip } from "./heif/strip.ts";
import { AVIF } from "./optional.ts";

export const avif = format({
  ...AVIF,
  summary:
    "AV1, 8 to 12 bits, lossy or lossless, with alpha; of a sequence the still picture, or else its first frame.",
  can: { alpha: true, animation: false, quality: true, lossless: true, web: true },
  probe: (bytes): Facts => factsOf(bytes, av1),
  decodePeakBytes: ({ width, height, alpha, decodeBytes }) =>
    decodeBytes ?? resultDecodeBytes({ width, height, opaque: !alpha }),
  open: (bytes, _facts, demand) => openImage(bytes, av1, demand),
  encodePeakBytes: peakBytes,
  encode: encodeAvif,
  subsamplings: ["4:2:0", "4:4:4"],
  strip,
});
