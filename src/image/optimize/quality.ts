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
/** What is aimed at above the aim where the damage says how far it is, so that most trials reach it. */
const MARGIN_POINTS = 0.2;
/** The part of its bytes that a picture loses with a point of its score, at most. */
const BYTES_PER_POINT = 0.06;
const MAX_TRIALS = 8;
/** Trials after which a curve is taken to be no line but a staircase, on which halving is surer. */
const STRAIGHT_TRIALS = 4;

/** Of the bytes: two qualities that differ by less are not told apart. */
const SAME_BYTES = 0.015;
/** Of the damage that is expected: hardly a picture suffers less. */
const LEAST_PART = 0.6;
/** Where less damage makes so much less of a difference than it should, there is a step ahead. */
const FLAT = 0.25;
/** Damages that differ by less than this part are the same. */
const SAME_DAMAGE = 1e-6;

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
  readonly close?: number;
}

type Bound = Pick<Tried, "quality"> & Partial<Tried>;

/**
 * The trial at the lowest quality found that reaches `aim`, by interpolation between the nearest scores known; at the
 * highest quality if none does.
 * @param search where to begin, the qualities there are, how many trials there may be, and the bytes to beat: the search
 * ends at a trial from which there is no way to fewer; how close above the aim is close enough
 */
export function lowestQuality<Trial extends Tried>(curve: Curve<Trial>, aim: number, search: Search): Trial {
  const { first, least, step, trials: most = MAX_TRIALS, beat = Infinity, close = CLOSE_POINTS } = search;
  let low: Bound = { quality: least - step };
  let high: Bound = { quality: MAX_QUALITY };
  let best: Trial | undefined;
  let quality = first;
  for (let trials = 0; trials < most; trials++) {
    const trial = curve(quality);
    if (trial.score >= aim) {
      [high, best] = [trial, trial];
      if (trial.score - aim <= close) break;
    } else {
      low = trial;
    }
    if (isBeaten(trial, trial.score, aim, beat)) return best ?? trial;
    if (high.quality - low.quality <= step || areClose(low, high)) break;
    const isLine = trials < STRAIGHT_TRIALS || low.score === undefined || high.score === undefined;
    const guess = isLine ? interpolated(low, high, aim) : (low.quality + high.quality) / 2;
    quality = Math.min(high.quality - step, Math.max(low.quality + step, Math.ceil(guess / step) * step));
  }
  return best ?? curve(MAX_QUALITY);
}

/** A trial of known damage. */
interface Place {
  readonly quality: number;
  readonly damage: number;
  /** Points lost. */
  readonly lost: number;
}

/**
 * The same where it is known about how many points are lost at each quality: what is lost in truth is taken to grow in
 * proportion, which needs fewer trials. Qualities of the same damage are tried once.
 */
export function lowestByDamage<Trial extends Tried>(
  curve: Curve<Trial>,
  damageAt: (quality: number) => number,
  aim: number,
  { first, trials: most = MAX_TRIALS, beat = Infinity, close = CLOSE_POINTS }: Omit<Search, keyof Scale>,
): Trial {
  const wanted = 100 - aim - MARGIN_POINTS;
  let worse: Place | undefined;
  let better: Place | undefined;
  let best: Trial | undefined;
  let last: Trial | undefined;
  let isFlat = false;
  let quality = first;
  for (let trials = 0; trials < most; trials++) {
    const damage = damageAt(quality);
    const trial = curve(quality);
    if (isBeaten(trial, 100 - LEAST_PART * damage, aim, beat)) return best ?? trial;
    last = trial;
    const place = { quality, damage, lost: 100 - trial.score };
    const again = trial.score >= aim ? better && "better" : worse && "worse";
    let guess: number;
    if (trial.score >= aim) {
      [better, best] = [place, trial];
      if (trial.score - aim <= close) break;
      guess = worse ? between(better, worse, wanted, { isFlat, again }) : inProportion(place, wanted);
    } else {
      isFlat ||= worse !== undefined && slopeOf(place, worse) < (FLAT * place.lost) / place.damage;
      // Not even the highest quality will do.
      if ((place.lost / damage) * damageAt(MAX_QUALITY) * LEAST_PART > wanted) return best ?? trial;
      const ahead = isFlat ? damage / 2 : inProportion(place, wanted);
      guess = better ? between(better, place, wanted, { isFlat, again }) : ahead;
      worse = place;
    }
    if (isBeaten(trial, trial.score, aim, beat)) return best ?? trial;
    // From the first quality that suffers less than what was too bad to the last that suffers more than what was good.
    const from = worse ? qualityOf(damageAt, worse.damage * (1 - SAME_DAMAGE)) : MIN_QUALITY;
    const to = better ? qualityOf(damageAt, better.damage * (1 + SAME_DAMAGE)) - 1 : MAX_QUALITY;
    if (from > to) break;
    quality = Math.min(to, Math.max(from, qualityOf(damageAt, guess)));
  }
  return best ?? last ?? curve(MAX_QUALITY);
}

/**
 * The damage by which as much is lost as wanted, on a line between two places; where there is a step, nearer the middle.
 * Where the same side was moved again, the other counts for half (the Illinois method: M. Dowell and P. Jarratt, "A
 * modified regula falsi method for computing the root of an equation", 1971).
 */
function between(
  better: Place,
  worse: Place,
  wanted: number,
  { isFlat, again }: { isFlat: boolean; again: "better" | "worse" | undefined },
): number {
  const under = (wanted - better.lost) / (again === "worse" ? 2 : 1);
  const over = (worse.lost - wanted) / (again === "better" ? 2 : 1);
  const part = under / (under + over);
  return better.damage + (isFlat ? (part + 1 / 2) / 2 : part) * (worse.damage - better.damage);
}

/** The same on a line from nothing through one place. */
function inProportion({ damage, lost }: Place, wanted: number): number {
  return lost > 0 ? (damage * wanted) / lost : wanted;
}

function slopeOf(one: Place, other: Place): number {
  return (other.lost - one.lost) / (other.damage - one.damage);
}

/** The lowest quality at which no more than so many points are lost; damage falls as quality grows. */
export function qualityOf(damageAt: (quality: number) => number, damage: number): number {
  let low = MIN_QUALITY;
  let high = MAX_QUALITY;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (damageAt(middle) <= damage) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether no trial that just reaches the aim can have fewer bytes than `beat`, given a score that this one has at most. */
function isBeaten(trial: Tried, score: number, aim: number, beat: number): boolean {
  if (beat === Infinity) return false;
  return trial.bytes.length * Math.exp(-BYTES_PER_POINT * Math.max(0, score - aim)) >= beat;
}

function areClose(low: Bound, high: Bound): boolean {
  return low.bytes !== undefined && high.bytes !== undefined && low.bytes.length > high.bytes.length * (1 - SAME_BYTES);
}

function interpolated(low: Bound, high: Bound, aim: number): number {
  if (low.score === undefined) return high.quality - MIN_JUMP - ((high.score ?? aim) - aim) / POINTS_PER_QUALITY;
  if (high.score === undefined) return low.quality + MIN_JUMP + (aim - low.score) / POINTS_PER_QUALITY;
  return low.quality + ((aim - low.score) * (high.quality - low.quality)) / (high.score - low.score);
}
