/**
 * The one search for a quality. Probes are made one after the other, each where a model of the format expects the
 * wanted quality, between the highest that is known to be too low and the lowest that is known to be enough, until one
 * is close enough, none is left, or a limit is reached. What is enough is the caller's: a score that a preset promises,
 * or more bytes than there may be.
 */
import type { Scale } from "../codec/writer.ts";
import type { EndsInTime } from "./overrun.ts";

/** The lowest quality that is searched for: what is smooth or dark looks well even there. */
export const MIN_QUALITY = 1;
/** The highest that is searched for where a score is promised. */
export const MAX_QUALITY = 98;
/** The highest that there is: of animations, and where only bytes count. */
export const FULL_QUALITY = 100;

/** What is known of a quality that was probed. */
export interface Tried {
  readonly quality: number;
  /** Absent where nobody judges: only bytes count. */
  readonly score?: number;
}

/** What comes of a quality: a file, that may still have to be written. */
interface Made {
  readonly bytes: () => Promise<Uint8Array>;
}

/** What is known when a next quality is sought. */
export interface Known<Own extends Tried> {
  /** The highest quality that is too low, of those below `high`. */
  readonly low?: Own | undefined;
  /** The lowest quality that is enough. */
  readonly high?: Own | undefined;
  /** Between these the next quality lies. */
  readonly from: number;
  readonly to: number;
  /** All qualities of this search, in the order in which they were probed, and before them those that were known. */
  readonly tried: readonly Own[];
}

/** How a format's files depend on their quality, as far as that is known before they are made. */
export interface Model<Own extends Tried, Probe = unknown> {
  /** Finds out what is to be known of a probe, by work: it is scored, or measured. */
  readonly measure: (probe: Probe) => Promise<Own>;
  /** The most that a probe can score, where that is known before it is scored. */
  readonly mostScore?: (quality: number) => Promise<number>;
  /**
   * What is lost leaps from one quality to the next: a probe that misses the target says nothing of how many more bytes
   * reach it.
   */
  readonly leaps?: boolean;
  /** The nearest quality above one that is too low whose file differs; the lowest of all where none is too low. */
  readonly above: (low: Own | undefined) => number | Promise<number>;
  /** The nearest quality below one that is enough whose file differs; the highest of all where none is enough. */
  readonly below: (high: Own | undefined) => number | Promise<number>;
  /** The quality that is expected to be just enough; undefined where no further probe is worth its time. */
  readonly expected: (known: Known<Own>) => number | undefined | Promise<number | undefined>;
}

interface Limits<Own extends Tried> {
  /** Where to begin. */
  readonly first: number;
  readonly attempts: number;
  readonly isEnough: (one: Own) => boolean;
  /** Whether the last of these is near enough to end with. */
  readonly isClose: (tried: readonly Own[]) => boolean;
  /** Whether one is better than the best before it; absent: where it is enough, or the best is not. */
  readonly isBetter?: (one: Own, best: Own) => boolean;
  /** What the result competes with. */
  readonly toBeat?: BytesToBeat;
  readonly deadline?: EndsInTime | undefined;
  /** What is known of the same picture already. */
  readonly before?: readonly Own[];
}

/** The bytes to beat with a score: a search ends at a probe from which there is no way to fewer. */
export interface BytesToBeat {
  readonly targetScore: number;
  readonly bytes: number;
}

/** What came of a search. */
interface FoundQuality<Own extends Tried, Probe> {
  /** Absent where not one probe was made, or the first was given up before it was scored. */
  readonly best?: { readonly probe: Probe; readonly tried: Own };
  /** The probe at which the search gave up: it cannot beat the bytes to beat. */
  readonly beaten?: Probe;
  /** The quality that was next when the time was over. */
  readonly left?: number;
  readonly tried: readonly Own[];
}

/**
 * Searches for the quality that is just enough.
 * @param probeAt makes the probe of a quality
 */
export async function findQuality<Own extends Tried, Probe extends Made>(
  probeAt: (quality: number) => Probe | Promise<Probe>,
  model: Model<Own, Probe>,
  limits: Limits<Own>,
): Promise<FoundQuality<Own, Probe>> {
  const { first, attempts, isEnough, isClose, toBeat, deadline, before = [] } = limits;
  const isBetter = limits.isBetter ?? ((one, other) => isEnough(one) || !isEnough(other));
  const tried: Own[] = [];
  const found = () => ({ ...(best && { best }), tried: [...before, ...tried] });
  let best: FoundQuality<Own, Probe>["best"];
  let quality: number | undefined = first;
  while (quality !== undefined && tried.length < attempts) {
    if (deadline?.isOver()) return { ...found(), left: quality };
    const probe = await probeAt(quality);
    const isGivenUp = async (score: number) => toBeat !== undefined && isBeaten(probe, score, toBeat, model);
    if (model.mostScore && (await isGivenUp(await model.mostScore(quality)))) return { ...found(), beaten: probe };
    const one = await model.measure(probe);
    tried.push(one);
    if (!best || isBetter(one, best.tried)) best = { probe, tried: one };
    if (one.score !== undefined && (await isGivenUp(one.score))) return { ...found(), beaten: probe };
    if (isClose(tried)) break;
    if (tried.length < attempts) quality = await nextQuality([...before, ...tried], model, isEnough);
  }
  return found();
}

/**
 * The quality to probe next: the expected one, or the nearest between those that are too low and those that are enough.
 * Undefined where there is none left.
 */
export async function nextQuality<Own extends Tried>(
  tried: readonly Own[],
  model: Pick<Model<Own>, "above" | "below" | "expected">,
  isEnough: (one: Own) => boolean,
): Promise<number | undefined> {
  const { low, high } = around(tried, isEnough);
  const [from, to] = [await model.above(low), await model.below(high)];
  if (from > to) return undefined;
  const expected = await model.expected({ low, high, from, to, tried });
  return expected === undefined ? undefined : Math.min(to, Math.max(from, expected));
}

/** The lowest quality that is enough, and the highest below that which is not. */
export function around<Own extends Tried>(
  tried: readonly Own[],
  isEnough: (one: Own) => boolean,
): Pick<Known<Own>, "low" | "high"> {
  let low: Own | undefined;
  let high: Own | undefined;
  for (const one of tried) if (isEnough(one) && (!high || one.quality < high.quality)) high = one;
  for (const one of tried) {
    const isBelow = !isEnough(one) && (!high || one.quality < high.quality);
    if (isBelow && (!low || one.quality > low.quality)) low = one;
  }
  return { low, high };
}

/** The qualities of a scale between two, as a model finds them. */
export function within(scale: Scale, least: number, most: number): Pick<Model<Tried>, "above" | "below"> {
  return {
    above: (low) => (low ? neighborOf(low.quality, "above", scale) : least),
    below: (high) => (high ? neighborOf(high.quality, "below", scale) : most),
  };
}

/**
 * The nearest quality above or below one whose files differ from its own; it may be beyond 1 to 100, where there is
 * none.
 */
function neighborOf(quality: number, towards: "above" | "below", { step, coded }: Scale): number {
  const encoder = towards === "above" ? step : -step;
  let next = quality + encoder;
  while (coded && next >= 1 && next <= 100 && coded(next) === coded(quality)) next += encoder;
  return next;
}

/** What bytes grow by with what is lost no more, both as logarithms: the median over photographs. */
const ELASTICITY = 1.2;
/** Two qualities say it where what they lose differs by this much, as a logarithm. */
const APART = 0.06;
/** Points below which it does not matter how few are lost, and by which files without loss have a place on the curve. */
const LEAST_LOST = 3;
/**
 * By what part bytes at the target score may be larger or smaller than expected, for each point that a score is away
 * from it.
 */
const UNSURE_PER_POINT = 0.02;

/** The logarithm of the points that a rendition of a score lost. */
export function lostBy(score: number): number {
  return Math.log(Math.max(LEAST_LOST, 100 - score));
}

/** The part of its bytes that a rendition is expected to have at the target score. */
export function bytesAtTarget(score: number, targetScore: number): number {
  return Math.exp(ELASTICITY * (lostBy(score) - lostBy(targetScore)));
}

/**
 * What bytes grow by with what is lost no more, both as logarithms, by two of the qualities that are known: no more than usual.
 * Undefined where they are too close to each other to say it, or where a higher quality takes fewer bytes.
 */
export function elasticityOf(known: readonly { quality: number; score: number; bits?: number }[]): number | undefined {
  const [first, ...others] = known.toSorted((one, other) => one.quality - other.quality);
  let before = first;
  for (const one of others) {
    if ((one.bits ?? 0) < (before?.bits ?? 0)) return undefined;
    before = one;
  }
  const fewer = first && before ? lostBy(first.score) - lostBy(before.score) : 0;
  if (!first?.bits || !before?.bits || fewer < APART) return undefined;
  return Math.min(ELASTICITY, Math.log(before.bits / first.bits) / fewer);
}

/**
 * The rule that prunes: whether a file of the target score is surely larger than the bytes to beat, given a probe of about this
 * score.
 */
export async function isBeaten(
  probe: Made,
  score: number,
  { targetScore, bytes }: BytesToBeat,
  { leaps = false }: Pick<Model<Tried>, "leaps">,
): Promise<boolean> {
  if (bytes === Infinity) return false;
  const { length } = await probe.bytes();
  const likely = leaps ? Math.max(score, targetScore) : score;
  const unsure = 1 + UNSURE_PER_POINT * Math.abs(likely - targetScore);
  return length * bytesAtTarget(likely, targetScore) > bytes * unsure;
}
