/** The search for a quality where files must be written to be looked at: what they lose follows a curve (losses.ts). */
import type { Scale } from "../codec/writer.ts";
import type { Size } from "../pixels/geometry.ts";
import { findQuality, MAX_QUALITY, MIN_QUALITY, type Model, within } from "./find-quality.ts";
import { expectedQuality, type Scored } from "./losses.ts";
import type { Patience } from "./presets.ts";
import type { Probe, ProbeAt } from "./probe.ts";

/** Each further try may be further from it by so many times: what else can be won is less than what was. */
const CLOSER_WITH_TRIES = 1.2;
/** Between two qualities whose bytes differ by less than this part there is nothing to be found. */
const SAME_BYTES = 0.03;

/** What is searched for. */
interface Objective {
  readonly targetScore: number;
  readonly scale: Scale;
  readonly patience: Patience;
}

/** What came of several qualities. */
export interface Settled {
  readonly best: Probe;
  readonly known: readonly Scored[];
  /** What was made is plainly larger than it may be. */
  readonly isBeaten?: boolean;
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
  /** The quality at which a score is expected, by more than what was tried: where that costs less than another try. */
  readonly expected?: (known: readonly Scored[], score: number) => Promise<number>;
}

/**
 * Tries qualities until one is close to the target score: the smallest rendition that reaches it, or that of the
 * highest quality.
 * @param before what is known of the same curve
 */
export async function settled(
  objective: Objective,
  probeAt: ProbeAt,
  settling: Settling,
  before: readonly Scored[] = [],
): Promise<Settled> {
  const { targetScore } = objective;
  const { first, close, tries, isNear, most = Infinity } = settling;
  const aboveBy = ({ score }: Scored) => score - targetScore;
  const isEnough = (one: Scored) => aboveBy(one) >= 0;
  const isBetter = (one: Scored, other: Scored) => {
    if (isNear) return Math.abs(aboveBy(one)) < Math.abs(aboveBy(other));
    if (!isEnough(one)) return !isEnough(other) && one.score > other.score;
    return !isEnough(other) || bitsOf(one) <= bitsOf(other);
  };
  const isClose = (tried: readonly Scored[]) => {
    const above = aboveBy(tried.at(-1)!);
    if (isNear) return Math.abs(above) <= close;
    if (above >= 0 && above <= close * CLOSER_WITH_TRIES ** (tried.length - 1)) return true;
    // Of what is soft, qualities far apart take as many bytes.
    const [last, other] = [tried.at(-1), tried.at(-2)];
    if (last && other && isEnough(last) && isEnough(other) && isFlat(last, other)) return true;
    const known = [...before, ...tried];
    const reached = known.filter(isEnough).map(bitsOf);
    const missed = known.filter((one) => !isEnough(one)).map(bitsOf);
    return Math.max(...missed) > Math.min(...reached) * (1 - SAME_BYTES);
  };
  const { best, beaten, tried } = await findQuality(probeAt, modelOf(objective, settling, before.length), {
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
  // What cannot look as promised looks as well as it can.
  const isMissed = !isNear && !isEnough(best.tried);
  return { best: isMissed ? await probeAt(leastReaching(before, targetScore)) : best.probe, known: tried };
}

/** Whether a lower quality than another takes hardly fewer bytes. */
function isFlat(lower: Scored, higher: Scored): boolean {
  const [bits, more] = [bitsOf(lower), bitsOf(higher)];
  return lower.quality < higher.quality && bits <= more && bits > more * (1 - SAME_BYTES);
}

const bitsOf = ({ bits = 0 }: Scored) => bits;

/** How files depend on their quality, by the curve that losses of all pictures follow. */
function modelOf(
  { targetScore, scale, patience }: Objective,
  { picture, slope, expected }: Settling,
  before: number,
): Model<Scored, Probe> {
  return {
    ...within(scale, MIN_QUALITY, MAX_QUALITY),
    async measure(probe) {
      const [score, { length }] = [await probe.score(), await probe.bytes()];
      return { quality: probe.quality, score, bits: (length * 8) / (picture.width * picture.height) };
    },
    async expected({ tried }) {
      // Where a line between two qualities fell short, the next one goes further.
      const missed = tried.slice(before).filter(({ score }) => score < targetScore).length;
      const wanted = targetScore + patience.margin * 2 ** Math.max(0, missed - 1);
      const usual = () => expectedQuality(tried, wanted, scale, tried.length === 1 ? slope : undefined);
      return (await expected?.(tried, wanted)) ?? usual();
    },
  };
}

/** The lowest quality that is known to reach a score, and the highest there is where none does. */
function leastReaching(known: readonly Scored[], targetScore: number): number {
  const reaching = known.filter(({ score }) => score >= targetScore).map(({ quality }) => quality);
  return Math.min(MAX_QUALITY, ...reaching);
}

/** Renditions of the sample at most, for each next quality of the whole. */
const MAX_SAMPLE_TRIES = 3;
/** Points from what is looked for within which one says enough. */
const NEAR_POINTS = 0.3;

interface Guide extends Omit<Objective, "targetScore"> {
  /** The sample. */
  readonly picture: Size;
}

/**
 * Finds the quality at which the whole is expected to have a score, where a try of it costs much more than one of its
 * sample. What both score at one quality is known: from there the sample moves with quality as the whole does, by steps
 * where divisors of coefficients grow one after the other, and not as an average picture does.
 * @param probeAt of the sample, by the way that the whole is encoded
 * @param before what is known of the sample
 */
export function guidedBySample(
  { picture, scale, patience }: Guide,
  probeAt: ProbeAt,
  before: readonly Scored[],
): (known: readonly Scored[], score: number) => Promise<number> {
  return async (known, score) => {
    const distance = (one: Scored) => Math.abs(one.score - score);
    const nearest = known.reduce((one, other) => (distance(other) < distance(one) ? other : one));
    const own = await (await probeAt(nearest.quality)).score();
    const targetScore = own + score - nearest.score;
    const onSample = [...before, { quality: nearest.quality, score: own }];
    const first = expectedQuality(onSample, targetScore, scale);
    const goal = { picture, first, close: NEAR_POINTS, tries: MAX_SAMPLE_TRIES, isNear: true };
    const found = await settled({ targetScore, scale, patience }, probeAt, goal, onSample);
    return expectedQuality(found.known, targetScore, scale);
  };
}
