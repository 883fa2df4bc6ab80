/** HEIC: HEVC pictures in a HEIF container, by libde265 and kvazaar in `wasm/hevc-decode` and `wasm/hevc-encode`. */
import { type Facts, format } from "../format.ts";
import { hevc } from "./heic/codec.ts";
import { CAREFUL_PIXELS, encodeHeic, peakBytes } from "./heic/encode.ts";
import { factsOf } from "./heif/facts.ts";
import { openImage } from "./heif/open.ts";
import { strip } from "./heif/strip.ts";
import { HEIC } from "./optional.ts";

export const heic = format({
  ...HEIC,
  can: { alpha: true, animation: false, quality: true, lossless: false, web: false },
  summary: "HEVC, 8 to 12 bits, grids and overlays, alpha; of a sequence the still picture, or else its first frame.",
  probe: (bytes): Facts => factsOf(bytes, hevc),
  decodePeakBytes: ({ width, height, decodeBytes }) => decodeBytes ?? width * height * 5,
  open: (bytes, _facts, demand) => openImage(bytes, hevc, demand),
  encodePeakBytes: peakBytes,
  encode: encodeHeic,
  maxScoredPixels: CAREFUL_PIXELS,
  strip,
});
