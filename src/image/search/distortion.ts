/**
 * The lowest quality that reaches a score, where it is known about how many points are lost at each: what is lost in
 * truth is taken to grow in proportion, which needs fewer probes than interpolation between scores.
 */
import type { ProbeAt, DistortionAt, Probe } from "./probe.ts";
import { CLOSE_POINTS, isBeaten, MAX_QUALITY, MAX_PROBES, type Search } from "./quality.ts";

const MIN_QUALITY = 20;
/** What is aimed at above the targetScore, so that most probes reach it. */
const MARGIN_POINTS = 0.2;
/** The least part of the expected distortion: hardly a picture suffers less. */
const LEAST_PART = 0.6;
/** Where less distortion makes so much less of a difference than it should, there is a step ahead. */
const FLAT = 0.25;
/** Distortions that differ by less than this part are the same. */
const SAME_DISTORTION = 1e-6;

/** A probe of known distortion. */
interface Place {
  readonly quality: number;
  readonly distortion: number;
  /** Points lost. */
  readonly lost: number;
}

/** The probe at the lowest quality found that reaches `targetScore`. Qualities of the same distortion are tried once. */
export async function lowestByDistortion(
  probeAt: ProbeAt,
  distortionAt: DistortionAt,
  targetScore: number,
  { first, probes: most = MAX_PROBES, beat = Infinity, close = CLOSE_POINTS }: Search,
): Promise<Probe> {
  const wanted = 100 - targetScore - MARGIN_POINTS;
  let worse: Place | undefined;
  let better: Place | undefined;
  let best: Probe | undefined;
  let last: Probe | undefined;
  let isFlat = false;
  let quality = first;
  for (let probes = 0; probes < most; probes++) {
    const distortion = await distortionAt(quality);
    const probe = await probeAt(quality);
    const canWin = async (mostScore: number) =>
      beat === Infinity || !isBeaten((await probe.bytes()).length, mostScore, targetScore, beat);
    if (!(await canWin(100 - LEAST_PART * distortion))) return best ?? probe;
    last = probe;
    const score = await probe.score();
    const place = { quality, distortion, lost: 100 - score };
    const again = score >= targetScore ? better && "better" : worse && "worse";
    let guess: number;
    if (score >= targetScore) {
      [better, best] = [place, probe];
      if (score - targetScore <= close) break;
      guess = worse ? between(better, worse, wanted, { isFlat, again }) : inProportion(place, wanted);
    } else {
      isFlat ||= worse !== undefined && slopeOf(place, worse) < (FLAT * place.lost) / place.distortion;
      // Not even the highest quality will do.
      if ((place.lost / distortion) * (await distortionAt(MAX_QUALITY)) * LEAST_PART > wanted) return best ?? probe;
      const ahead = isFlat ? distortion / 2 : inProportion(place, wanted);
      guess = better ? between(better, place, wanted, { isFlat, again }) : ahead;
      worse = place;
    }
    if (!(await canWin(score))) return best ?? probe;
    // From the first quality that suffers less than what was too bad to the last that suffers more than what was good.
    const from = worse ? await qualityOf(distortionAt, worse.distortion * (1 - SAME_DISTORTION)) : MIN_QUALITY;
    const to = better ? (await qualityOf(distortionAt, better.distortion * (1 + SAME_DISTORTION))) - 1 : MAX_QUALITY;
    if (from > to) break;
    quality = Math.min(to, Math.max(from, await likelyQualityOf(distortionAt, guess)));
  }
  return best ?? last ?? probeAt(MAX_QUALITY);
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
  { isFlat, again }: { isFlat: boolean; again: "better" | "worse" | undefined },
): number {
  const under = (wanted - better.lost) / (again === "worse" ? 2 : 1);
  const over = (worse.lost - wanted) / (again === "better" ? 2 : 1);
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
export async function qualityOf(distortionAt: DistortionAt, distortion: number): Promise<number> {
  let low = MIN_QUALITY;
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
