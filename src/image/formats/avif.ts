/**
 * AVIF: AV1 stills and sequences in a HEIF container, by dav1d in `wasm/av1-decode` and libaom in `wasm/av1-encode`.
 */
import { format } from "../codec/format.ts";
import { animationResultEstimate, tracksOf } from "./avif/animation.ts";
import { av1, av1Sequences } from "./avif/codec.ts";
import { encodeAvif, encodeEstimate, MIN_DRAWN_QUALITY, resultEstimate, VARIANTS } from "./avif/encode.ts";
import { LOSSES, quantizerAt } from "./avif/quality.ts";
import { factsOf, factsEstimate } from "./heif/facts.ts";
import { readGainMap } from "./heif/gain-map.ts";
import { manifest } from "./heif/manifest.ts";
import { metadata } from "./heif/metadata.ts";
import { openImage } from "./heif/open.ts";
import { openSequence } from "./heif/sequence-frames.ts";
import { readSequence, sequenceFacts } from "./heif/sequence.ts";
import { strip } from "./heif/strip.ts";
import { addedBytes, writeGainMap } from "./heif/write-gain-map.ts";
import { PROFILE_COPIES } from "./heif/write.ts";
import { AVIF } from "./optional.ts";
import { besideProfile } from "./profile-estimate.ts";

export const avif = format({
  ...AVIF,
  summary: "AV1, lossy or lossless, with alpha and animation (image sequences); 8 to 12 bits in, 8 or 10 bits out.",
  can: {
    mostSide: 16_384,
    alpha: true,
    animation: true,
    quality: true,
    lossless: true,
    turned: true,
    web: true,
    spaces: "any",
    highDynamicRange: true,
  },
  role: { listed: 1, tried: 1 },
  read: {
    factsOf(bytes) {
      const sequence = readSequence(bytes, av1Sequences);
      return sequence ? sequenceFacts(sequence, av1Sequences) : factsOf(bytes, av1);
    },
    estimate(facts, demand) {
      const { width, height, alpha, frames, firstEstimate, bits } = facts;
      if (demand.firstOnly && firstEstimate) return firstEstimate;
      const shape = { width, height, opaque: !alpha, frames, bits };
      return factsEstimate(facts, demand, frames > 1 ? animationResultEstimate(shape) : resultEstimate(shape));
    },
    open(bytes, _facts, demand, timeSlice) {
      const sequence = readSequence(bytes, av1Sequences);
      return sequence
        ? openSequence(sequence, av1Sequences, demand, timeSlice)
        : openImage(bytes, av1, demand, timeSlice);
    },
    sixteenBit: true,
  },
  write: {
    estimate: besideProfile(encodeEstimate, PROFILE_COPIES),
    readings: tracksOf,
    encode: encodeAvif,
    sixteenBit: (_settings, space) => space?.codePoints !== undefined,
    qualities: {
      step: 0.25,
      coded: (quality) => quantizerAt(quality),
      losses: LOSSES,
      bits: 0.25,
      begins: 0.925,
      films: 0.86,
      fullChroma: 1.8,
      draft: 2,
      drawnFrom: MIN_DRAWN_QUALITY,
    },
    variants: VARIANTS,
    maxScoredPixels: Number.POSITIVE_INFINITY,
  },
  strip,
  metadata,
  manifest,
  gainMap: { read: (bytes) => readGainMap(bytes, ["avif", "mif1"]), write: writeGainMap, addedBytes },
});
