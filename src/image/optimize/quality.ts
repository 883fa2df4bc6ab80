/** The lowest quality that reaches a score, found in few trials by interpolation between the scores that are known. */
import type { Curve, Trial } from "./trial.ts";

export const MAX_QUALITY = 98;
/** Points that a quality step is worth, before anything is known, and what it may be worth by two trials. */
const POINTS_PER_QUALITY = 0.7;
const LEAST_POINTS_PER_QUALITY = 0.25;
const MOST_POINTS_PER_QUALITY = 1.5;
/** Qualities gone on by at least, where only one side of the aim is known. */
const MIN_JUMP = 1;
/** A score this close above its aim is close enough. */
export const CLOSE_POINTS = 0.4;
/** The part of its bytes that a picture loses with a point of its score, at most. */
const BYTES_PER_POINT = 0.06;
export const MAX_TRIALS = 8;
/** Trials after which a curve is taken to be no line but a staircase, on which halving is surer. */
const STRAIGHT_TRIALS = 4;
/** Two qualities whose bytes differ by less than this part are not told apart. */
const SAME_BYTES = 0.015;

/** The qualities among which there is a choice, up to `MAX_QUALITY`. */
export interface Scale {
  readonly least: number;
  readonly step: number;
}

export interface Search {
  /** Where to begin. */
  readonly first: number;
  /** How many trials there may be. */
  readonly trials?: number;
  /** The bytes to beat: the search ends at a trial from which there is no way to fewer. */
  readonly beat?: number;
  /** The part of its bytes that a picture loses with a point of its score; by default the most that any does. */
  readonly bytesPerPoint?: number | undefined;
  /** How many points above the aim are close enough. */
  readonly close?: number;
}

interface Bound {
  readonly quality: number;
  readonly score?: number;
  readonly bytes?: number;
}

type Scored = Required<Pick<Bound, "quality" | "score">>;

/**
 * The trial at the lowest quality found that reaches `aim`, by interpolation between the nearest scores known; at the
 * highest quality if none does.
 */
export async function lowestQuality(
  curve: Curve,
  aim: number,
  { least, step }: Scale,
  { first, trials: most = MAX_TRIALS, beat = Infinity, bytesPerPoint, close = CLOSE_POINTS }: Search,
): Promise<Trial> {
  let low: Bound = { quality: least - step };
  let high: Bound = { quality: MAX_QUALITY };
  let best: Trial | undefined;
  let before: Scored | undefined;
  let quality = first;
  for (let trials = 0; trials < most; trials++) {
    const trial = await curve(quality);
    const bound = { quality, score: await trial.score(), bytes: (await trial.bytes()).length };
    const slope = before ? slopeOf(before, bound) : POINTS_PER_QUALITY;
    before = bound;
    if (bound.score >= aim) {
      [high, best] = [bound, trial];
      if (bound.score - aim <= close) break;
    } else {
      low = bound;
    }
    if (isBeaten(bound.bytes, bound.score, aim, beat, bytesPerPoint)) return best ?? trial;
    if (high.quality - low.quality <= step || areClose(low, high)) break;
    const isLine = trials < STRAIGHT_TRIALS || low.score === undefined || high.score === undefined;
    const guess = isLine ? interpolated(low, high, aim, slope) : (low.quality + high.quality) / 2;
    quality = Math.min(high.quality - step, Math.max(low.quality + step, Math.ceil(guess / step) * step));
  }
  return best ?? curve(MAX_QUALITY);
}

/**
 * Whether no trial that just reaches the aim can have fewer bytes than `beat`, given the score that a trial has at
 * most.
 * @param bytesPerPoint the part of its bytes that a picture loses with a point; where it is a guess, and not the most
 * that any picture loses, a trial that misses the aim says as much as one that reaches it
 */
export function isBeaten(bytes: number, mostScore: number, aim: number, beat: number, bytesPerPoint?: number): boolean {
  if (beat === Infinity) return false;
  const above = mostScore - aim;
  const points = bytesPerPoint === undefined ? BYTES_PER_POINT * Math.max(0, above) : bytesPerPoint * above;
  return bytes * Math.exp(-points) >= beat;
}

function areClose(low: Bound, high: Bound): boolean {
  return low.bytes !== undefined && high.bytes !== undefined && low.bytes > high.bytes * (1 - SAME_BYTES);
}

/** Points that a quality step is worth between two trials. */
function slopeOf(one: Scored, other: Scored): number {
  const slope = (other.score - one.score) / (other.quality - one.quality);
  return Math.min(MOST_POINTS_PER_QUALITY, Math.max(LEAST_POINTS_PER_QUALITY, slope));
}

/** @param slope points of a quality step, where only one side of the aim is known */
function interpolated(low: Bound, high: Bound, aim: number, slope: number): number {
  if (low.score === undefined) return high.quality - MIN_JUMP - ((high.score ?? aim) - aim) / slope;
  if (high.score === undefined) return low.quality + MIN_JUMP + (aim - low.score) / slope;
  return low.quality + ((aim - low.score) * (high.quality - low.quality)) / (high.score - low.score);
}
