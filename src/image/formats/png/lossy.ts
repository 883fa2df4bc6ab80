/** Pictures written with a loss: in the colors of a palette, or in all colors but not quite the same. */
import type { EncodeSettings, Preview } from "../../format.ts";
import type { Size } from "../../geometry.ts";
import { firstFrame, type Picture } from "../../picture.ts";
import { type Choice, choosePalette, paletteError, quantized, type Reduction, reductionFor } from "../../quantize.ts";
import { NEAR_FILTER, nearPicture } from "./near.ts";
import type { Measured } from "./tuning.ts";
import { writeAnimation } from "./write-animation.ts";
import { estimateStill, writeStill, writeTrial } from "./write.ts";

/** Of animations that are only looked at. */
const TRIAL_EFFORT = 0.1;

/** Dithering may cost more than colors do: an exact file that is estimated at less than this is tried. */
const WORTH_TRYING = 2;

/**
 * Quality by how far samples may move: from each of these on by at most 1 level, 2, 3 ... Measured on photographs and
 * graphics: 1 scores 94, 2 90, 3 85, 4 80, 5 75, 6 68, 8 55, 10 42, as do the qualities of formats for photographs.
 */
const TOLERANCE_FROM = [96, 89, 83, 77, 70, 62, 53, 46, 40, 34, 28, 22, 15, 8, 0] as const;
const MAX_STEP = 31;

/** The error of a palette that looks as one level of tolerance does: 0.0030 to 0.0038 over a dozen pictures. */
const ERROR_PER_LEVEL = 0.0032;
/** How the error grows as colors get fewer: about with this power of their number, negated. */
const ERROR_POWER = 0.37;
const MOST_COLORS = 256;

/** A search by score may take all colors from this quality on, then more dithering. */
const ALL_COLORS_QUALITY = 92;
/** And no fewer than these, from that quality down: the score is content with two, but soft edges become stairs. */
const LEAST_COLORS = 6;
const LEAST_COLORS_QUALITY = 20;

export interface LossyOptions {
  /** 1 to 99. */
  readonly quality: number;
  /** 0 to 1. */
  readonly effort: number;
  /** For its look, not for its bytes: written in haste. */
  readonly trial: boolean;
  /** Colors or levels; by default the smaller of both that looks as the quality should. */
  readonly loss: EncodeSettings["loss"];
}

/** Points of score that go with an error of a palette: 20 drawings lose 25 points at 0.012 to 0.022. */
const POINTS_PER_ERROR = 1_600;
/** And with a step between levels. */
const POINTS_PER_STEP = 2.5;

/** What `writeLossy` shows of a still picture by a quality and a loss. */
export function preview(picture: Picture, { quality, loss }: Pick<EncodeSettings, "quality" | "loss">): Preview {
  if (loss === "levels") {
    const step = stepFor(quality);
    const open = () => firstFrame(nearPicture(picture, step));
    return { key: `${step}`, exact: false, damage: step * POINTS_PER_STEP, open };
  }
  if (loss !== "colors") return { key: "", exact: true, damage: 0, open: () => firstFrame(picture) };
  const reduction = searchedReduction(quality);
  const { error, exact } = paletteError(picture, reduction);
  return {
    key: exact ? "" : keyOf(reduction),
    exact,
    damage: error * POINTS_PER_ERROR,
    open: () => firstFrame(reducedOf(picture, reduction, true)),
  };
}

/** The file of a picture at a quality: in few colors or in all, or the exact one if that is smaller. */
export function writeLossy(picture: Picture, { quality, effort, trial, loss }: LossyOptions): Uint8Array {
  if (picture.frames > 1) return writeAnimated(picture, reductionFor(quality), trial ? TRIAL_EFFORT : effort);
  if (!loss) return smallestOf(picture, quality, effort);
  if (loss === "levels") {
    const step = stepFor(quality);
    const moved = nearPicture(picture, step);
    const options = { movedFor: NEAR_FILTER, measured: measuredOf(picture, `${step}`) } as const;
    return trial ? writeTrial(moved, options) : writeStill(moved, { effort, ...options });
  }
  const reduction = searchedReduction(quality);
  const reduced = reducedOf(picture, reduction, trial);
  const measured = measuredOf(picture, keyOf(reduction));
  return trial ? writeTrial(reduced, { measured }) : writeStill(reduced, { effort, measured });
}

/**
 * Colors halve with every 13 steps. The fewer they are, the coarser are their steps, and the more dithering gains in
 * looks for what it costs in bytes; where they are all taken, only dithering is left.
 */
function searchedReduction(quality: number): Reduction {
  const part = (ALL_COLORS_QUALITY - quality) / (ALL_COLORS_QUALITY - LEAST_COLORS_QUALITY);
  const colors = Math.round(MOST_COLORS * (LEAST_COLORS / MOST_COLORS) ** Math.min(1, Math.max(0, part)));
  const coarse = Math.min(0.4, Math.max(0.25, 0.8 - 0.1 * Math.log2(colors)));
  const dither = Math.max(coarse, 0.25 + 0.1 * (quality - ALL_COLORS_QUALITY));
  return { colors, dither: Math.min(1, dither), sharp: false };
}

function smallestOf(picture: Picture, quality: number, effort: number): Uint8Array {
  const tolerance = exactTolerance(quality);
  const limit = ERROR_PER_LEVEL * tolerance;
  const least = chosenOf(picture, MOST_COLORS).error;
  let best: Uint8Array | undefined;
  let limitBytes = 0;
  if (least <= limit) {
    const { colors, dither } = reductionFor(quality);
    const needed = Math.ceil(MOST_COLORS * (least / limit) ** (1 / ERROR_POWER));
    const reduction = { colors: Math.min(MOST_COLORS, Math.max(colors, needed)), dither, sharp: false };
    const choice = chosenOf(picture, reduction.colors);
    best = writeStill(quantized(picture, choice, reduction), { effort });
    if (choice.exact) return best;
    limitBytes = best.length * WORTH_TRYING;
  }
  const near = writeStill(nearPicture(picture, stepFor(quality)), { effort, movedFor: NEAR_FILTER });
  if (!best || near.length < best.length) [best, limitBytes] = [near, near.length];
  if (exactEstimate(picture) > limitBytes) return best;
  const exact = writeStill(picture, { effort });
  return exact.length <= best.length ? exact : best;
}

/**
 * Levels between those that are left of a sample. Powers of two are left out: they divide the 256 levels at which filters
 * wrap around, so that noise takes fewer bytes with them than with coarser steps, and bytes would not grow with quality.
 */
function stepFor(quality: number): number {
  const step = Math.min(MAX_STEP, Math.ceil(2 * exactTolerance(quality)));
  return (step & (step - 1)) === 0 ? step + 1 : step;
}

/** Levels that samples may move by, between whole ones too, so that every step of quality is one of looks. */
function exactTolerance(quality: number): number {
  const tolerance = 1 + TOLERANCE_FROM.findIndex((from) => quality >= from);
  const from = TOLERANCE_FROM[tolerance - 1] ?? 0;
  const next = TOLERANCE_FROM[tolerance - 2] ?? 103;
  return tolerance + (next - quality) / (next - from) - 0.5;
}

/** What is known of a picture: a search for a quality asks again and again for the same one. */
interface Known {
  readonly choices: Map<number, Choice>;
  /** How renditions can be written, by what they show. */
  readonly measured: Map<string, Measured>;
  /** The latest renditions in few colors, by what they show. */
  readonly reduced: Map<string, Picture>;
  exactEstimate?: number;
}

const knowledge = new WeakMap<Picture, Known>();

function knownOf(picture: Picture): Known {
  const known = knowledge.get(picture) ?? {
    choices: new Map<number, Choice>(),
    measured: new Map<string, Measured>(),
    reduced: new Map<string, Picture>(),
  };
  knowledge.set(picture, known);
  return known;
}

function chosenOf(picture: Picture, colors: number): Choice {
  const { choices } = knownOf(picture);
  const choice = choices.get(colors) ?? choosePalette(picture, { colors, dither: 0, sharp: false });
  choices.set(colors, choice);
  return choice;
}

function keyOf({ colors, dither }: Reduction): string {
  return `${colors} ${dither}`;
}

/** Renditions that are kept, as indices: a search looks at most once past the one that it takes. */
const KEPT_RENDITIONS = 2;
/** Pixels of a picture of which they are: of larger ones a search sees parts only. */
const MOST_KEPT_PIXELS = 1 << 22;

/** Bytes of the renditions that are kept while a quality is searched for. */
export function keptRenditionBytes({ width, height, frames }: Size & { frames: number }): number {
  return frames === 1 && width * height <= MOST_KEPT_PIXELS ? width * height * KEPT_RENDITIONS : 0;
}

/** The picture in few colors; kept, where it is not too large, if it will be asked for again. */
function reducedOf(picture: Picture, reduction: Reduction, isTrial: boolean): Picture {
  const { reduced } = knownOf(picture);
  const key = keyOf(reduction);
  const before = reduced.get(key);
  if (before) return before;
  const keeps = isTrial && keptRenditionBytes(picture) > 0;
  const made = quantized(picture, chosenOf(picture, reduction.colors), reduction, keeps);
  if (!keeps) return made;
  const [oldest] = reduced.keys();
  if (oldest !== undefined && reduced.size === KEPT_RENDITIONS) reduced.delete(oldest);
  reduced.set(key, made);
  return made;
}

function measuredOf(picture: Picture, key: string): Measured {
  const { measured } = knownOf(picture);
  const known = measured.get(key) ?? new Map<string, number>();
  measured.set(key, known);
  return known;
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
