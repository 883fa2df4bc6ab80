/** AVIF: AV1 stills and sequences in a HEIF container, by dav1d in `wasm/av1-decode` and libaom in `wasm/av1-encode`. */
import { format } from "../format.ts";
import { av1, av1Sequences } from "./avif/codec.ts";
import { encodeAvif, encodePrice, resultPrice, VARIANTS, variantsOf } from "./avif/encode.ts";
import { quantizerAt } from "./avif/quality.ts";
import { factsOf } from "./heif/facts.ts";
import { metadata } from "./heif/metadata.ts";
import { openImage } from "./heif/open.ts";
import { openSequence } from "./heif/sequence-frames.ts";
import { readSequence, sequenceFacts } from "./heif/sequence.ts";
import { strip } from "./heif/strip.ts";
import { PROFILE_COPIES } from "./heif/write.ts";
import { AVIF } from "./optional.ts";
import { besideProfile } from "./profile-price.ts";

/** Points that photographs lose at qualities: medians over 26 of them. */
const LOSSES = [
  [20, 40],
  [45, 28],
  [60, 23.7],
  [70, 21.5],
  [80, 18.8],
  [90, 13.8],
  [100, 8],
] as const;

export const avif = format({
  ...AVIF,
  summary: "AV1, 8 to 12 bits, lossy or lossless, with alpha; animations (image sequences) are read, not written.",
  can: { alpha: true, animation: false, quality: true, lossless: true, web: true, spaces: "any" },
  read: {
    probe(bytes) {
      const sequence = readSequence(bytes, av1Sequences);
      return sequence ? sequenceFacts(sequence, av1Sequences) : factsOf(bytes, av1);
    },
    price({ width, height, alpha, decodeBytes, decodeMs }) {
      const usual = resultPrice({ width, height, opaque: !alpha });
      return { bytes: decodeBytes ?? usual.bytes, ms: decodeMs ?? usual.ms };
    },
    open(bytes, _facts, demand, breath) {
      const sequence = readSequence(bytes, av1Sequences);
      return sequence ? openSequence(sequence, av1Sequences, demand, breath) : openImage(bytes, av1, demand, breath);
    },
  },
  write: {
    price: besideProfile(encodePrice, PROFILE_COPIES),
    encode: encodeAvif,
    qualities: { least: 20, step: 1, coded: quantizerAt, losses: LOSSES, draft: 1.5 },
    variants: VARIANTS,
    variantsOf,
    nearLosslessLevels: [],
    maxScoredPixels: Number.POSITIVE_INFINITY,
  },
  strip,
  metadata,
});
