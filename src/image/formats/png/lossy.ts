/** Pictures written with fewer colors than they have. */
import type { Picture } from "../../picture.ts";
import { choosePalette, quantized, reductionFor } from "../../quantize.ts";
import { writeAnimation } from "./write-animation.ts";
import { estimateStill, writeStill } from "./write.ts";

/** Dithering may cost more than colors do: an exact file that is estimated at less than this is tried. */
const WORTH_TRYING = 2;

/** The file of a picture at a quality of 1 to 99, or the exact one if that is smaller. */
export function writeLossy(picture: Picture, quality: number, effort: number): Uint8Array {
  const write = picture.frames > 1 ? writeAnimation : writeStill;
  const reduction = { ...reductionFor(quality), sharp: false };
  const choice = choosePalette(picture, reduction);
  const reduced = quantized(picture, choice, reduction);
  const file = write(reduced, { effort });
  if (choice.exact) return file;
  const bytes = picture.frames > 1 ? estimateStill(reduced) : file.length;
  if (exactEstimate(picture) > bytes * WORTH_TRYING) return file;
  const exact = write(picture, { effort });
  return exact.length <= file.length ? exact : file;
}

/** Estimates of exact files: a search for a quality asks again and again for the same picture. */
const estimates = new WeakMap<Picture, number>();

function exactEstimate(picture: Picture): number {
  const estimate = estimates.get(picture) ?? estimateStill(picture);
  estimates.set(picture, estimate);
  return estimate;
}
