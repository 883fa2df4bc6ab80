/** Pictures written with a loss: in the colors of a palette, or in all colors but not quite the same. */
import type { FilterStrategy } from "../../../../wasm/pixels/png.ts";
import type { Picture } from "../../picture.ts";
import { type Choice, choosePalette, quantized, type Reduction, reductionFor } from "../../quantize.ts";
import { NEAR_FILTER, nearPicture } from "./near.ts";
import { writeAnimation } from "./write-animation.ts";
import { estimateStill, writeInHaste, writeStill } from "./write.ts";

/** Of trials. */
const TRIAL_EFFORT = 0.1;
/** Trials of larger pictures are written in haste; smaller ones are often drawings, whose best filter is worth finding. */
const LARGE_PIXELS = 1 << 18;

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

export interface LossyOptions {
  /** 1 to 99. */
  readonly quality: number;
  /** 0 to 1. */
  readonly effort: number;
  /** For its look, not for its bytes: written in haste. What is written to stay keeps to what was chosen then. */
  readonly trial: boolean;
}

/** What becomes of a picture: few colors, all colors but moved a little, or nothing. */
type Kind = "few" | "near" | "exact";

type Writer = (picture: Picture, movedFor?: FilterStrategy) => Uint8Array;

/** The file of a picture at a quality: in few colors or in all, whichever is smaller, or the exact one. */
export function writeLossy(picture: Picture, { quality, effort, trial }: LossyOptions): Uint8Array {
  if (picture.frames > 1) return writeAnimated(picture, reductionFor(quality), trial ? TRIAL_EFFORT : effort);
  const known = knownOf(picture);
  const usual = trial ? TRIAL_EFFORT : effort;
  const write: Writer =
    trial && picture.width * picture.height > LARGE_PIXELS
      ? writeInHaste
      : (shown, movedFor) => writeStill(shown, { effort: usual, ...(movedFor && { movedFor }) });
  const [kind, file] = smallestOf(picture, quality, write, trial ? undefined : known.kinds.get(quality));
  if (trial) known.kinds.set(quality, kind);
  return file;
}

/** @param only what was chosen before, when the score was taken */
function smallestOf(picture: Picture, quality: number, write: Writer, only?: Kind): [kind: Kind, file: Uint8Array] {
  if (only === "exact") return ["exact", write(picture)];
  const tolerance = 1 + TOLERANCE_FROM.findIndex((from) => quality >= from);
  const limit = ERROR_PER_LEVEL * exactTolerance(quality, tolerance);
  const least = chosenOf(picture, MOST_COLORS).error;
  let best: [kind: Kind, file: Uint8Array] | undefined;
  if (least <= limit && only !== "near") {
    const { colors, dither } = reductionFor(quality);
    const needed = Math.ceil(MOST_COLORS * (least / limit) ** (1 / ERROR_POWER));
    const reduction = { colors: Math.min(MOST_COLORS, Math.max(colors, needed)), dither, sharp: false };
    const choice = chosenOf(picture, reduction.colors);
    best = ["few", write(quantized(picture, choice, reduction))];
    if (choice.exact) return ["exact", best[1]];
  }
  if (only !== "few" || !best) {
    const near = write(nearPicture(picture, tolerance), NEAR_FILTER);
    if (!best || near.length < best[1].length) best = ["near", near];
  }
  const limitBytes = best[1].length * (best[0] === "few" ? WORTH_TRYING : 1);
  if (exactEstimate(picture) > limitBytes) return best;
  const exact = write(picture);
  return exact.length <= best[1].length ? ["exact", exact] : best;
}

/** Tolerances between whole levels, so that palettes change with every step of quality. */
function exactTolerance(quality: number, tolerance: number): number {
  const from = TOLERANCE_FROM[tolerance - 1] ?? 0;
  const next = TOLERANCE_FROM[tolerance - 2] ?? 103;
  return tolerance + (next - quality) / (next - from) - 0.5;
}

/** What is known of a picture: a search for a quality asks again and again for the same one. */
interface Known {
  readonly choices: Map<number, Choice>;
  readonly kinds: Map<number, Kind>;
  exactEstimate?: number;
}

const knowledge = new WeakMap<Picture, Known>();

function knownOf(picture: Picture): Known {
  const known = knowledge.get(picture) ?? { choices: new Map<number, Choice>(), kinds: new Map<number, Kind>() };
  knowledge.set(picture, known);
  return known;
}

function chosenOf(picture: Picture, colors: number): Choice {
  const { choices } = knownOf(picture);
  const choice = choices.get(colors) ?? choosePalette(picture, { colors, dither: 0, sharp: false });
  choices.set(colors, choice);
  return choice;
}

function exactEstimate(picture: Picture): number {
  return (knownOf(picture).exactEstimate ??= estimateStill(picture));
}

/** The file of an animation in the colors of one palette, or the exact one. */
function writeAnimated(picture: Picture, wanted: Omit<Reduction, "sharp">, effort: number): Uint8Array {
  const reduction = { ...wanted, sharp: false };
  const choice = choosePalette(picture, reduction);
  const reduced = quantized(picture, choice, reduction);
  const file = writeAnimation(reduced, { effort });
  if (choice.exact || exactEstimate(picture) > estimateStill(reduced) * WORTH_TRYING) return file;
  const exact = writeAnimation(picture, { effort });
  return exact.length <= file.length ? exact : file;
}
