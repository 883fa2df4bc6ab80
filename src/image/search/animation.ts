/** Animations that look as good as asked. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { Chosen, Scale } from "../codec/writer.ts";
import { type Extent, type Picture, numbered, spreadFrames } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { resultDecodeEstimate } from "./estimates.ts";
import { FULL_QUALITY, type Known, MIN_QUALITY, type Model, findQuality, within } from "./find-quality.ts";
import type { Goal } from "./goal.ts";
import { expectedQuality as usualQuality, firstQuality as usualFirst, steepnessOf } from "./losses.ts";
import { ENDLESS, type EndsInTime, Overrun } from "./overrun.ts";
import { type Found, type Written, fileAt, pictureIn } from "./probe.ts";
import { inComparedColors, judgeRows, scoreEstimate } from "./score.ts";
import { type Judgement, SAME, worse } from "./second-opinion.ts";
import { mayHaveStripes } from "./slopes.ts";
import type { EncodeOptions, WritableFormat } from "./task.ts";

/** Frames that are compared: spread evenly, first and last included. */
const SAMPLED_FRAMES = 6;

/**
 * What both opinions say of an animation as a rendition of another: the worst that each says of six frames as they are
 * shown, since the worst moment is what is noticed. Both are decoded to their end.
 * @throws RangeError when the sizes differ
 */
export async function judgeAnimation(
  first: Picture,
  second: Picture,
  timeSlice: TimeSlice,
  mayStripe?: boolean,
): Promise<Judgement> {
  const sample = spreadFrames(first.frames, SAMPLED_FRAMES);
  const partners = first.frames === second.frames ? sample : await shownAt(first, second, sample, timeSlice);
  const others = numbered(second.open(timeSlice), partners);
  let worst = SAME;
  let last = -1;
  for await (const [at, frame] of numbered(first.open(timeSlice), sample)) {
    const partner = partners[sample.indexOf(at)]!;
    // Two frames may be shown as one: it is compared with the first of them.
    const other = partner === last ? undefined : (await others.next()).value;
    last = partner;
    const shown = (rows: Rows) => inComparedColors(rows, first.space);
    if (other) worst = worse(worst, await judgeRows(shown(frame.rows), shown(other[1].rows), timeSlice, mayStripe));
    else frame.rows.close();
  }
  await others.return(undefined);
  return worst;
}

/** Looks at files in a format as renditions of an animation; its first frame says whether they may have stripes. */
async function judgeOf(format: WritableFormat, compared: Picture, timeSlice: TimeSlice) {
  const mayStripe = await mayHaveStripes(format.write.qualities, { picture: compared }, timeSlice);
  return (file: Uint8Array) => judgeAnimation(compared, pictureIn(format, file, compared.space), timeSlice, mayStripe);
}

/** Milliseconds of looking at an animation of this format: all of it is decoded, and some frames are compared. */
export function framesJudgeMs(format: FormatDefinition, picture: Extent): number {
  const compared = Math.min(picture.frames, SAMPLED_FRAMES);
  return resultDecodeEstimate(format, picture).ms + compared * scoreEstimate(picture).ms;
}

/** For frames of one animation, which of another are shown at the same time; formats round times differently. */
async function shownAt(
  first: Picture,
  second: Picture,
  sample: readonly number[],
  timeSlice: TimeSlice,
): Promise<number[]> {
  const [ends, otherEnds] = [await endsOf(first, timeSlice), await endsOf(second, timeSlice)];
  const scale = (otherEnds.at(-1) ?? 0) / Math.max(1, ends.at(-1) ?? 0);
  return sample.map((at) => {
    const middle = ((ends[at - 1] ?? 0) + (ends[at] ?? 0)) / 2;
    const other = otherEnds.findIndex((end) => end > middle * scale);
    return other < 0 ? otherEnds.length - 1 : other;
  });
}

/** When each frame ends, in milliseconds. */
async function endsOf(picture: Picture, timeSlice: TimeSlice): Promise<number[]> {
  const ends: number[] = [];
  for await (const { delayMs, rows } of picture.open(timeSlice)) {
    rows.close();
    ends.push((ends.at(-1) ?? 0) + delayMs);
  }
  return ends;
}

/** Qualities that are tried. */
const WHOLE_STEPS: Scale = { step: 1 };
/** Points that a quality step is worth, in formats of which it is not known what qualities lose of animations. */
const POINTS_PER_QUALITY = 0.7;
/** A result this close above its target score is close enough. */
const CLOSE_POINTS = 2;
/** The part of that which is aimed at; more after each further try that was too low. */
const AIMED_PART = 0.2;
/** How steep the curves of what qualities lose are in animations, as a part of what is usual, until two tries say it; and at least. */
const STEEPNESS = 1.2;
const LEAST_STEEPNESS = 0.6;
/** A result that takes so many times the bytes of the original was made with means that no quality makes up for. */
const HOPELESS = 2;
/**
 * A higher quality that brings less than this share of what is missing has nothing to bring: halved color, or a palette, is what
 * is seen. The bytes that it takes on the way to the best quality would double the file.
 */
const VAIN_SHARE = 0.25;
/** Points that two qualities near each other may differ by for other reasons: closer to its target no try is in vain. */
const VAIN_POINTS = 4;
/** Points above its target that a try scores at most, as far as can be said before it is looked at. */
const MOST_ABOVE = 9;
/** Encodings of an animation, and of one with more pixels in all its frames than `MANY_PIXELS`. */
const MAX_TRIES = 4;
const MAX_TRIES_OF_MANY = 2;
const MANY_PIXELS = 20_000_000;

/** Encodings of an animation that a search usually makes: most often it comes close before the last. */
export function usualTries(picture: Picture): number {
  return Math.max(2, mostTries(picture) - 1);
}

/** Encodings of an animation that a search makes at most. */
function mostTries({ width, height, frames }: Picture): number {
  return width * height * frames > MANY_PIXELS ? MAX_TRIES_OF_MANY : MAX_TRIES;
}

/** What is searched for of an animation, and what encodings of it are held against. */
interface FramesGoal
  extends Pick<Goal, "format" | "settings" | "targetScore" | "trace">, Pick<EncodeOptions, "upperBoundBytes"> {
  /** The original, where it may stay. */
  readonly originalBytes?: number | undefined;
  /** The animation as results are looked at; absent: as it is encoded. */
  readonly compared?: Picture;
  readonly deadline?: EndsInTime;
  /** Told what the encoder chose of an animation. */
  readonly chosen?: Chosen;
}

/**
 * The smallest encoding found of an animation, or of a still as one, that scores at least the target score, or the best
 * one. What it takes is bounded by the number of encodings. Null where it would plainly be larger than its upper bound.
 * @throws Overrun with what was found, when the deadline comes first
 */
export async function smallestAnimation(
  picture: Picture,
  {
    format,
    settings,
    targetScore,
    originalBytes = Infinity,
    upperBoundBytes = Infinity,
    compared = picture,
    deadline = ENDLESS,
    chosen = {},
    trace,
  }: FramesGoal,
  timeSlice: TimeSlice,
): Promise<Found | null> {
  const isEnough = ({ score }: Tried) => score >= targetScore;
  // What may stay as it is stays: a smaller file that misses the target would take its place, worse each time.
  const isVain = (one: Tried, other: Tried) => originalBytes === Infinity && isInVain(one, other, targetScore);
  const isClose = (tried: readonly Tried[]) => {
    const [before, last] = [tried.at(-2), tried.at(-1)!];
    if (before && isVain(last, before)) return true;
    return (isEnough(last) && last.score < targetScore + CLOSE_POINTS) || last.length > originalBytes * HOPELESS;
  };
  const isBetter = (one: Tried, other: Tried) => {
    if (isEnough(one)) return !isEnough(other) || one.length < other.length;
    return !isEnough(other) && one.score > other.score && !isVain(one, other);
  };
  // What qualities lose of stills of more than 8 bits is known less well.
  const isStill = picture.frames === 1;
  const scale = isStill ? WHOLE_STEPS : format.write.qualities;
  const judge = await judgeOf(format, compared, timeSlice);
  const shared = isStill ? {} : { chosen };
  const probeAt = fileAt((one) => format.write.encode(picture, { ...one, ...shared }, timeSlice), settings, trace);
  const model: Model<Tried, Written> = {
    ...within(WHOLE_STEPS, MIN_QUALITY, FULL_QUALITY),
    leaps: true,
    mostScore: async () => targetScore + MOST_ABOVE,
    async measure({ quality, bytes }) {
      const file = await bytes();
      const { points: score, score: metric } = await judge(file);
      trace?.({ kind: "judged", part: "whole", quality, score: metric, points: score });
      return { quality, score, metric, length: file.length };
    },
    expected: (known) => expectedQuality(known, targetScore, scale),
  };
  const { best, beaten, left } = await findQuality(probeAt, model, {
    first: firstQuality(settings.quality, scale),
    attempts: mostTries(picture),
    isEnough,
    isClose,
    isBetter,
    toBeat: { targetScore, bytes: upperBoundBytes },
    deadline,
  });
  if (beaten) return null;
  const found = best && { bytes: await best.probe.bytes(), score: best.tried.score, metric: best.tried.metric };
  if (left !== undefined) throw new Overrun(best && isEnough(best.tried) ? found : undefined, { quality: left });
  if (!found) throw new RangeError("no encoding was tried");
  return found;
}

/** Where to begin: what moves loses another part than stills do. */
function firstQuality(quality: number, { films, ...scale }: Scale): number {
  return films === undefined ? quality : Math.round(usualFirst(quality, { ...scale, begins: films }));
}

/**
 * The quality that is likely to score a little more than so much: by what the format's qualities usually lose, or between two that
 * were tried, as far on as their scores say.
 */
function expectedQuality(known: Known<Tried>, targetScore: number, scale: Scale): number {
  const { low, high, tried } = known;
  const score = targetScore + CLOSE_POINTS * AIMED_PART * (high ? 1 : tried.length);
  const steepness = Math.max(LEAST_STEEPNESS, steepnessOf(tried, scale, STEEPNESS));
  if (scale.films !== undefined) return Math.round(usualQuality(tried, score, scale, steepness));
  const last = tried.at(-1)!;
  const isBetween = low && high && low.score < high.score;
  const perQuality = isBetween ? (high.score - low.score) / (high.quality - low.quality) : POINTS_PER_QUALITY;
  const from = isBetween ? low : last;
  return Math.round(from.quality + (score - from.score) / perQuality);
}

/** Whether a quality above another one, which misses the target, has nearly nothing to bring. */
function isInVain(one: Tried, other: Tried, targetScore: number): boolean {
  const missing = targetScore - other.score;
  return missing > VAIN_POINTS && one.quality > other.quality && one.score - other.score < missing * VAIN_SHARE;
}

/** A quality that was tried. */
interface Tried {
  readonly quality: number;
  readonly score: number;
  readonly metric: number;
  /** Bytes of the file. */
  readonly length: number;
}
