/**
 * What qualities cost. Qualities of all formats are scaled to look alike, and what pictures lose by them follows one curve,
 * but for a factor of the picture's own: from one rendition whose score is known, the score at another quality is known
 * within a point. Learned from pictures that nothing is measured with (test/bench/search-pictures.ts).
 */
import type { Scale } from "../codec/writer.ts";
import { around, lostBy, MAX_QUALITY, MIN_QUALITY, type Tried } from "./find-quality.ts";

/** A quality whose score is known. */
export interface Scored extends Tried {
  readonly score: number;
  /** What the metric alone says. */
  readonly metric?: number;
  /** What it takes, in bits for each pixel. */
  readonly bits?: number;
}

/** By what a point may be further along the curve than it was expected to be, as logarithms. */
const SLOPES = { least: 0.3, usual: 1, most: 2.5 };
/** What bits say of it at most. */
const LIKELY_SLOPES = { least: 0.7, most: 1.4 };
/** How much steeper the curve of a picture is that takes more bits than an average one, by their quotient as a logarithm. */
const STEEPER_WITH_BITS = 0.26;
/** Two renditions say how steep the curve is where what they lose is expected to differ by this much, as a logarithm. */
const APART = 0.08;
/** How far along the curve one step goes at most, as a logarithm. */
const MAX_STEP = 0.8;
/** Tries after which halves of what is left are tried: the curve has steps. */
const GUESSES = 5;

/** Points that an average picture loses at qualities, on the way to which it loses a constant part more with each. */
type Losses = NonNullable<Scale["losses"]>;

/** What JPEG loses: medians of how steep the curves of 52 pictures are, through 25 at quality 80. */
const USUAL_LOSSES: Losses = [
  [1, 75],
  [8, 68],
  [15, 60],
  [25, 48],
  [35, 40],
  [45, 37.4],
  [55, 34.6],
  [65, 31.4],
  [75, 27.7],
  [80, 25],
  [85, 22.6],
  [92, 16.9],
  [96, 12.7],
  [100, 8.5],
];

/** Points that a picture loses at a quality, if it is an average one. */
export function usualLoss(quality: number, losses: Losses = USUAL_LOSSES): number {
  const above = Math.max(
    1,
    losses.findIndex(([at]) => at >= quality),
  );
  const [[from, most], [to, least]] = [losses[above - 1]!, losses[above]!];
  const part = Math.min(1, Math.max(0, (quality - from) / (to - from)));
  return most * (least / most) ** part;
}

/** The lowest quality of a scale at which an average picture loses no more than so many points. */
function qualityOf(loss: number, scale: Scale): number {
  const { step, losses, least = MIN_QUALITY } = scale;
  let low = 0;
  let high = Math.floor((MAX_QUALITY - least) / step);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (usualLoss(least + middle * step, losses) <= loss) high = middle;
    else low = middle + 1;
  }
  return Math.min(MAX_QUALITY, least + low * step);
}

/** Where to begin to look for what a quality is expected to look like. */
export function firstQuality(quality: number, scale: Scale): number {
  const { losses, begins = 1 } = scale;
  return losses ? qualityOf(usualLoss(quality) * begins, scale) : quality;
}

/** A place on the curve: what is expected to be lost, and what is, as logarithms. */
interface Place {
  readonly expected: number;
  readonly lost: number;
}

function placeOf({ quality, score }: Scored, scale: Scale): Place {
  return { expected: Math.log(usualLoss(quality, scale.losses)), lost: lostBy(score) };
}

/** Two places that are far enough apart to say how steep the curve of a picture is; undefined where there are none. */
function farApart(
  known: readonly Scored[],
  scale: Scale,
): { readonly from: Place; readonly steepness: number } | undefined {
  const places = known.map((one) => placeOf(one, scale)).toSorted((one, other) => one.expected - other.expected);
  const [from, to] = [places[0], places.at(-1)];
  if (!from || !to || to.expected - from.expected < APART) return undefined;
  return { from, steepness: (to.lost - from.lost) / (to.expected - from.expected) };
}

/**
 * How steep the curve of a picture is between two qualities that are apart, as a part of what is usual; or else as
 * steep as it is known to be otherwise, or as the bits say that it takes.
 */
export function steepnessOf(known: readonly Scored[], scale: Scale, otherwise?: number): number {
  const apart = farApart(known, scale);
  if (!apart) return otherwise ?? likelySlope(known, scale);
  return Math.min(SLOPES.most, Math.max(SLOPES.least, apart.steepness));
}

/**
 * About the score at the highest quality, where two qualities that are apart say it; 100 where they do not. What they lose may
 * hardly fall with quality: halved chroma is lost at each.
 */
export function mostScoreOf(known: readonly Scored[], scale: Scale): number {
  const apart = farApart(known, scale);
  if (!apart) return 100;
  const { expected } = placeOf({ quality: MAX_QUALITY, score: 100 }, scale);
  return 100 - Math.exp(apart.from.lost + apart.steepness * (expected - apart.from.expected));
}

/** What is busy loses more quickly than what is plain: of 52 pictures that explains more than half of the differences. */
function likelySlope(known: readonly Scored[], { bits }: Scale): number {
  const taken = known.at(-1)?.bits;
  if (!bits || !taken) return SLOPES.usual;
  const slope = SLOPES.usual + STEEPER_WITH_BITS * Math.log(taken / bits);
  return Math.min(LIKELY_SLOPES.most, Math.max(LIKELY_SLOPES.least, slope));
}

/**
 * The quality at which a picture is expected to have a score, by what is known of it: at least one quality.
 * @param slope how steep its curve is, where only qualities on one side are known
 */
export function expectedQuality(
  known: readonly Scored[],
  score: number,
  scale: Scale,
  slope = steepnessOf(known, scale),
): number {
  const { low, high } = around(known, (one) => one.score >= score);
  const wanted = lostBy(score);
  const nearest = placeOf(high ?? low ?? { quality: MAX_QUALITY, score: 100 }, scale);
  const other = high && low && placeOf(low, scale);
  if (!other) {
    const step = (wanted - nearest.lost) / slope;
    return qualityOf(Math.exp(nearest.expected + Math.min(MAX_STEP, Math.max(-MAX_STEP, step))), scale);
  }
  const part = known.length > GUESSES ? 1 / 2 : (wanted - nearest.lost) / (other.lost - nearest.lost);
  return qualityOf(Math.exp(nearest.expected + part * (other.expected - nearest.expected)), scale);
}
