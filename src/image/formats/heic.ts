/** HEIC: HEVC pictures in a HEIF container, by libde265 and kvazaar in `wasm/hevc-decode` and `wasm/hevc-encode`. */
import { format } from "../codec/format.ts";
import { hevc } from "./heic/codec.ts";
import { CAREFUL_PIXELS, encodeHeic, encodeEstimate } from "./heic/encode.ts";
import { quantizerOf } from "./heic/quality.ts";
import { factsOf, factsEstimate } from "./heif/facts.ts";
import { readGainMap } from "./heif/gain-map.ts";
import { manifest } from "./heif/manifest.ts";
import { metadata } from "./heif/metadata.ts";
import { openImage } from "./heif/open.ts";
import { strip } from "./heif/strip.ts";
import { addedBytes, writeGainMap } from "./heif/write-gain-map.ts";
import { PROFILE_COPIES } from "./heif/write.ts";
import { HEIC } from "./optional.ts";
import { besideProfile } from "./profile-estimate.ts";

/**
 * Points that photographs lose at qualities: medians over 52 of how steep their curves are, through 25 at quality 80.
 */
const LOSSES = [
  [1, 109],
  [4, 95],
  [8, 78],
  [12, 63.8],
  [16, 59.1],
  [25, 50.5],
  [35, 46.5],
  [45, 42.8],
  [55, 36.6],
  [65, 33.6],
  [70, 31],
  [78, 26.2],
  [85, 22.3],
  [92, 15],
  [96, 11.5],
  [100, 8],
] as const;

export const heic = format({
  ...HEIC,
  can: {
    alpha: true,
    animation: false,
    quality: true,
    lossless: false,
    web: false,
    turned: true,
    spaces: "any",
    mostSide: 16_384,
  },
  summary: "HEVC, 8 to 12 bits, grids and overlays, alpha; of a sequence the still picture, or else its first frame.",
  read: {
    factsOf: (bytes) => factsOf(bytes, hevc),
    estimate: factsEstimate,
    open: (bytes, _facts, demand, timeSlice) => openImage(bytes, hevc, demand, timeSlice),
  },
  write: {
    estimate: besideProfile(encodeEstimate, PROFILE_COPIES),
    encode: encodeHeic,
    qualities: { step: 1, coded: quantizerOf, losses: LOSSES },
    variants: [{}],
    maxScoredPixels: CAREFUL_PIXELS,
  },
  strip,
  metadata,
  manifest,
  gainMap: { read: (bytes) => readGainMap(bytes, ["heic", "mif1"]), write: writeGainMap, addedBytes },
});
