/**
 * A second opinion beside the metric's score: what is seen in the worst places of a rendition (wasm/score/visible.c). The metric
 * takes means over the whole picture at six scales: it lets saturated letters beside a photograph, soft alpha, thin lines and one
 * damaged corner go to ruin. A preset's promise is kept by both opinions, in points of the score, and the stricter decides:
 * what it was fitted to is in src/docs/measured.md.
 */
import { type Estimate, estimated } from "../../../wasm/estimate.ts";
import type { Tile } from "../../../wasm/score/score.ts";
import { openVisibleDifference, visibleBytes, type VisibleDifference } from "../../../wasm/score/visible.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Extent } from "../pixels/picture.ts";
import { TINY_PIXELS } from "./sample.ts";

/** The difference of a rendition of 75 points: hardly a pair above it was marked as the same. */
const DIFFERENCE = 1.9;
const POINTS_LOST = 25;
/** Points below which something is plainly to be seen anyhow, and how many a further difference of 1 takes: sharp edges ring. */
const SEEN_POINTS = 65;
const SEEN_POINTS_LOST = 2;

/** What two opinions say of a rendition. */
export interface Judgement {
  /** SSIMULACRA 2.1. */
  readonly score: number;
  /** The stricter of both opinions, in points of the score. */
  readonly points: number;
  /** The second opinion alone was asked: what it says is `score` as well. */
  readonly isSecondAlone?: true;
}

/** A rendition that shows every pixel as it is. */
export const SAME: Judgement = { score: 100, points: 100 };

/** How a rendition looks to a person. */
export const LOOKS = ["same", "nearly", "visible"] as const;
export type Looks = (typeof LOOKS)[number];

/** Points from which on a rendition looks the same as its original, and nearly the same: what `medium` and `high` promise. */
const SAME_POINTS = 75;
const NEARLY_POINTS = SEEN_POINTS;

/** How a rendition looks that has so many points. */
export function looksAt(points: number): Looks {
  if (points >= SAME_POINTS) return "same";
  return points >= NEARLY_POINTS ? "nearly" : "visible";
}

/** The worse of two judgements, by each opinion. */
export function worse(one: Judgement, other: Judgement): Judgement {
  return { score: Math.min(one.score, other.score), points: Math.min(one.points, other.points) };
}

/** What both opinions say together. */
export function judgementOf(score: number, second: VisibleDifference): Judgement {
  return { score, points: Math.min(score, pointsAt(second.result())) };
}

/** The points of a rendition that differs by so much. */
export function pointsAt(difference: number): number {
  const points = 100 - (difference / DIFFERENCE) * POINTS_LOST;
  const beyond = (SEEN_POINTS - points) / (POINTS_LOST / DIFFERENCE);
  return beyond > 0 ? SEEN_POINTS - beyond * SEEN_POINTS_LOST : points;
}

/** How a rendition is looked at. */
interface LookedAt {
  readonly compared?: Size;
  readonly tile?: Tile | undefined;
  /** It may have stripes: it is of a format that makes them, of a picture of slopes. */
  readonly mayStripe?: boolean | undefined;
}

/** Whether a picture is looked at from close by: it is small, and compared as a whole. */
export function isLookedAtClosely({ width, height }: Size, tile?: unknown): boolean {
  return !tile && width * height <= TINY_PIXELS;
}

/**
 * Opens the second opinion on a rendition of a picture of this size. `compared` is what both are compared as: with its mirror
 * images where it is very small, as tiles of a size where it is large. A picture that no sample stands for in any format is
 * looked at from close by.
 */
export function openSecondOpinion(
  { width, height }: Size,
  isOpaque: boolean,
  { compared = { width, height }, tile, mayStripe = false }: LookedAt = {},
): VisibleDifference {
  return openVisibleDifference(compared, isOpaque, isLookedAtClosely({ width, height }, tile), mayStripe, tile);
}

/** Nanoseconds for a pixel, and for one that can be seen through, which is looked at on three backgrounds. */
const NANOSECONDS = { opaque: 5, translucent: 15 };

/** What of `NANOSECONDS` a pixel takes, on average. */
export function secondOpinionNanoseconds({ opaque }: Pick<Extent, "opaque">): number {
  return opaque ? NANOSECONDS.opaque : NANOSECONDS.translucent;
}

/** The estimate of the second opinion on a rendition of this size. */
export function secondOpinionEstimate(picture: Size & Pick<Extent, "opaque">): Estimate {
  return estimated(visibleBytes(picture.width), picture.width * picture.height, secondOpinionNanoseconds(picture));
}
