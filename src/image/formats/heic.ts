/** HEIC: HEVC pictures in a HEIF container, by libde265 and kvazaar in `wasm/hevc-decode` and `wasm/hevc-encode`. */
import { format } from "../format.ts";
import { hevc } from "./heic/codec.ts";
import { CAREFUL_PIXELS, encodeHeic, encodePrice } from "./heic/encode.ts";
import { factsOf, factsPrice } from "./heif/facts.ts";
import { metadata } from "./heif/metadata.ts";
import { openImage } from "./heif/open.ts";
import { strip } from "./heif/strip.ts";
import { HEIC } from "./optional.ts";

export const heic = format({
  ...HEIC,
  can: { alpha: true, animation: false, quality: true, lossless: false, web: false },
  summary: "HEVC, 8 to 12 bits, grids and overlays, alpha; of a sequence the still picture, or else its first frame.",
  read: {
    probe: (bytes) => factsOf(bytes, hevc),
    price: factsPrice,
    open: (bytes, _facts, demand, breath) => openImage(bytes, hevc, demand, breath),
  },
  write: {
    price: encodePrice,
    encode: encodeHeic,
    qualities: { least: 20, step: 1 },
    variants: [{}],
    nearLosslessLevels: [],
    maxScoredPixels: CAREFUL_PIXELS,
  },
  strip,
  metadata,
});
