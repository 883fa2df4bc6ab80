/** Attempts that search for the lowest quality at which the picture looks as good as a preset promises. */
import { parallel, maximum, held, serial } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { pictureOf, pictureEstimate } from "../plan/planned-picture.ts";
import { smallestAnimation, usualTries } from "./animation.ts";
import { type Attempt, BEATEN, type Outcome } from "./attempt.ts";
import { encodeEstimate, framesJudgeMs, judgeEstimate } from "./estimates.ts";
import { ExactLeft } from "./exact.ts";
import { fullSearch, leastSearch, type TieredSearch, searchWithoutExact, type Tiers } from "./memory-tiers.ts";
import { aimedAt, isIcon, patienceOf, TARGET_SCORE } from "./presets.ts";
import { type Keeping, Reference } from "./reference.ts";
import { canScore } from "./score.ts";
import { smallestAbove } from "./search.ts";
import type { Session } from "./session.ts";
import { canDivide, type Task, type WritableFormat, writableIn } from "./task.ts";

/** The target score of a task that promises one which can be searched for; undefined where it does not. */
export function searchedScore({ objective, format, picture }: Task): number | undefined {
  const write = format.write;
  if (objective.kind !== "smart" || !write || !format.can.quality) return undefined;
  const inTime = picture.width * picture.height <= write.maxScoredPixels;
  return inTime && canScore(picture) ? TARGET_SCORE[objective.preset] : undefined;
}

/** Searches through pixels, with everything kept that saves time. */
export function searchPixels(task: Task): Attempt | null {
  const format = searchableIn(task);
  const search = format && fullSearch(task, format);
  return search && { ...pixelsBy(task, format, search), isUnlikely: searchWithoutExact(task, format) !== null };
}

/**
 * The same in much less memory, for photographs that are not to be written without loss; null where that is not worth
 * it.
 */
export function searchPixelsWithoutExact(task: Task): Attempt | null {
  const format = searchableIn(task);
  const search = format && searchWithoutExact(task, format);
  return search && pixelsBy(task, format, search);
}

/** Searches through pixels in the least memory, where nothing may be kept. */
export function searchPixelsFrugally(task: Task): Attempt | null {
  const format = searchableIn(task);
  return format && { ...pixelsBy(task, format, leastSearch(task, format)), isFallback: true };
}

/** The format, where a still picture is searched for by its pixels. */
function searchableIn(task: Task): WritableFormat | null {
  if (searchedScore(task) === undefined || task.picture.frames > 1 || canDivide(task) || task.stored.sixteenBit)
    return null;
  return writableIn(task);
}

/** What makes a search an attempt: it begins with what its tier keeps, and lets go of that at its end. */
export function searchIn(
  tiers: Tiers,
  search: (session: Session, timeSlice: TimeSlice, keeps: Keeping) => Promise<Outcome>,
): Pick<Attempt, "estimate" | "lean" | "isSearch" | "run"> {
  const [fast, lean] = tiers;
  return {
    estimate: fast.estimate,
    lean: lean?.estimate,
    isSearch: true,
    async run(session, timeSlice, tier) {
      const { keepsPixels, reference } = tiers[tier] ?? fast;
      if (keepsPixels) await session.keepPixels(timeSlice);
      try {
        return await search(session, timeSlice, reference);
      } finally {
        session.dropPixels();
      }
    },
  };
}

function pixelsBy(
  task: Task,
  format: WritableFormat,
  { tiers, keepsResults, triesFinal, triesExact, leavesExact = false }: TieredSearch,
): Attempt {
  const targetScore = searchedScore(task) ?? 100;
  const upperBoundBytes = Math.min(task.unchanged?.original?.length ?? Infinity, task.upperBoundBytes ?? Infinity);
  const { picture: planned, upperBoundSampleBytes } = task;
  const settings = isIcon(planned) ? withAllChroma(task, format) : task.settings;
  const goal = {
    format,
    settings,
    targetScore: aimedAt(targetScore, planned),
    patience: patienceOf(task.objective),
    isFrugal: !keepsResults,
    triesFinal,
    triesExact,
    leavesExact,
    upperBoundBytes,
    upperBoundSampleBytes,
    start: task.start,
    trace: task.trace,
    isAlone: task.isLast && upperBoundBytes === Infinity,
  };
  return {
    name: "search pixels",
    ...searchIn(tiers, async (session, timeSlice, keeps) => {
      try {
        const { picture } = session;
        const ways = [session.encoder(format, timeSlice, keepsResults)];
        const search = (compared: Reference) => smallestAbove(goal, compared, ways, timeSlice, session.deadline);
        const { tilesOfSmall } = format.write.qualities;
        const found = await Reference.during(picture, keeps, timeSlice, search, tilesOfSmall);
        if (!found) return BEATEN;
        const isMissed = found.score < targetScore && (triesExact || leavesExact) && format.can.lossless;
        if (!isMissed) return session.rendition(found);
        if (leavesExact) return null;
        const exact = await format.write.encode(picture, { ...settings, lossless: true }, timeSlice);
        return session.rendition({ bytes: exact, score: 100 });
      } catch (error) {
        if (error instanceof ExactLeft) return null;
        throw error;
      }
    }),
  };
}

/** The settings of a task with the chroma of every pixel, where the format has a choice. */
function withAllChroma({ settings }: Task, { write }: WritableFormat): EncodeSettings {
  return write.variants.some(({ subsample }) => subsample) ? { ...settings, subsample: "4:4:4" } : settings;
}

/**
 * Searches for the quality of a picture that keeps its high dynamic range: results are looked at as an ordinary screen
 * shows them, for the score knows no brighter light. A sample of 8 bits would say nothing of them.
 */
export function searchSixteenBit(task: Task): Attempt | null {
  const { stored, plan, picture, settings } = task;
  const targetScore = searchedScore(task);
  const format = writableIn(task);
  if (targetScore === undefined || !stored.sixteenBit || !format) return null;
  const shown = { ...stored, space: undefined, sixteenBit: undefined };
  const compared = pictureOf(shown, plan);
  const encode = encodeEstimate(task, format, settings);
  const judge = parallel(judgeEstimate(format, { ...compared, bits: picture.bits }), pictureEstimate(shown, plan));
  const one = serial(encode, judge);
  return {
    name: "search deep",
    // The best file so far is kept while another is made.
    estimate: { bytes: one.bytes + encode.bytes / 4, ms: usualTries(picture) * one.ms },
    isSearch: true,
    async run(session, timeSlice) {
      const goal = { ...filesGoal(task, format, targetScore), compared, deadline: session.deadline };
      const found = await smallestAnimation(picture, goal, timeSlice);
      return found && session.rendition(found);
    },
  };
}

/** What is searched for among files of the whole, which are written as they are to stay. */
function filesGoal({ settings, unchanged, upperBoundBytes, trace }: Task, format: WritableFormat, targetScore: number) {
  return { format, settings, targetScore, originalBytes: unchanged?.original?.length, upperBoundBytes, trace };
}

/** Searches for the quality of an animation. */
export function searchFrames(task: Task): Attempt | null {
  const { stored, plan, picture, settings, unchanged } = task;
  const targetScore = searchedScore(task);
  const format = writableIn(task);
  if (targetScore === undefined || picture.frames === 1 || !format) return null;
  const encode = format.write.estimate(picture, settings);
  const source = pictureEstimate(stored, plan);
  // The best animation so far is kept while another is made.
  const bytes = source.bytes + maximum(encode, judgeEstimate(format, picture)).bytes + encode.bytes / 2;
  const judging = source.ms + framesJudgeMs(format, picture);
  const ms = usualTries(picture) * (encodeEstimate(task, format, settings).ms + judging);
  return {
    name: "search frames",
    estimate: parallel(held(bytes), { bytes: 0, ms }),
    isSearch: true,
    async run(session, timeSlice) {
      const goal = { ...filesGoal(task, format, targetScore), deadline: session.deadline };
      const best = await smallestAnimation(picture, goal, timeSlice);
      if (!best) return BEATEN;
      if (best.score >= targetScore || !format.can.lossless || unchanged) return session.rendition(best);
      const exact = await format.write.encode(picture, { ...settings, lossless: true }, timeSlice);
      return session.rendition({ bytes: exact, score: 100 });
    },
  };
}
