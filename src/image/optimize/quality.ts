/** The lowest quality that reaches a score, found in few trials. */
import type { FormatDefinition } from "../format.ts";

/** What comes of a quality. */
export type Curve<Trial> = (quality: number) => Trial;

/** The lowest quality of the search, where the format does not say another. */
const MIN_QUALITY = 20;
export const MAX_QUALITY = 98;
/** Points that a quality step is worth, before anything is known. */
const POINTS_PER_QUALITY = 0.7;
/** Qualities gone on by at least, where only one side of the aim is known. */
const MIN_JUMP = 1;
/** A score this close above its aim is close enough. */
const CLOSE_POINTS = 0.4;
/** The part of its bytes that a picture loses with a point of its score, at most. */
const BYTES_PER_POINT = 0.06;
const MAX_TRIALS = 8;
/** Trials after which a curve is taken to be no line but a staircase, on which halving is surer. */
const STRAIGHT_TRIALS = 4;

/** Of the bytes: two qualities that differ by less are not told apart. */
const SAME_BYTES = 0.015;

interface Tried {
  readonly quality: number;
  readonly score: number;
  readonly bytes: Uint8Array;
}

/** The qualities among which there is a choice, up to `MAX_QUALITY`. */
export interface Scale {
  readonly least: number;
  readonly step: number;
}

export function scaleOf({ leastQuality, qualityStep }: Pick<FormatDefinition, "leastQuality" | "qualityStep">): Scale {
  return { least: leastQuality ?? MIN_QUALITY, step: qualityStep ?? 1 };
}

interface Search extends Scale {
  readonly first: number;
  readonly trials?: number;
  readonly beat?: number;
}

type Bound = Pick<Tried, "quality"> & Partial<Tried>;

/**
 * The trial at the lowest quality found that reaches `aim`, by interpolation between the nearest scores known; at the
 * highest quality if none does.
 * @param search where to begin, the qualities there are, how many trials there may be, and the bytes to
 * beat: the search ends at a trial from which there is no way to fewer
 */
export function lowestQuality<Trial extends Tried>(
  curve: Curve<Trial>,
  aim: number,
  { first, least, step, trials: most = MAX_TRIALS, beat = Infinity }: Search,
): Trial {
  let low: Bound = { quality: least - step };
  let high: Bound = { quality: MAX_QUALITY };
  let best: Trial | undefined;
  let quality = first;
  for (let trials = 0; trials < most; trials++) {
    const trial = curve(quality);
    if (trial.score >= aim) {
      [high, best] = [trial, trial];
      if (trial.score - aim <= CLOSE_POINTS) break;
    } else {
      low = trial;
    }
    if (trial.bytes.length * Math.exp(-BYTES_PER_POINT * Math.max(0, trial.score - aim)) >= beat) return best ?? trial;
    if (high.quality - low.quality <= step || areClose(low, high)) break;
    const isLine = trials < STRAIGHT_TRIALS || low.score === undefined || high.score === undefined;
    const guess = isLine ? interpolated(low, high, aim) : (low.quality + high.quality) / 2;
    quality = Math.min(high.quality - step, Math.max(low.quality + step, Math.ceil(guess / step) * step));
  }
  return best ?? curve(MAX_QUALITY);
}

function areClose(low: Bound, high: Bound): boolean {
  return low.bytes !== undefined && high.bytes !== undefined && low.bytes.length > high.bytes.length * (1 - SAME_BYTES);
}

function interpolated(low: Bound, high: Bound, aim: number): number {
  if (low.score === undefined) return high.quality - MIN_JUMP - ((high.score ?? aim) - aim) / POINTS_PER_QUALITY;
  if (high.score === undefined) return low.quality + MIN_JUMP + (aim - low.score) / POINTS_PER_QUALITY;
  return low.quality + ((aim - low.score) * (high.quality - low.quality)) / (high.score - low.score);
}
