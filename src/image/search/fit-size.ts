/** The best file that is not larger than asked. */
import { parallel, maximum, NO_WORK } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { EncodeSettings, Variant } from "../codec/writer.ts";
import type { Scale } from "../codec/writer.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import { pictureEstimate } from "../plan/planned-picture.ts";
import type { Attempt } from "./attempt.ts";
import { encodeEstimate, fits, judgeEstimate } from "./estimates.ts";
import { findQuality, FULL_QUALITY, MIN_QUALITY, type Model, type Tried, within } from "./find-quality.ts";
import { fullSearch } from "./memory-tiers.ts";
import type { EndsInTime } from "./overrun.ts";
import { decoded, type Encode, fileAt, type Found, type Written } from "./probe.ts";
import { divided, requantizeEstimate } from "./requantize.ts";
import { canScore, inComparedColors, judgeRows } from "./score.ts";
import { canDivide, type Task, writableIn } from "./task.ts";
import type { Trace } from "./trace.ts";

/** A file of this part of what there is room for is close enough: the rest is worth a tenth of a point. */
const CLOSE = 0.99;

/** By what a point of quality multiplies the bytes of most files, as a logarithm. */
const GROWTH = 0.04;

/** Where a file is this many times too large, the smallest comes next: it may be too large as well. */
const FAR = 4;

/** How a size is searched for. */
interface Pace {
  /** Encodings that most searches take. */
  readonly typicalTries: number;
  /** The most that one does, besides the smallest file where none of them fits. */
  readonly maxTries: number;
  /** In place of the usual effort of encoding. */
  readonly effort?: number;
}

const USUAL: Pace = { typicalTries: 4, maxTries: 8 };
const HASTY: Pace = { typicalTries: 2, maxTries: 3, effort: 0 };

/** Where a picture is studied, every encoding after the first takes about this part of it. */
const STUDIED_SHARE = 0.6;

/** Tries after which bytes are not believed to grow evenly, and what is left is halved. */
const GUESSES = 4;

/** Even the smallest file is larger than asked. */
export class TooSmall extends ApiError {
  readonly leastBytes: number;

  constructor(leastBytes: number) {
    super(422, `optimize.target_bytes is too small for this image: the least is ${leastBytes}`);
    this.leastBytes = leastBytes;
  }
}

/**
 * What several formats were refused for in one sentence: the least size that any of them has, or else the first reason.
 */
export function plainestRefusal([first, ...others]: readonly [ApiError, ...ApiError[]]): ApiError {
  const leastOf = (refusal: ApiError) => (refusal instanceof TooSmall ? refusal.leastBytes : Infinity);
  return others.reduce((least, other) => (leastOf(other) < leastOf(least) ? other : least), first);
}

/**
 * Makes the file of the best quality that has at most so many bytes, with its score where there is memory to take it.
 * @throws ApiError 422, when it runs, naming the smallest size there is if none fits
 */
export function fitSize(task: Task): Attempt | null {
  return fitSizeAt(task, USUAL);
}

/** Makes do with few encodings of little effort, where there is no time for more: the file is a few percent smaller. */
export function fitSizeFast(task: Task): Attempt | null {
  return fitSizeAt(task, HASTY);
}

function fitSizeAt(task: Task, { typicalTries, maxTries, effort }: Pace): Attempt | null {
  const { stored, picture, objective } = task;
  const settings = { ...task.settings, ...(effort !== undefined && { effort }) };
  const format = writableIn(task);
  const { coefficients } = stored.format;
  if (objective.kind !== "size" || !format) return null;
  const divides = canDivide(task) ? coefficients : undefined;
  const [tier] = (divides ? null : fullSearch(task, format))?.tiers ?? [];
  const blind = divides ? requantizeEstimate(task, divides) : encodeEstimate(task, format, settings);
  const scored = parallel(judgeEstimate(format, picture), maximum(blind, pictureEstimate(stored, task.plan)));
  const scores =
    picture.frames === 1 && !stored.sixteenBit && canScore(picture) && fits(task, tier?.estimate ?? scored);
  const losses = scores && !divides ? format.write.variants.filter(({ loss }) => loss && loss !== "nothing") : [];
  const choices: readonly Variant[] = losses.length > 0 ? losses : [{}];
  const wanted = choices.map((choice) => ({ ...settings, ...choice }));
  const tries = divides || !format.write.study ? typicalTries : 1 + (typicalTries - 1) * STUDIED_SHARE;
  const triesMs = (one: EncodeSettings) => tries * (divides ? blind : encodeEstimate(task, format, one)).ms;
  const judging = scores ? judgeEstimate(format, picture).ms + pictureEstimate(stored, task.plan).ms : 0;
  return {
    name: "fit size",
    estimate: {
      bytes: maximum(blind, scores ? (tier?.estimate ?? scored) : NO_WORK).bytes,
      ms: wanted.reduce((sum, one) => sum + triesMs(one) + judging, 0),
    },
    isSearch: true,
    onCoefficients: divides !== undefined,
    async run(session, timeSlice) {
      const { besides = 0 } = objective;
      if (tier?.keepsPixels && scores) await session.keepPixels(timeSlice);
      const { finish } = divides ? divided(task, divides, timeSlice) : session.encoder(format, timeSlice);
      const files: Uint8Array[] = [];
      for (const one of wanted) {
        if (files.length > 0 && session.deadline.isOver()) break;
        const terms = { scale: format.write.qualities, maxTries, deadline: session.deadline, trace: task.trace };
        files.push(await largestWithin(finish, one, objective.bytes, terms));
      }
      const fitting = files.filter(({ length }) => length <= objective.bytes);
      const [first] = fitting;
      if (!first) throw new TooSmall(Math.min(...files.map(({ length }) => length)) + besides);
      if (!scores || session.deadline.isOver()) return session.rendition({ bytes: first });
      return session.rendition(await bestLooking(session.picture, format, fitting, timeSlice));
    },
  };
}

/** The file that looks best. */
async function bestLooking(
  picture: Picture,
  format: FormatDefinition,
  files: readonly Uint8Array[],
  timeSlice: TimeSlice,
): Promise<Found> {
  let best: Found | undefined;
  for (const bytes of files) {
    const { space } = picture;
    const shown = inComparedColors(await firstFrame(picture, timeSlice), space);
    const made = inComparedColors(await decoded(format, bytes, timeSlice, space), space);
    const { points, score } = await judgeRows(shown, made, timeSlice);
    if (!best || points > best.score) best = { bytes, score: points, metric: score };
  }
  if (!best) throw new RangeError("there are no files to compare");
  return best;
}

/** A quality that was tried, and what its file takes. */
interface Sized extends Tried {
  readonly length: number;
}

/**
 * The encoding of about the highest quality whose bytes fit, or else the smallest one: bytes grow with quality, about
 * exponentially, which says where to look next.
 */
async function largestWithin(
  encode: Encode,
  settings: EncodeSettings,
  limitBytes: number,
  { scale, maxTries, deadline, trace }: SizeTerms,
): Promise<Uint8Array> {
  const fitting = ({ length }: Sized) => length <= limitBytes;
  const probeAt = fileAt(encode, settings, trace);
  const headroom = ({ length }: Sized) => Math.log(limitBytes / length);
  const model: Model<Sized, Written> = {
    ...within(scale, MIN_QUALITY, FULL_QUALITY),
    measure: async ({ quality, bytes }) => ({ quality, length: (await bytes()).length }),
    expected({ low: fits, high: over, from, to, tried }) {
      const known = fits ?? over;
      // Once the time is over the file is one that fits, or else the smallest.
      if (!known || tried.length >= maxTries || deadline.isOver()) return fits ? undefined : from;
      if (!fits && known.length > limitBytes * FAR) return from;
      const growth =
        fits && over
          ? (headroom(fits) - headroom(over)) / (over.quality - fits.quality)
          : GROWTH / 2 ** (tried.length - 1);
      const isHalved = fits && over && tried.length >= GUESSES;
      const guess = isHalved ? (from + to) / 2 : known.quality + headroom(known) / growth;
      return Math.floor(guess / scale.step) * scale.step;
    },
  };
  const { best } = await findQuality(probeAt, model, {
    first: settings.quality,
    attempts: Infinity,
    // What takes more than it may is as much as is needed: one quality less is what is looked for.
    isEnough: (one) => !fitting(one),
    isClose: (tried) => tried.slice(-1).some((last) => fitting(last) && last.length >= limitBytes * CLOSE),
    isBetter: (one, other) => fitting(one) || !fitting(other),
  });
  if (!best) throw new RangeError("no quality was tried");
  return best.probe.bytes();
}

/** How a size is searched for among files. */
interface SizeTerms {
  readonly scale: Scale;
  readonly maxTries: number;
  readonly deadline: EndsInTime;
  readonly trace: Trace | undefined;
}
