/** The search for a quality where files must be written to be looked at: what they lose follows a curve (losses.ts). */
import type { Size } from "../pixels/geometry.ts";
import { hasFaded } from "./faded-chroma.ts";
import { bytesAtTarget, findQuality, MAX_QUALITY, MIN_QUALITY, type Model, within } from "./find-quality.ts";
import type { Search } from "./goal.ts";
import { expectedQuality, type Scored } from "./losses.ts";
import type { EncodedBy, Probe, ProbeAt } from "./probe.ts";

/** Each further try may be further from it by so many times: what else can be won is less than what was. */
const CLOSER_WITH_TRIES = 1.2;
/** Between two qualities whose bytes differ by less than this part there is nothing to be found. */
const SAME_BYTES = 0.03;

/**
 * A rendition of the sample whose score is this close to the target score says enough: its bits say how steep the curve is. With 4
 * in place of 5 points JPEG searches encode and compare 2 to 7 % more, and take the same bytes on average.
 */
export const NEAR_POINTS = 5;

/** What is searched for. */
type Wanted = Pick<Search, "patience" | "scale" | "targetScore">;

/** What came of several qualities. */
export interface Settled {
  readonly best: Probe;
  readonly known: readonly Scored[];
  /** What was made is plainly larger than it may be. */
  readonly isBeaten?: boolean;
  /** It ended below the target score for what chroma of half the resolution loses. */
  readonly isFaded?: boolean;
}

/** A way with its settings, and what is known of the sample by it. */
export interface Probed extends EncodedBy, Settled {
  readonly score: number;
  /** About the one that reaches the target score. */
  readonly quality: number;
  /** About what the sample takes at the target score. */
  readonly bytes: number;
  /** How steep the curve of the picture is, by drafts that are far apart; absent where none were made. */
  readonly slope?: number | undefined;
  /** What these drafts look like. */
  readonly drafts?: readonly Scored[] | undefined;
}

interface Settling {
  /** What is encoded. */
  readonly picture: Size;
  readonly first: number;
  /** Points above the target score that are close enough. */
  readonly close: number;
  readonly tries: number;
  /** A score below the target is as good as one above it. */
  readonly isNear: boolean;
  /** How steep the curve of the picture is, until two qualities say it. */
  readonly slope?: number | undefined;
  /** Bytes at the target score from which on it is given up. */
  readonly most?: number;
  /** Where no quality satisfies the second opinion, the file is one that satisfies the metric and looks as well. */
  readonly endsByMetric?: boolean;
  /** Where halved chroma is to blame for what is missed, the other is tried next: known of one rendition, or of two. */
  readonly fadesBy?: 1 | 2;
}

/**
 * Tries qualities until one is close to the target score: the smallest rendition that reaches it, or that of the
 * highest quality.
 * @param before what is known of the same curve
 */
export async function settled(
  wanted: Wanted,
  probeAt: ProbeAt,
  settling: Settling,
  before: readonly Scored[] = [],
): Promise<Settled> {
  const { targetScore } = wanted;
  const { first, close, tries, isNear, most = Infinity, fadesBy, endsByMetric = false } = settling;
  const aboveBy = ({ score }: Scored) => score - targetScore;
  const isEnough = (one: Scored) => aboveBy(one) >= 0;
  const isBetter = (one: Scored, other: Scored) => {
    if (isNear) return Math.abs(aboveBy(one)) < Math.abs(aboveBy(other));
    if (!isEnough(one)) return !isEnough(other) && one.score > other.score;
    return !isEnough(other) || bitsOf(one) <= bitsOf(other);
  };
  const isNearEnough = (tried: readonly Scored[]) => isNear && Math.abs(aboveBy(tried.at(-1)!)) <= close;
  const isFaded = (tried: readonly Scored[]) => {
    if (fadesBy === undefined || tried.length < fadesBy || tried.some(isEnough) || isNearEnough(tried)) return false;
    return hasFaded(tried, wanted, fadesBy > 1);
  };
  const isClose = (tried: readonly Scored[]) => {
    const above = aboveBy(tried.at(-1)!);
    if (isNearEnough(tried) || isFaded(tried)) return true;
    if (isNear) return false;
    if (above >= 0 && above <= close * CLOSER_WITH_TRIES ** (tried.length - 1)) return true;
    // Of what is soft, qualities far apart take as many bytes.
    const [last, other] = [tried.at(-1), tried.at(-2)];
    if (last && other && isEnough(last) && isEnough(other) && isFlat(last, other)) return true;
    const known = [...before, ...tried];
    const reached = known.filter(isEnough).map(bitsOf);
    const missed = known.filter((one) => !isEnough(one)).map(bitsOf);
    return Math.max(...missed) > Math.min(...reached) * (1 - SAME_BYTES);
  };
  const { best, beaten, tried } = await findQuality(probeAt, modelOf(wanted, settling, before.length), {
    first,
    attempts: tries,
    isEnough,
    isClose,
    isBetter,
    toBeat: { targetScore, bytes: most },
    before,
  });
  if (!best) throw new RangeError("no quality was tried");
  if (beaten) return { best: beaten, known: tried, isBeaten: true };
  if (isFaded(tried.slice(before.length))) return { best: best.probe, known: tried, isFaded: true };
  if (isNear || isEnough(best.tried)) return { best: best.probe, known: tried };
  // What cannot look as promised looks as well as it can.
  const byMetric = endsByMetric ? await reachingByMetric(wanted, probeAt, tried) : undefined;
  return { best: byMetric ?? (await probeAt(leastReaching(before, targetScore))), known: tried };
}

/** Points of the second opinion that do not tell two renditions apart which miss the target score. */
const AS_WELL_POINTS = 1.5;
/** Points of the metric above the target score from which on a lower quality is tried. */
const FAR_ABOVE_POINTS = 2.5;
/** Renditions that are tried for that. */
const MAX_METRIC_TRIES = 2;

/**
 * The lowest quality of which the metric says that it looks as good as asked, and the second opinion that it looks as well as any
 * that was tried: edges of strong colors look the same at each quality where color has half the resolution.
 */
async function reachingByMetric(
  { targetScore, patience, scale }: Wanted,
  probeAt: ProbeAt,
  tried: readonly Scored[],
): Promise<Probe | undefined> {
  const leastScore = Math.max(...tried.map(({ score }) => score)) - AS_WELL_POINTS;
  const byMetric = tried.map(({ quality, score, metric = score }) => ({ quality, points: score, score: metric }));
  const least = () =>
    byMetric
      .filter(({ points, score }) => score >= targetScore && points >= leastScore)
      .toSorted((one, other) => one.quality - other.quality)[0];
  for (let left = MAX_METRIC_TRIES; left > 0; left--) {
    const quality = expectedQuality(byMetric, targetScore + patience.margin, scale);
    if ((least()?.score ?? Infinity) <= targetScore + FAR_ABOVE_POINTS) break;
    if (byMetric.some((one) => one.quality === quality)) break;
    const probe = await probeAt(quality);
    const score = await (probe.metric ?? probe.score)();
    byMetric.push({ quality, points: await probe.score(), score });
  }
  const found = least();
  return found && probeAt(found.quality);
}

/** Whether a lower quality than another takes hardly fewer bytes, or more. */
function isFlat(lower: Scored, higher: Scored): boolean {
  return lower.quality < higher.quality && bitsOf(lower) > bitsOf(higher) * (1 - SAME_BYTES);
}

const bitsOf = ({ bits = 0 }: Scored) => bits;

/** How files depend on their quality, by the curve that losses of all pictures follow. */
function modelOf(
  { targetScore, scale, patience }: Wanted,
  { picture, slope }: Settling,
  before: number,
): Model<Scored, Probe> {
  return {
    ...within(scale, scale.least ?? MIN_QUALITY, MAX_QUALITY),
    async measure(probe) {
      const [score, { length }] = [await probe.score(), await probe.bytes()];
      const metric = await (probe.metric ?? probe.score)();
      return { quality: probe.quality, score, metric, bits: (length * 8) / (picture.width * picture.height) };
    },
    expected({ tried }) {
      // Where a line between two qualities fell short, the next one goes further.
      const missed = tried.slice(before).filter(({ score }) => score < targetScore).length;
      const wanted = targetScore + patience.margin * 2 ** Math.max(0, missed - 1);
      return expectedQuality(tried, wanted, scale, tried.length === 1 ? slope : undefined);
    },
  };
}

/** The lowest quality that is known to reach a score, and the highest there is where none does. */
function leastReaching(known: readonly Scored[], targetScore: number): number {
  const reaching = known.filter(({ score }) => score >= targetScore).map(({ quality }) => quality);
  return Math.min(MAX_QUALITY, ...reaching);
}

/**
 * About what a rendition of the sample takes at the target score. One that is far above it is of the lowest quality
 * that there is: it has no fewer bytes to come to.
 */
export function bytesOnSample(score: number, bytes: number, targetScore: number): number {
  return score > targetScore + NEAR_POINTS ? bytes : bytes * bytesAtTarget(score, targetScore);
}
