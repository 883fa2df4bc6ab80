/** MP4: films of AV1 without sound, by dav1d in `wasm/av1-decode` and libaom in `wasm/av1-encode`. */
import { type Demand, type Facts, format } from "../codec/format.ts";
import { av1Sequences } from "./avif/codec.ts";
import { LOSSES, quantizerAt } from "./avif/quality.ts";
import { damaged } from "./heif/bytes.ts";
import { factsEstimate } from "./heif/facts.ts";
import { topLevel } from "./heif/items.ts";
import { openSequence } from "./heif/sequence-frames.ts";
import { type ImageSequence, readFrames, sequenceFacts } from "./heif/sequence.ts";
import { encodeEstimate, encodeFilm, resultEstimate, VARIANTS } from "./mp4/encode.ts";
import { strip } from "./mp4/strip.ts";
import { MP4 } from "./optional.ts";

/** @throws ApiError 422 when the file is damaged, or its pictures are not AV1 */
function readFilm(bytes: Uint8Array): ImageSequence {
  const moov = topLevel(bytes, "moov");
  const film = moov && readFrames(bytes, moov, av1Sequences, 1);
  if (!film) throw damaged();
  return film;
}

export const mp4 = format({
  ...MP4,
  summary:
    "Films of AV1 without sound, for `video`; from animations alone. Of a film with sound the pictures are read.",
  can: {
    mostSide: 16_384,
    alpha: false,
    animation: true,
    movesAlone: true,
    quality: true,
    lossless: false,
    web: false,
  },
  role: { listed: 10 },
  read: {
    // How often a film plays is up to the page that shows it: other formats say it, and pages mostly repeat them.
    factsOf: (bytes) => ({ ...sequenceFacts(readFilm(bytes), av1Sequences), loops: 0 }),
    estimate(facts: Facts, demand: Demand) {
      if (demand.firstOnly && facts.firstEstimate) return facts.firstEstimate;
      const { width, height, frames } = facts;
      return factsEstimate(facts, demand, resultEstimate({ width, height, frames, opaque: true }));
    },
    open: (bytes, _facts, demand, timeSlice) => openSequence(readFilm(bytes), av1Sequences, demand, timeSlice),
  },
  write: {
    estimate: encodeEstimate,
    encode: encodeFilm,
    qualities: {
      step: 0.25,
      coded: (quality) => quantizerAt(quality, "frame"),
      losses: LOSSES,
      bits: 0.25,
      draft: 2,
    },
    variants: VARIANTS,
    maxScoredPixels: Number.POSITIVE_INFINITY,
  },
  strip,
});
