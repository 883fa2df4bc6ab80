/** The next quality of a large picture, by further renditions of its sample. */
import type { Scale } from "../codec/writer.ts";
import type { Size } from "../pixels/geometry.ts";
import { expectedQuality, type Known } from "./losses.ts";
import type { Patience } from "./presets.ts";
import type { ProbeAt } from "./probe.ts";
import { settled } from "./settle.ts";

/** Renditions of the sample at most, for each next quality. */
const MAX_TRIES = 3;
/** Points from what is looked for within which one says enough. */
const NEAR_POINTS = 0.3;

interface Guide {
  /** The sample. */
  readonly picture: Size;
  readonly scale: Scale;
  readonly patience: Patience;
}

/**
 * Finds the quality at which the whole is expected to have a score, where a try of it costs much more than one of its
 * sample. What both score at one quality is known: from there the sample moves with quality as the whole does, by steps
 * where divisors of coefficients grow one after the other, and not as an average picture does.
 * @param curve of the sample, by the way that the whole is encoded
 * @param before what is known of the sample
 */
export function guidedBySample(
  { picture, scale, patience }: Guide,
  probeAt: ProbeAt,
  before: readonly Known[],
): (known: readonly Known[], score: number) => Promise<number> {
  return async (known, score) => {
    const distance = (one: Known) => Math.abs(one.score - score);
    const nearest = known.reduce((one, other) => (distance(other) < distance(one) ? other : one));
    const own = await (await probeAt(nearest.quality)).score();
    const targetScore = own + score - nearest.score;
    const onSample = [...before, { quality: nearest.quality, score: own }];
    const first = expectedQuality(onSample, targetScore, scale);
    const goal = { picture, first, close: NEAR_POINTS, tries: MAX_TRIES, isNear: true };
    const found = await settled({ targetScore, scale, patience }, probeAt, goal, onSample);
    return expectedQuality(found.known, targetScore, scale);
  };
}
