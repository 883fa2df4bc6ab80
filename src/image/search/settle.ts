/** Tries qualities of one way to encode until a rendition is close enough to the target score. */
import type { Scale } from "../codec/writer.ts";
import type { Size } from "../pixels/geometry.ts";
import { bytesAtTarget, expectedQuality, type Known, nextQuality } from "./losses.ts";
import type { Patience } from "./presets.ts";
import type { ProbeAt, Probe } from "./probe.ts";
import { MAX_QUALITY } from "./quality.ts";

/** Each further try may be further from it by so many times: what else can be won is less than what was. */
const CLOSER_WITH_TRIES = 1.1;
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
  readonly known: readonly Known[];
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
  readonly slope?: number;
  /** Bytes at the target score from which on it is given up. */
  readonly most?: number;
  /** The quality at which a score is expected, by more than what was tried: where that costs less than another try. */
  readonly expected?: (known: readonly Known[], score: number) => Promise<number>;
}

/**
 * By what part bytes at the target score may be larger or smaller than expected, for each point that a score is away
 * from it.
 */
const UNSURE_PER_POINT = 0.02;

/**
 * Tries qualities until one is close to the target score: the smallest rendition that reaches it, or that of the
 * highest quality.
 * @param before what is known of the same curve
 */
export async function settled(
  { targetScore, scale, patience }: Objective,
  probeAt: ProbeAt,
  { picture, first, close, tries, isNear, slope, most = Infinity, expected }: Settling,
  before: readonly Known[] = [],
): Promise<Settled> {
  const known: Known[] = [...before];
  let best: Rated | undefined;
  let missed: { readonly bytes: number; readonly times: number } | undefined;
  let quality: number | undefined = first;
  const nextIn = async (tried: readonly Known[], wanted: number) => {
    const usual = () => expectedQuality(tried, wanted, scale, tried.length === 1 ? slope : undefined);
    return nextQuality(tried, targetScore, scale, (await expected?.(tried, wanted)) ?? usual());
  };
  for (let count = 0; count < tries && quality !== undefined; count++) {
    const probe = await probeAt(quality);
    const made: Rated = { probe, score: await probe.score(), bytes: (await probe.bytes()).length };
    known.push({ quality, score: made.score, bits: (made.bytes * 8) / (picture.width * picture.height) });
    best = best && !isBetter(made, best, targetScore, isNear) ? best : made;
    const above = made.score - targetScore;
    const expectedBytes = made.bytes * bytesAtTarget(made.score, targetScore);
    if (expectedBytes > most * (1 + UNSURE_PER_POINT * Math.abs(above))) return { best: probe, known, isBeaten: true };
    if (isNear ? Math.abs(above) <= close : above >= 0 && above <= close * CLOSER_WITH_TRIES ** count) break;
    if (above < 0) missed = { bytes: Math.max(missed?.bytes ?? 0, made.bytes), times: (missed?.times ?? 0) + 1 };
    if (missed && best.score >= targetScore && missed.bytes > best.bytes * (1 - SAME_BYTES)) break;
    // Where a line between two qualities fell short, the next one goes further.
    const margin = patience.margin * 2 ** Math.max(0, (missed?.times ?? 0) - 1);
    if (count + 1 < tries) quality = await nextIn(known, targetScore + margin);
  }
  if (!best) throw new RangeError("no quality was tried");
  // What cannot look as promised looks as well as it can.
  const isMissed = !isNear && best.score < targetScore;
  return { best: isMissed ? await probeAt(leastReaching(before, targetScore)) : best.probe, known };
}

/** The lowest quality that is known to reach a score, and the highest there is where none does. */
function leastReaching(known: readonly Known[], targetScore: number): number {
  const reaching = known.filter(({ score }) => score >= targetScore).map(({ quality }) => quality);
  return Math.min(MAX_QUALITY, ...reaching);
}

interface Rated {
  readonly probe: Probe;
  readonly score: number;
  readonly bytes: number;
}

/** Whether a rendition is nearer to the target score, or, unless that is asked, the smaller of those that reach it. */
function isBetter(one: Rated, other: Rated, targetScore: number, isNear: boolean): boolean {
  if (isNear) return Math.abs(one.score - targetScore) < Math.abs(other.score - targetScore);
  if (one.score < targetScore) return other.score < targetScore && one.score > other.score;
  return other.score < targetScore || one.bytes <= other.bytes;
}
