/** Pictures written with fewer colors than they have. */
import type { Picture } from "../../picture.ts";
import { choosePalette, quantized, reductionFor } from "../../quantize.ts";
import { writeAnimation } from "./write-animation.ts";
import { estimateStill, writeStill } from "./write.ts";

/** Dithering may cost more than colors do: an exact file that is estimated at no more than this is tried. */
const WORTH_TRYING = 1.3;

/** The file of a picture at a quality of 1 to 99, or the exact one if that is smaller. */
export function writeLossy(picture: Picture, quality: number, effort: number): Uint8Array {
  const write = picture.frames > 1 ? writeAnimation : writeStill;
  const reduction = { ...reductionFor(quality), sharp: false };
  const choice = choosePalette(picture, reduction);
  const file = write(quantized(picture, choice, reduction), { effort });
  if (choice.exact || !mayBeSmaller(picture, file.length)) return file;
  const exact = write(picture, { effort });
  return exact.length <= file.length ? exact : file;
}

/** Estimates of exact files: a search for a quality asks again and again for the same picture. */
const estimates = new WeakMap<Picture, number>();

function mayBeSmaller(picture: Picture, bytes: number): boolean {
  if (picture.frames > 1) return false;
  const estimate = estimates.get(picture) ?? estimateStill(picture);
  estimates.set(picture, estimate);
  return estimate < bytes * WORTH_TRYING;
}
