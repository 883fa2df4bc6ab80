/** What a quality stands for: how far samples may move, or how many colors are left. */
import type { Reduction } from "../../codec/quantize.ts";

// ---- levels ----

/**
 * Quality by how far samples may move: from each of these on by at most 1 level, 2, 3 ... Measured on photographs and
 * graphics: 1 scores 94, 2 90, 3 85, 4 80, 5 75, 6 68, 8 55, 10 42, as do the qualities of formats for photographs.
 */
const TOLERANCE_FROM = [96, 89, 83, 77, 70, 62, 53, 46, 40, 34, 28, 22, 15, 8, 0] as const;
/** Where errors are passed on: 1 scores 94, 2 91, 3 88, 4 85, 5 81, 6 78, 8 71, 10 64, 12 56, 15 46. */
const PASSING_FROM = [96, 92, 88, 84, 80, 76, 72, 67, 62, 57, 52, 46, 40, 33, 25, 16, 8, 0] as const;
/** Where the range of the highest qualities would end if it were as wide as those below. */
const TOLERANCE_END = 103;
const MAX_STEP = 36;

/** Levels that samples may move by, between whole ones too, so that every step of quality is one of looks. */
function toleranceFor(quality: number, table: readonly number[] = TOLERANCE_FROM): number {
  const tolerance = 1 + table.findIndex((from) => quality >= from);
  const from = table[tolerance - 1] ?? 0;
  const next = table[tolerance - 2] ?? TOLERANCE_END;
  return tolerance + (next - quality) / (next - from) - 0.5;
}

/**
 * Levels between those that are left of a sample. Powers of two are left out: they divide the 256 levels at which
 * filters wrap around, so that noise takes fewer bytes with them than with coarser steps, and bytes would not grow with
 * quality.
 * @param passes whether errors are passed on
 */
export function stepFor(quality: number, passes: boolean): number {
  const tolerance = toleranceFor(quality, passes ? PASSING_FROM : TOLERANCE_FROM);
  const step = Math.min(MAX_STEP, Math.ceil(2 * tolerance));
  return (step & (step - 1)) === 0 ? step + 1 : step;
}

// ---- colors ----

export const MOST_COLORS = 256;
/** A search by score may take all colors from this quality on, then more dithering. */
const ALL_COLORS_QUALITY = 92;
/**
 * A palette has no fewer colors than these, from that quality down: the score is content with two, but soft edges
 * become stairs.
 */
export const LEAST_COLORS = 6;
const LEAST_COLORS_QUALITY = 20;
/** How much of the error is diffused where it is least and where colors are fewest. */
const LEAST_DITHER = 0.25;
const COARSE_DITHER = 0.4;
/**
 * What each quality adds once a palette has all colors and every pixel the nearest of them. With more than half of it smooth
 * places begin to look grainy.
 */
const DITHER_PER_STEP = 0.1;

/**
 * How much is given for indices that repeat: forty photographs take 3.4 percent fewer bytes at the same score by it. From the
 * quality on at which a palette has all colors it falls to nothing within some steps, so that every score can be reached.
 */
const COHERENCE = 0.6;
/** Of so few colors several indices share a byte, and a neighbor's is seldom near. */
const MOST_PACKED_COLORS = 16;
const COHERENT_STEPS = 3;
const MAX_COHERENT_QUALITY = ALL_COLORS_QUALITY + COHERENT_STEPS;

/**
 * What a search by score tries. Colors halve with every 13 steps. The fewer they are, the coarser are their steps, and
 * the more dithering gains in looks for what it costs in bytes; where they are all taken, colors that repeat become fewer, and
 * only dithering is left then.
 * @param isCoherent whether anything is given for indices that repeat
 */
export function searchedReduction(quality: number, { isCoherent }: { readonly isCoherent: boolean }): Reduction {
  const part = (ALL_COLORS_QUALITY - quality) / (ALL_COLORS_QUALITY - LEAST_COLORS_QUALITY);
  const colors = Math.round(MOST_COLORS * (LEAST_COLORS / MOST_COLORS) ** Math.min(1, Math.max(0, part)));
  const coarse = Math.min(COARSE_DITHER, Math.max(LEAST_DITHER, 0.8 - 0.1 * Math.log2(colors)));
  const dither = Math.max(coarse, LEAST_DITHER + DITHER_PER_STEP * (quality - MAX_COHERENT_QUALITY));
  const falling = (MAX_COHERENT_QUALITY - quality) / COHERENT_STEPS;
  const rising = (colors - MOST_PACKED_COLORS) / MOST_PACKED_COLORS;
  const coherence = isCoherent ? COHERENCE * Math.max(0, Math.min(1, falling, rising)) : 0;
  return { colors, dither, sharp: false, coherence };
}

/** The error of a palette that looks as one level of tolerance does: 0.0030 to 0.0038 over a dozen pictures. */
const ERROR_PER_LEVEL = 0.0032;
/** How the error grows as colors get fewer: about with this power of their number, negated. */
const ERROR_POWER = 0.37;

/** The error of a palette that looks as a quality should, about. */
export function errorFor(quality: number): number {
  return ERROR_PER_LEVEL * toleranceFor(quality);
}

/**
 * How many colors look as good as the quality should, about; null where all 256 do not.
 * @param least the error that all of them leave
 */
export function colorsNeeded(quality: number, least: number): number | null {
  const limit = errorFor(quality);
  return least <= limit ? Math.ceil(MOST_COLORS * (least / limit) ** (1 / ERROR_POWER)) : null;
}
