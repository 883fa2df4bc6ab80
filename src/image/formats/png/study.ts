/** The writer of PNG: one picture, studied while one or several files of it are made. */
import type { Price } from "../../../../wasm/estimate.ts";
import type { Breath } from "../../../scheduler/time-slice.ts";
import type { EncodeSettings, Study, Writer } from "../../codec/writer.ts";
import { mapBands } from "../../pixels/band.ts";
import { type Extent, mapFrames, type Picture } from "../../pixels/picture.ts";
import { Known } from "./known.ts";
import { lossyPrice, preview, writeLossy } from "./lossy.ts";
import { deepPrice, writeDeep } from "./sixteen-bit.ts";
import { animationPrice, writeAnimation } from "./write-animation.ts";
import { stillPrice, trialPrice, writeStill, writeTrial } from "./write.ts";

/** A study of one picture. */
export function study(picture: Picture): Study {
  const known = new Known(picture);
  return {
    encode: (settings, breath) => (isExact(settings) ? writeExactly : writeLossily)(known, settings, breath),
    preview: (settings, breath) => preview(known, settings, breath),
  };
}

export const write = {
  price,
  encode: (picture, settings, breath) => study(picture).encode(settings, breath),
  qualities: { step: 1 },
  variants: [{ loss: "colors" }, { loss: "levels" }, { loss: "nothing" }],
  maxScoredPixels: Infinity,
  deep: ({ lossless }) => lossless,
  study,
} satisfies Writer;

function price(picture: Extent, settings: EncodeSettings): Price {
  const { effort, trial = false, loss, studied = false } = settings;
  if (!isExact(settings)) return lossyPrice(picture, { effort, trial, loss, studied });
  if (picture.frames > 1) return animationPrice(picture, effort);
  if (picture.bits) return deepPrice(picture, effort);
  return trial ? trialPrice(picture) : stillPrice(picture, effort);
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
