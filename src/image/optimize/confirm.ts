/** The whole picture at the quality at which its sample reaches what the picture has to. */
import { CLOSE_POINTS, lowestQuality, MAX_QUALITY, type Scale } from "./quality.ts";
import type { Curve, Trial } from "./trial.ts";

/** A result within this many points of the target score is accepted when a further try would save less than `WORTH_TRYING`. */
const NEAR_POINTS = 2;
const WORTH_TRYING = 0.015;
/** What is aimed at above the target score, so that most tries reach it. */
const AIM_POINTS = 0.3;
/** What is aimed at between two whole pictures, from which more is known. */
const SURE_POINTS = 0.15;
/** Encodings of the whole picture, each of which is scored. */
const MAX_WHOLE_TRIES = 4;
/** Tries after which the best is taken, if there is one that reaches the target score. */
const ENOUGH_TRIES = 3;

/** What photographs lose, and the least with which it is worth reckoning. */
const TYPICAL_SLOPE: Slope = { points: 0.7, growth: 0.03 };
const LEAST_POINTS = 0.15;

/** A whole picture whose score is known. */
interface Known {
  readonly quality: number;
  readonly score: number;
}

interface High extends Known {
  readonly trial: Trial;
  readonly bytes: number;
}

interface Wish {
  readonly targetScore: number;
  readonly first: number;
  readonly scale: Scale;
  /** The first that reaches the target score is taken. */
  readonly isFrugal: boolean;
}

/**
 * The trial of the whole picture at about the lowest quality that reaches the target score.
 * @param sample what comes of qualities on the sample
 * @param wholeAt what comes of qualities on the whole picture
 */
export async function confirmed(
  sample: Curve,
  wholeAt: Curve,
  { targetScore, first, scale, isFrugal }: Wish,
): Promise<Trial> {
  let low: Known | undefined;
  let high: High | undefined;
  let wanted = (await lowestQuality(sample, targetScore, scale, { first })).quality;
  const slope = await slopeOf(sample, first, wanted);
  for (let tries = 1; ; tries++) {
    const trial = await wholeAt(wanted);
    const { quality } = trial;
    const score = await trial.score();
    if (score >= targetScore) {
      const bytes = (await trial.bytes()).length;
      const gained: number = high ? 1 - bytes / high.bytes : 1;
      if (gained >= 0) high = { quality, score, trial, bytes };
      const isEnough = score < targetScore + CLOSE_POINTS || tries >= ENOUGH_TRIES || gained < WORTH_TRYING;
      if (isFrugal || isEnough) return high?.trial ?? trial;
    } else {
      low = { quality, score };
      if (tries >= (high ? ENOUGH_TRIES : MAX_WHOLE_TRIES) || wanted >= MAX_QUALITY) return high?.trial ?? trial;
    }
    wanted = await nextQuality(sample, { low, high, slope }, targetScore, scale);
    if (high && (wanted <= (low?.quality ?? scale.least) || wanted >= high.quality)) return high.trial;
    const isNear = high && high.score < targetScore + NEAR_POINTS;
    if (high && isNear && gain(slope, high.quality, wanted) < WORTH_TRYING) return high.trial;
  }
}

/**
 * From one whole picture, as far on as the sample's slope says; between two, what the sample says, corrected by what lies
 * between them.
 */
async function nextQuality(
  sample: Curve,
  { low, high, slope }: { low: Known | undefined; high: Known | undefined; slope: Slope },
  targetScore: number,
  scale: Scale,
): Promise<number> {
  const known = low ?? high;
  if (!known) throw new RangeError("no quality was tried");
  const aim = targetScore + AIM_POINTS;
  const errorAt = async ({ quality, score }: Known) => score - (await (await sample(quality)).score());
  if (!low || !high) {
    const guess = known.quality + (aim - known.score) / slope.points;
    const quality = Math.max(scale.least, Math.ceil(guess / scale.step) * scale.step);
    return low ? Math.min(MAX_QUALITY, Math.max(quality, known.quality + 2 * scale.step)) : quality;
  }
  const width = high.quality - low.quality;
  const [from, errors] = [low.quality, [await errorAt(low), await errorAt(high)] as const];
  const corrected: Curve = async (quality) => {
    const trial = await sample(quality);
    const part = (quality - from) / width;
    return { ...trial, score: async () => (await trial.score()) + (1 - part) * errors[0] + part * errors[1] };
  };
  const straight = low.quality + (width * (aim - low.score)) / (high.score - low.score);
  const first = Math.ceil(Math.min(high.quality, straight) / scale.step) * scale.step;
  const { quality } = await lowestQuality(corrected, targetScore + SURE_POINTS, scale, { first, close: 0 });
  return Math.min(high.quality, Math.max(quality, low.quality + scale.step));
}

/** What a step of quality is worth on the sample. */
interface Slope {
  /** Points of score. */
  readonly points: number;
  /** The natural logarithm of the factor by which bytes grow. */
  readonly growth: number;
}

/** Between two qualities of the sample that were tried. */
async function slopeOf(sample: Curve, one: number, other: number): Promise<Slope> {
  if (one === other) return TYPICAL_SLOPE;
  const [first, second] = [await sample(one), await sample(other)];
  const points = ((await first.score()) - (await second.score())) / (one - other);
  const growth = Math.log((await first.bytes()).length / (await second.bytes()).length) / (one - other);
  return points >= LEAST_POINTS ? { points, growth: Math.max(0, growth) } : TYPICAL_SLOPE;
}

/** The part of its bytes that a picture loses from one quality to another. */
function gain({ growth }: Slope, from: number, to: number): number {
  return 1 - Math.exp(growth * (to - from));
}
