/**
 * The lowest quality that reaches a score, where it is known about how many points are lost at each: what is lost in
 * truth is taken to grow in proportion, which needs fewer probes than interpolation between scores.
 */
import { type BytesToBeat, findQuality, isBeaten, MAX_QUALITY, type Model, type Tried } from "./find-quality.ts";
import type { DistortionAt, Probe, ProbeAt } from "./probe.ts";

/** The lowest quality that is searched for: below it palettes have no fewer colors. */
const LEAST_QUALITY = 20;
const MAX_PROBES = 8;
/** A score this close above the target is close enough. */
export const CLOSE_POINTS = 1;
/** What is aimed at above the targetScore, so that most probes reach it. */
const MARGIN_POINTS = 0.2;
/** The least part of the expected distortion: hardly a picture suffers less. */
const LEAST_PART = 0.6;
/** Where less distortion makes so much less of a difference than it should, there is a step ahead. */
const FLAT = 0.25;
/** Distortions that differ by less than this part are the same. */
const SAME_DISTORTION = 1e-6;

/** A quality that was tried, whose distortion is known. */
interface Place extends Tried {
  readonly distortion: number;
  readonly score: number;
  /** Points lost. */
  readonly lost: number;
}

export interface DistortionSearch {
  /** Where to begin. */
  readonly first: number;
  /** How many probes there may be. */
  readonly probes?: number;
  /** The bytes to beat: the search ends at a probe from which there is no way to fewer. */
  readonly beat?: number;
  /** How many points above the target score are close enough. */
  readonly close?: number;
}

/** The probe at the lowest quality found that reaches `targetScore`. Qualities of the same distortion are tried once. */
export async function lowestByDistortion(
  probeAt: ProbeAt,
  distortionAt: DistortionAt,
  targetScore: number,
  { first, probes = MAX_PROBES, beat = Infinity, close = CLOSE_POINTS }: DistortionSearch,
): Promise<Probe> {
  const isEnough = ({ score }: Place) => score >= targetScore;
  const isClose = (tried: readonly Place[]) => {
    const last = tried.at(-1)!;
    return isEnough(last) && last.score - targetScore <= close;
  };
  const toBeat = { targetScore, bytes: beat };
  const limits = { first, attempts: probes, isEnough, isClose, toBeat };
  const { best, beaten } = await findQuality(probeAt, modelOf(distortionAt, targetScore, isEnough), limits);
  const found = best && (isEnough(best.tried) || !beaten) ? best.probe : beaten;
  return found ?? probeAt(MAX_QUALITY);
}

/**
 * Whether a probe says, before it is looked at, that files of the target score are larger than the bytes to beat, if it loses as
 * much as is expected of it.
 */
export async function isLikelyLarger(probe: Probe, distortionAt: DistortionAt, toBeat: BytesToBeat): Promise<boolean> {
  return isBeaten(probe, 100 - (await distortionAt(probe.quality)), toBeat, { leaps: true });
}

/** How a picture looks at each quality, by the distortion that is expected. */
function modelOf(
  distortionAt: DistortionAt,
  targetScore: number,
  isEnough: (place: Place) => boolean,
): Model<Place, Probe> {
  const wanted = 100 - targetScore - MARGIN_POINTS;
  return {
    leaps: true,
    // From the first quality that suffers less than what was too bad to the last that suffers more than what was good.
    above: async (low) => (low ? qualityOf(distortionAt, low.distortion * (1 - SAME_DISTORTION)) : LEAST_QUALITY),
    below: async (high) =>
      high ? (await qualityOf(distortionAt, high.distortion * (1 + SAME_DISTORTION))) - 1 : MAX_QUALITY,
    mostScore: async (quality) => 100 - LEAST_PART * (await distortionAt(quality)),
    async measure(probe) {
      const { quality } = probe;
      const score = await probe.score();
      return { quality, distortion: await distortionAt(quality), score, lost: 100 - score };
    },
    async expected({ low, high, tried }) {
      const last = tried.at(-1)!;
      const isFlat = hasStepAhead(tried.filter((place) => !isEnough(place)));
      if (low && low === last) {
        // Not even the highest quality will do.
        const least = (low.lost / low.distortion) * (await distortionAt(MAX_QUALITY)) * LEAST_PART;
        if (least > wanted) return undefined;
      }
      const isAgain = tried.filter((place) => isEnough(place) === isEnough(last)).length > 1;
      const again = isAgain ? last : undefined;
      const guess =
        low && high
          ? between(high, low, wanted, { isFlat, again })
          : low && isFlat
            ? low.distortion / 2
            : inProportion(last, wanted);
      return likelyQualityOf(distortionAt, guess);
    },
  };
}

/** Whether less distortion made hardly a difference where it was too much: there is a step ahead. */
function hasStepAhead(missed: readonly Place[]): boolean {
  return missed.some((place, index) => {
    const before = missed[index - 1];
    return before !== undefined && slopeOf(place, before) < (FLAT * place.lost) / place.distortion;
  });
}

/**
 * The distortion by which as much is lost as wanted, on a line between two places; where there is a step, nearer the
 * middle. Where the same side was moved again, the other counts for half (the Illinois method: M. Dowell and P.
 * Jarratt, "A modified regula falsi method for computing the root of an equation", 1971).
 */
function between(
  better: Place,
  worse: Place,
  wanted: number,
  { isFlat, again }: { readonly isFlat: boolean; readonly again: Place | undefined },
): number {
  const under = (wanted - better.lost) / (again === worse ? 2 : 1);
  const over = (worse.lost - wanted) / (again === better ? 2 : 1);
  const part = under / (under + over);
  return better.distortion + (isFlat ? (part + 1 / 2) / 2 : part) * (worse.distortion - better.distortion);
}

/** The distortion by which as much is lost as wanted, on a line from nothing through one place. */
function inProportion({ distortion, lost }: Place, wanted: number): number {
  return lost > 0 ? (distortion * wanted) / lost : wanted;
}

function slopeOf(one: Place, other: Place): number {
  return (other.lost - one.lost) / (other.distortion - one.distortion);
}

/** The lowest quality at which no more than so many points are lost; distortion falls as quality grows. */
async function qualityOf(distortionAt: DistortionAt, distortion: number): Promise<number> {
  let low = LEAST_QUALITY;
  let high = MAX_QUALITY;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await distortionAt(middle)) <= distortion) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The lowest quality at which about so many points are lost, or the fewest: what the qualities above cost serves
 * something else, as dithering does, and is worth trying only once the fewest turned out to be too many.
 */
export async function likelyQualityOf(distortionAt: DistortionAt, distortion: number): Promise<number> {
  return qualityOf(distortionAt, Math.max(distortion, await distortionAt(MAX_QUALITY)));
}
