/** Attempts that search for the lowest quality at which the picture looks as good as a preset promises. */
import { held, maximum, NO_WORK, parallel, serial, times } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Chosen, EncodeSettings } from "../codec/writer.ts";
import { pictureOf, pictureEstimate } from "../plan/planned-picture.ts";
import { framesJudgeMs, smallestAnimation, usualTries } from "./animation.ts";
import { type Attempt, BEATEN, type Outcome } from "./attempt.ts";
import { encodeEstimate, judgeEstimate, sourceEstimate } from "./estimates.ts";
import { isFlat } from "./exact.ts";
import { fullSearch, leastSearch, type TieredSearch, type Tiers } from "./memory-tiers.ts";
import { aimedAt, isIcon, patienceOf, TARGET_SCORE } from "./presets.ts";
import { referenceOf } from "./reference.ts";
import type { Rendition } from "./rendition.ts";
import { sampleBytes, samplePart, sampleSize } from "./sample.ts";
import { canScore } from "./score.ts";
import { settingsByTiles, smallestAbove } from "./search.ts";
import type { Session } from "./session.ts";
import { canDivide, type Task, type WritableFormat, writableIn } from "./task.ts";

/** The target score of a task that promises one which can be searched for; undefined where it does not. */
export function searchedScore({ objective, format, picture }: Task): number | undefined {
  const write = format.write;
  if (objective.kind !== "smart" || !write || !format.can.quality) return undefined;
  const inTime = picture.width * picture.height <= write.maxScoredPixels;
  return inTime && canScore(picture) ? TARGET_SCORE[objective.preset] : undefined;
}

/** Points above its target score at which qualities of coefficients are too far apart: those of pixels lie between them. */
const FAR_ABOVE_POINTS = 1.2;

/**
 * Searches through pixels, with everything kept that saves time. Beside what was found among divisors of coefficients, it is worth
 * while where the file has chroma to be halved, or its qualities are too far apart.
 */
export function searchPixels(task: Task): Attempt | null {
  const format = searchableIn(task);
  const search = format && fullSearch(task, format);
  if (!search || !canDivide(task)) return search && pixelsBy(task, format, search);
  if (task.plan.view.orientation !== 1) return null;
  const isHalved = task.stored.facts.subsample === HALVED;
  const isLarge = task.picture.width * task.picture.height > MAX_BESIDE_PIXELS;
  const worth = isLarge ? FAR_ABOVE_POINTS * 2 : FAR_ABOVE_POINTS;
  const isTooFar = ({ score = 0 }: Rendition) => score >= aimedAt(searchedScore(task) ?? 0, task.picture) + worth;
  // Chroma that was halved is halved again: there is none to be had.
  const settings: EncodeSettings = isHalved ? { ...task.settings, subsample: HALVED } : task.settings;
  return {
    ...pixelsBy({ ...task, settings }, format, search),
    isUnlikely: isHalved,
    mayBeat: (best) => !best || !isHalved || isTooFar(best),
  };
}

const HALVED = "4:2:0";
/**
 * Beyond so many, pixels of halved chroma are looked at only where divisors are very far apart: they take twice the time
 * and memory of coefficients.
 */
const MAX_BESIDE_PIXELS = 20_000_000;

/** Searches through pixels in the least memory, where nothing may be kept. */
export function searchPixelsInLeastMemory(task: Task): Attempt | null {
  const format = canDivide(task) ? null : searchableIn(task);
  return format && { ...pixelsBy(task, format, leastSearch(task, format)), isFallback: true };
}

/**
 * Searches through tiles alone, where there is no memory to look at the whole beside what writes it: what is encoded next
 * has the quality that they say.
 */
export function searchTiles(task: Task): Attempt | null {
  const format = canDivide(task) ? null : searchableIn(task);
  if (!format || samplePart(task.picture) === 1) return null;
  const { picture, settings } = task;
  const { tilesOfSmall } = format.write.qualities;
  const tiles = { ...picture, ...sampleSize(picture, tilesOfSmall) };
  const tried = held(sampleBytes(picture, tilesOfSmall).all);
  const encode = parallel(format.write.estimate(tiles, { ...settings, probe: true }), tried);
  return {
    name: "search tiles",
    estimate: serial(sourceEstimate(task), times(TILES_TRIES, serial(encode, judgeEstimate(format, tiles)))),
    isSearch: true,
    isFallback: true,
    isBesides: true,
    async run(session, timeSlice) {
      const goal = {
        format,
        settings,
        targetScore: aimedAt(searchedScore(task) ?? 100, picture) + TILES_MARGIN,
        patience: patienceOf(task.objective),
        keepsResults: false,
        triesFinal: false,
        upperBoundBytes: Infinity,
        trace: task.trace,
      };
      const reference = await referenceOf(session.picture, false, timeSlice, tilesOfSmall);
      const encoder = session.encoder(format, timeSlice);
      session.predictions = await settingsByTiles(goal, reference, encoder, timeSlice, session.deadline);
      session.wasCutOff = session.predictions.length > 0;
      return null;
    },
  };
}

/** Renditions of tiles that are mostly looked at. */
const TILES_TRIES = 3;
/** Points above its target that what tiles say aims at: nothing of the whole corrects it. */
const TILES_MARGIN = 1;

/** The format, where a still picture is searched for by its pixels. */
export function searchableIn(task: Task): WritableFormat | null {
  if (searchedScore(task) === undefined || task.picture.frames > 1 || task.stored.sixteenBit) return null;
  return writableIn(task);
}

/** What makes a search an attempt: it begins with what its tier keeps, and lets go of that at its end. */
export function searchIn(
  tiers: Tiers,
  search: (session: Session, timeSlice: TimeSlice, keepsCompared: boolean) => Promise<Outcome>,
): Pick<Attempt, "estimate" | "lean" | "isSearch" | "run"> {
  const [fast, lean] = tiers;
  return {
    estimate: fast.estimate,
    lean: lean?.estimate,
    isSearch: true,
    async run(session, timeSlice, tier) {
      const { keepsPixels, keepsCompared } = tiers[tier] ?? fast;
      if (keepsPixels) await session.keepPixels(timeSlice);
      try {
        return await search(session, timeSlice, keepsCompared);
      } finally {
        session.dropPixels();
      }
    },
  };
}

function pixelsBy(task: Task, format: WritableFormat, { tiers, keepsResults, triesFinal }: TieredSearch): Attempt {
  const targetScore = searchedScore(task) ?? 100;
  const { picture: planned } = task;
  return {
    name: "search pixels",
    ...searchIn(tiers, async (session, timeSlice, keepsCompared) => {
      const { picture, best, deadline } = session;
      const found = best?.file.bytes.length ?? task.unchanged?.original?.length ?? Infinity;
      const upperBoundBytes = Math.min(found, task.upperBoundBytes ?? Infinity);
      const seekExact = (sampleBytes: number) =>
        void (session.exactBesideBytes = Math.max(session.exactBesideBytes, sampleBytes));
      const goal = {
        format,
        settings: isIcon(planned) ? withAllChroma(task, format) : task.settings,
        targetScore: aimedAt(targetScore, planned),
        patience: patienceOf(task.objective),
        keepsResults,
        triesFinal,
        seekExact: keepsResults ? seekExact : undefined,
        upperBoundBytes,
        upperBoundSampleBytes: best?.sampleBytes ?? task.upperBoundSampleBytes,
        start: task.start,
        trace: task.trace,
      };
      const encoder = session.encoder(format, timeSlice, keepsResults);
      const { tilesOfSmall } = format.write.qualities;
      const reference = await referenceOf(picture, keepsCompared, timeSlice, tilesOfSmall);
      const made = await smallestAbove(goal, reference, encoder, timeSlice, deadline);
      if (!made) return BEATEN;
      if (made.score < targetScore) goal.seekExact?.(Infinity);
      return session.rendition(made);
    }),
  };
}

/** The settings of a task with the chroma of every pixel, where the format has a choice that is left. */
function withAllChroma({ settings }: Task, { write }: WritableFormat): EncodeSettings {
  return write.variants.some(({ subsample }) => subsample) ? { subsample: "4:4:4", ...settings } : settings;
}

/**
 * An animation is written without loss besides where its frames took up to so many times the bytes with loss. They were written by
 * a coder that fits beside a lossy one, and takes 1.5 to 2.8 times what the other does.
 */
const MOST_EXACT_TIMES = 2.4;

/**
 * Searches among files of the whole, which are written as they are to stay: of animations, and of pictures that keep more than 8
 * bits. These are looked at as an ordinary screen shows them, for the score knows no brighter light.
 */
export function searchFiles(task: Task): Attempt | null {
  const { stored, plan, picture, settings, unchanged, upperBoundBytes, trace } = task;
  const targetScore = searchedScore(task);
  const format = writableIn(task);
  const isStill = picture.frames === 1;
  if (targetScore === undefined || !format || (isStill && !stored.sixteenBit)) return null;
  const shown = { ...stored, space: undefined, sixteenBit: undefined };
  const compared = isStill ? pictureOf(shown, plan) : picture;
  const looked = { ...compared, bits: picture.bits };
  const source = maximum(pictureEstimate(stored, plan), isStill ? pictureEstimate(shown, plan) : NO_WORK);
  const encode = format.write.estimate(picture, settings);
  const kept = isStill ? 0 : (format.write.chosenBytes ?? 0);
  const ms = encodeEstimate(task, format, settings).ms + source.ms + framesJudgeMs(format, looked);
  return {
    name: "search frames",
    estimate: {
      // The best file so far is kept while another is made, and frames that may be in both.
      bytes: source.bytes + maximum(encode, judgeEstimate(format, looked)).bytes + encode.bytes / 2 + kept,
      ms: usualTries(picture) * ms,
    },
    isSearch: true,
    async run(session, timeSlice) {
      const originalBytes = unchanged?.original?.length;
      const { deadline } = session;
      const chosen: Chosen = {};
      const goal = { format, settings, targetScore, originalBytes, upperBoundBytes, compared, deadline, chosen, trace };
      const best = await smallestAnimation(picture, goal, timeSlice);
      // Of what is drawn, files without loss are small: one is made besides.
      const isTried = !isStill && !unchanged && (!best || best.score >= targetScore);
      const mayBeExact = isTried && format.write.nearLosslessLevels && (chosen.exactTimes ?? 0) <= MOST_EXACT_TIMES;
      if (mayBeExact && (await isFlat(picture, timeSlice))) session.exactBesideBytes = Infinity;
      if (!best) return BEATEN;
      if (isStill || best.score >= targetScore || !format.can.lossless || unchanged) return session.rendition(best);
      const exact = await format.write.encode(picture, { ...settings, lossless: true }, timeSlice);
      return session.rendition({ bytes: exact, score: 100 });
    },
  };
}
