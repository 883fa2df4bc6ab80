/** The writer of PNG: one picture, studied while one or several files of it are made. */
import type { Estimate } from "../../../../wasm/estimate.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { EncodeSettings, Study, Writer } from "../../codec/writer.ts";
import { mapBands } from "../../pixels/bands.ts";
import { type Extent, type Picture, mapFrames } from "../../pixels/picture.ts";
import { Known } from "./known.ts";
import { lossyEstimate, preview, writeLossy } from "./lossy.ts";
import { sixteenBitEstimate, writeSixteenBit } from "./sixteen-bit.ts";
import { animationEstimate, writeAnimation } from "./write-animation.ts";
import { probeEstimate, stillEstimate, writeProbe, writeStill } from "./write.ts";

/** A study of one picture. */
function study(picture: Picture): Study {
  const known = new Known(picture);
  return {
    encode: (settings, timeSlice) => (isExact(settings) ? writeExactly : writeLossily)(known, settings, timeSlice),
    preview: (settings, timeSlice) => preview(known, settings, timeSlice),
  };
}

export const write = {
  estimate,
  encode: (picture, settings, timeSlice) => study(picture).encode(settings, timeSlice),
  qualities: { step: 1, makesStripes: "steps" },
  variants: [{ loss: "colors" }, { loss: "levels" }, { loss: "nothing" }],
  maxScoredPixels: Infinity,
  sixteenBit: ({ lossless }) => lossless,
  study,
} satisfies Writer;

function estimate(picture: Extent, settings: EncodeSettings): Estimate {
  const { effort, probe = false, loss, studied = false } = settings;
  if (!isExact(settings)) return lossyEstimate(picture, { effort, probe, loss, studied });
  if (picture.frames > 1) return animationEstimate(picture, effort);
  if (picture.bits) return sixteenBitEstimate(picture, effort);
  return probe ? probeEstimate(picture) : stillEstimate(picture, effort);
}

function isExact({ lossless, quality, loss }: EncodeSettings): boolean {
  return lossless || quality === 100 || loss === "nothing";
}

function writeLossily(known: Known, { effort, loss, probe = false, quality }: EncodeSettings, timeSlice: TimeSlice) {
  return writeLossy(known, { quality, effort, probe, loss }, timeSlice);
}

function writeExactly({ picture }: Known, { lossless, effort, probe }: EncodeSettings, timeSlice: TimeSlice) {
  if (picture.bits) return writeSixteenBit(picture, effort, timeSlice);
  const shown = lossless || picture.opaque ? picture : withoutHiddenColors(picture);
  const options = { effort, freeHidden: !lossless };
  if (picture.frames > 1) return writeAnimation(shown, options, timeSlice);
  return probe ? writeProbe(shown, {}, timeSlice) : writeStill(shown, options, timeSlice);
}

/** The picture with nothing stored under full transparency, which nobody sees and everybody would pay for. */
function withoutHiddenColors(picture: Picture): Picture {
  return mapFrames(picture, (rows) => mapBands(rows, (band) => band.clearHidden()));
}
