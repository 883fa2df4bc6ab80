/** The writer of PNG: one picture, studied while one or several files of it are made. */
import type { Estimate } from "../../../../wasm/estimate.ts";
import type { Breath } from "../../../scheduler/time-slice.ts";
import type { EncodeSettings, Study, Writer } from "../../codec/writer.ts";
import { mapBands } from "../../pixels/band.ts";
import { type Extent, mapFrames, type Picture } from "../../pixels/picture.ts";
import { Known } from "./known.ts";
import { lossyEstimate, preview, writeLossy } from "./lossy.ts";
import { deepEstimate, writeDeep } from "./sixteen-bit.ts";
import { animationEstimate, writeAnimation } from "./write-animation.ts";
import { stillEstimate, trialEstimate, writeStill, writeTrial } from "./write.ts";

/** A study of one picture. */
export function study(picture: Picture): Study {
  const known = new Known(picture);
  return {
    encode: (settings, breath) => (isExact(settings) ? writeExactly : writeLossily)(known, settings, breath),
    preview: (settings, breath) => preview(known, settings, breath),
  };
}

export const write = {
  estimate,
  encode: (picture, settings, breath) => study(picture).encode(settings, breath),
  qualities: { step: 1 },
  variants: [{ loss: "colors" }, { loss: "levels" }, { loss: "nothing" }],
  maxScoredPixels: Infinity,
  deep: ({ lossless }) => lossless,
  study,
} satisfies Writer;

function estimate(picture: Extent, settings: EncodeSettings): Estimate {
  const { effort, trial = false, loss, studied = false } = settings;
  if (!isExact(settings)) return lossyEstimate(picture, { effort, trial, loss, studied });
  if (picture.frames > 1) return animationEstimate(picture, effort);
  if (picture.bits) return deepEstimate(picture, effort);
  return trial ? trialEstimate(picture) : stillEstimate(picture, effort);
}

function isExact({ lossless, quality, loss }: EncodeSettings): boolean {
  return lossless || quality === 100 || loss === "nothing";
}

function writeLossily(known: Known, { effort, loss, trial = false, quality }: EncodeSettings, breath: Breath) {
  return writeLossy(known, { quality, effort, trial, loss }, breath);
}

function writeExactly({ picture }: Known, { lossless, effort, trial }: EncodeSettings, breath: Breath) {
  if (picture.bits) return writeDeep(picture, effort, breath);
  const shown = lossless || picture.opaque ? picture : withoutHiddenColors(picture);
  const options = { effort, freeHidden: !lossless };
  if (picture.frames > 1) return writeAnimation(shown, options, breath);
  return trial ? writeTrial(shown, {}, breath) : writeStill(shown, options, breath);
}

/** The picture with nothing stored under full transparency, which nobody sees and everybody would pay for. */
function withoutHiddenColors(picture: Picture): Picture {
  return mapFrames(picture, (rows) => mapBands(rows, (band) => band.clearHidden()));
}
