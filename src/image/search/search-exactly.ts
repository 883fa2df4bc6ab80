/** The attempt at a file without loss, or nearly, where the search before it found that it may be the best. */
import { held, maximum, parallel, serial } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { fullness } from "../codec/complexity.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { firstFrame } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { onlyStrips, stripsOf } from "../pixels/strips.ts";
import type { Attempt } from "./attempt.ts";
import { encodeEstimate, judgeEstimate, resultBytes, sourceEstimate } from "./estimates.ts";
import { exactBytes, hasFewColors } from "./exact.ts";
import { type BytesToBeat, findQuality, type Model, type Tried, within } from "./find-quality.ts";
import { notesOn } from "./noted.ts";
import { aimedAt, isSmall } from "./presets.ts";
import { type Encode, type Found, judgeBy, type PictureEncoder, type Written } from "./probe.ts";
import { type Sample, sampleBytes, sampleOf } from "./sample.ts";
import { inComparedColors, judgeRows } from "./score.ts";
import { searchableIn, searchedScore } from "./search-pixels.ts";
import type { Judgement } from "./second-opinion.ts";
import { isOfSlopes } from "./slopes.ts";
import { canDivide, type Task } from "./task.ts";

/** As full as nothing flat is, by what the file of the original takes. */
const PHOTOGRAPHIC = 0.3;
/** A file without loss that is larger by more than this than a lossy one stays so when it loses a little; a small picture may not. */
const PROMISING = { usual: 2, small: 4 };
/** What a look at pixels says of a file without loss may be so many times what one takes, or one that is touched most. */
const SURELY_LARGER = 2.5;
/** Files without loss, or nearly, that are made of what is worth it. */
const FILES = 3;

/** Makes a file without loss, or nearly, where a search through pixels found that it may be the best. */
export function searchExactly(task: Task): Attempt | null {
  const format = canDivide(task) ? null : searchableIn(task);
  if (!format?.can.lossless) return null;
  const { picture, settings, trace } = task;
  const { qualities, nearLosslessLevels = [], keepsPalettes = false } = format.write;
  const targetScore = aimedAt(searchedScore(task) ?? 100, picture);
  const [nearLossless] = nearLosslessLevels;
  const exact = { ...settings, lossless: true, ...(nearLossless !== undefined && { nearLossless }) };
  const encode = encodeEstimate(task, format, exact);
  const judge = parallel(sourceEstimate(task), judgeEstimate(format, picture));
  const { bytes } = parallel(
    maximum(encode, judge),
    held(resultBytes(format, picture, settings) + sampleBytes(picture).pixels),
  );
  const files = nearLosslessLevels.length > 0 ? FILES : 1;
  return {
    name: "search exactly",
    estimate: { bytes, ms: files * serial(encode, judge).ms },
    isSearch: true,
    isFallback: true,
    isBesides: true,
    isUnlikely: picture.opaque && fullness(picture) >= PHOTOGRAPHIC && !isSmall(picture),
    mayBeat: (_, { exactBesideBytes }) => exactBesideBytes > 0,
    async run(session, timeSlice) {
      const { picture: shown, best, deadline } = session;
      const open = async () => inComparedColors(await firstFrame(shown, timeSlice), shown.space);
      const notes = notesOn(qualities, targetScore, trace);
      const made = notes.encoder(session.encoder(format, timeSlice), deadline);
      const strips = stripsOf(shown);
      const rows = onlyStrips(await firstFrame(shown, timeSlice), strips);
      const sample = await sampleOf(rows, shown, strips, qualities.tilesOfSmall);
      // Few colors, and levels that are rounded, make steps of slopes.
      const mayStripe = await isOfSlopes(sample, timeSlice);
      const ofRows = async (rendition: Rows) =>
        judgeRows(await open(), inComparedColors(rendition, shown.space), timeSlice, mayStripe);
      const promising = isSmall(shown) ? PROMISING.small : PROMISING.usual;
      const most = promising * session.exactBesideBytes;
      const mostBytes = best && (best.score ?? 0) >= targetScore ? best.file.bytes.length : Infinity;
      const beside = sample.tiles ? session.exactBesideBytes : Math.min(session.exactBesideBytes, mostBytes);
      if (!made.nearly && (await isSurelyLarger(sample, beside, timeSlice))) return null;
      if (sample.tiles && !(await isWorthIt(sample, made, settings, most))) return null;
      const { encode, nearly } = made;
      const judgeAt = nearly && (async (level: number) => ofRows(await firstFrame(nearly(level), timeSlice)));
      const encoder = { encode, judge: judgeBy(ofRows, format, shown, timeSlice).ofFile, judgeAt };
      const toBeat = { targetScore, bytes: mostBytes };
      const levels = keepsPalettes && (await hasFewColors(shown, timeSlice)) ? [] : nearLosslessLevels;
      // Of a picture that is its own sample a quick file takes as long as one that stays.
      const bounds = { levels, promising, mostExact: sample.tiles ? Infinity : most };
      const found = await smallestExact(encoder, settings, toBeat, bounds);
      return found && session.rendition(found);
    },
  };
}

/** Whether pixels of a sample say that no file without loss, or nearly, is smaller than so many bytes. */
async function isSurelyLarger({ picture }: Sample, bytes: number, timeSlice: TimeSlice): Promise<boolean> {
  return bytes < Infinity && (await exactBytes(picture, timeSlice)) > SURELY_LARGER * bytes;
}

/** Whether a quick file of tiles without loss has fewer bytes than are promising. */
async function isWorthIt(sample: Sample, encoder: PictureEncoder, settings: EncodeSettings, promisingBytes: number) {
  if (promisingBytes === Infinity) return true;
  const { encode } = await encoder.onSample(sample);
  return (await encode({ ...settings, lossless: true, effort: 0 })).length < promisingBytes;
}

/** What makes files without loss, or nearly, and tells how they look. */
interface ExactEncoder {
  readonly encode: Encode;
  readonly judge: (bytes: Uint8Array) => Promise<Judgement>;
  /** What is said of a value of `nearLossless`, where it is known without a file. */
  readonly judgeAt?: ((level: number) => Promise<Judgement>) | undefined;
}

interface ExactBounds {
  readonly levels: readonly number[];
  readonly promising: number;
  /** Bytes of a file without loss from which on all is given up. */
  readonly mostExact?: number;
}

/**
 * The smallest of the encodings without loss, or nearly, that reach the target score; null where none is smaller than the bytes to
 * beat.
 * @param levels of `EncodeSettings.nearLossless`, those that touch pixels most first; of a file without loss that has `promising`
 *   times the bytes none is looked at
 */
export async function smallestExact(
  encoder: ExactEncoder,
  settings: EncodeSettings,
  { targetScore, bytes: mostBytes }: BytesToBeat,
  { levels, promising, mostExact = Infinity }: ExactBounds,
): Promise<Found | null> {
  const exactly = { ...settings, lossless: true };
  const [least, ...others] = levels;
  if (!encoder.judgeAt && least !== undefined) {
    // What loses nothing takes no less than what loses most.
    const touched = await encoder.encode({ ...exactly, nearLossless: least });
    if (touched.length >= Math.min(mostExact, mostBytes)) return null;
    const { points, score } = await encoder.judge(touched);
    if (points >= targetScore) return { bytes: touched, score: points, metric: score };
  }
  const exact = { bytes: await encoder.encode(exactly), score: 100 };
  if (exact.bytes.length >= Math.min(mostExact, promising * mostBytes)) return null;
  const bytes = Math.min(mostBytes, exact.bytes.length);
  const best = exact.bytes.length < mostBytes ? exact : null;
  const left = encoder.judgeAt ? levels : others;
  const touched = await mostTouched(encoder, exactly, { targetScore, bytes: bytes - 1 }, left);
  // What shows every pixel as it is would be the same file again.
  if (!touched || (encoder.judgeAt && touched.tried.score === exact.score)) return best;
  const file = await touched.probe.bytes();
  const { score, metric } = touched.tried;
  return file.length < bytes ? { bytes: file, score, metric } : best;
}

/** A level that was tried, in place of a quality its number among all. */
interface TriedLevel extends Tried {
  readonly score: number;
  readonly metric: number;
}

/**
 * The first of the levels that reaches the target score: scores grow with levels, and bytes do. Levels that are judged
 * without a file are looked at by halves, others one after the other until files are larger than they may be.
 */
async function mostTouched(
  { encode, judge, judgeAt }: ExactEncoder,
  settings: EncodeSettings,
  toBeat: BytesToBeat,
  levels: readonly number[],
) {
  if (levels.length === 0) return undefined;
  const isEnough = ({ score }: TriedLevel) => score >= toBeat.targetScore;
  const middle = (from: number, to: number) => (from + to + 1) >> 1;
  const probeAt = (quality: number) => {
    let file: Promise<Uint8Array> | undefined;
    return { quality, bytes: () => (file ??= encode({ ...settings, nearLossless: levels[quality]! })) };
  };
  const model: Model<TriedLevel, Written> = {
    ...within({ step: 1 }, 0, levels.length - 1),
    leaps: true,
    mostScore: async () => toBeat.targetScore,
    async measure({ quality, bytes }) {
      const { points: score, score: metric } = await (judgeAt?.(levels[quality]!) ?? judge(await bytes()));
      return { quality, score, metric };
    },
    expected: ({ from, to }) => (judgeAt ? middle(from, to) : from),
  };
  const { best } = await findQuality(probeAt, model, {
    first: judgeAt ? middle(0, levels.length - 1) : 0,
    attempts: levels.length,
    isEnough,
    isClose: (tried) => !judgeAt && tried.some(isEnough),
    ...(!judgeAt && { toBeat }),
  });
  return best && isEnough(best.tried) ? best : undefined;
}
