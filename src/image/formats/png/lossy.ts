/** Pictures written with a loss: in the colors of a palette, or in all colors but not quite the same. */
import type { Picture } from "../../picture.ts";
import { choosePalette, quantized, type Reduction, reductionFor } from "../../quantize.ts";
import { NEAR_FILTER, nearPicture } from "./near.ts";
import { writeAnimation } from "./write-animation.ts";
import { estimateStill, writeStill } from "./write.ts";

/** Dithering may cost more than colors do: an exact file that is estimated at less than this is tried. */
const WORTH_TRYING = 2;

/**
 * Quality by how far samples may move: from each of these on by at most 1 level, 2, 3 ... Measured on photographs and
 * graphics: 1 scores 94, 2 90, 3 85, 4 80, 5 75, 6 68, 8 55, 10 42, as do the qualities of formats for photographs.
 */
const TOLERANCE_FROM = [96, 89, 83, 77, 70, 62, 53, 46, 40, 34, 28, 22, 15, 8, 0] as const;

/** The error of a palette that looks as one level of tolerance does: 0.0030 to 0.0038 over a dozen pictures. */
const ERROR_PER_LEVEL = 0.0032;
/** How the error grows as colors get fewer: about with this power of their number, negated. */
const ERROR_POWER = 0.37;
const MOST_COLORS = 256;

/** The file of a picture at a quality of 1 to 99: in few colors or in all, whichever is smaller, or the exact one. */
export function writeLossy(picture: Picture, quality: number, effort: number): Uint8Array {
  if (picture.frames > 1) return writeFew(picture, reductionFor(quality), effort).file;
  const tolerance = 1 + TOLERANCE_FROM.findIndex((from) => quality >= from);
  const limit = ERROR_PER_LEVEL * exactTolerance(quality, tolerance);
  const least = leastError(picture);
  if (least > limit) return writeNear(picture, tolerance, effort);
  const { colors, dither } = reductionFor(quality);
  const needed = Math.ceil(MOST_COLORS * (least / limit) ** (1 / ERROR_POWER));
  const few = writeFew(picture, { colors: Math.min(MOST_COLORS, Math.max(colors, needed)), dither }, effort);
  if (few.isExact) return few.file;
  const near = writeNear(picture, tolerance, effort);
  return few.file.length <= near.length ? few.file : near;
}

/** Tolerances between whole levels, so that palettes change with every step of quality. */
function exactTolerance(quality: number, tolerance: number): number {
  const from = TOLERANCE_FROM[tolerance - 1] ?? 0;
  const next = TOLERANCE_FROM[tolerance - 2] ?? 103;
  return tolerance + (next - quality) / (next - from) - 0.5;
}

/** Errors of the largest palette: a search for a quality asks again and again for the same picture. */
const leastErrors = new WeakMap<Picture, number>();

function leastError(picture: Picture): number {
  const reduction = { colors: MOST_COLORS, dither: 0, sharp: false };
  const error = leastErrors.get(picture) ?? choosePalette(picture, reduction).error;
  leastErrors.set(picture, error);
  return error;
}

function writeFew(
  picture: Picture,
  wanted: Omit<Reduction, "sharp">,
  effort: number,
): { readonly file: Uint8Array; readonly isExact: boolean } {
  const reduction = { ...wanted, sharp: false };
  const choice = choosePalette(picture, reduction);
  const reduced = quantized(picture, choice, reduction);
  return { file: writeReduced(picture, reduced, choice.exact, effort), isExact: choice.exact };
}

function writeReduced(picture: Picture, reduced: Picture, isExact: boolean, effort: number): Uint8Array {
  const write = picture.frames > 1 ? writeAnimation : writeStill;
  const file = write(reduced, { effort });
  if (isExact) return file;
  const bytes = picture.frames > 1 ? estimateStill(reduced) : file.length;
  return smaller(file, bytes * WORTH_TRYING, picture, effort);
}

function writeNear(picture: Picture, tolerance: number, effort: number): Uint8Array {
  const file = writeStill(nearPicture(picture, tolerance), { effort, movedFor: NEAR_FILTER });
  return smaller(file, file.length, picture, effort);
}

/** The exact file, if it is estimated at no more than `limitBytes` and turns out smaller. */
function smaller(file: Uint8Array, limitBytes: number, picture: Picture, effort: number): Uint8Array {
  if (exactEstimate(picture) > limitBytes) return file;
  const exact = picture.frames > 1 ? writeAnimation(picture, { effort }) : writeStill(picture, { effort });
  return exact.length <= file.length ? exact : file;
}

/** Estimates of exact files: a search for a quality asks again and again for the same picture. */
const estimates = new WeakMap<Picture, number>();

function exactEstimate(picture: Picture): number {
  const estimate = estimates.get(picture) ?? estimateStill(picture);
  estimates.set(picture, estimate);
  return estimate;
}
