/**
 * The smallest encoding that looks as good as asked: quality is searched on the sample of the picture, and the whole is
 * encoded and scored with what was found. What the whole scores corrects the sample, once or twice. Where a format
 * knows what a file will show, none is written for that, and the distortion that it expects of a quality says where to
 * look.
 */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Rows } from "../pixels/rows.ts";
import { bytesOnSample, type Probed } from "./by-losses.ts";
import { candidatesFor, smallestPreviewed } from "./candidates.ts";
import { hasFewColors, isFlat } from "./exact.ts";
import { elasticityOf, lostBy } from "./find-quality.ts";
import { type Goal, mostOnSample, type Search } from "./goal.ts";
import type { Scored } from "./losses.ts";
import { notesOn } from "./noted.ts";
import { ENDLESS, type EndsInTime, Overrun, type Predicted } from "./overrun.ts";
import { isIcon, isSmall, type PresetGoal, stricterThan } from "./presets.ts";
import { type Found, type Judge, judgeBy, type PictureEncoder, type ProbeAt, saidOf, writtenToStay } from "./probe.ts";
import type { Reference } from "./reference.ts";
import { isOfSlopes, mayHaveStripes } from "./slopes.ts";
import { type Ended, endOf, fromNeighbor, modeOfWhole, qualityOfWhole, wholeBy } from "./whole.ts";
import { bestChoice } from "./written.ts";

/**
 * A picture of more is told from its neighbors in quality by what it loses on average: of what is previewed, whose steps
 * are numbers of colors, and of what is written.
 */
const LEAPING_PIXELS = { previewed: 1 << 17, written: 1 << 15 };

/** Pixels up to which what is shown is opened twice: of a larger picture it is made anew for that. */
const OPENED_TWICE_PIXELS = 1 << 22;

/**
 * Points by which the second opinion is plainly the stricter one: where both say about the same, of photographs above all, the
 * metric may say less of the next rendition, and a search that does not hear of it goes astray.
 */
const PLAINLY_STRICTER = 3;

/** Of a file that shows the very same pixels. */
const EXACT_SCORE = 100;

/** A file, and what its search knows besides. */
interface Searched extends Found {
  /** What is known of its way. */
  readonly known?: readonly Scored[];
}

/**
 * The smallest encoding of a still picture found whose score is at least the target score, or the best one where none
 * was found; null where it is plain from the sample that none is smaller than its upper bound.
 * @throws Overrun with what was found, when the deadline comes first
 */
export async function smallestAbove(
  goal: Goal,
  reference: Reference,
  encoder: PictureEncoder,
  timeSlice: TimeSlice,
  deadline: EndsInTime = ENDLESS,
): Promise<Found | null> {
  return searched(goal, reference, encoder, timeSlice, deadline, (search, timed) =>
    timed.preview
      ? smallestOfStricter(search, timed, smallestPreviewed, LEAPING_PIXELS.previewed)
      : smallestOfStricter(search, timed, smallestWritten, LEAPING_PIXELS.written),
  );
}

/**
 * The settings by which a picture is expected to look as good as asked, by tiles of it alone: where there is no memory
 * to look at the whole beside what writes it. Those that take the fewest bytes come first; none where tiles say nothing.
 * @throws Overrun with what was found, when the deadline comes first
 */
export async function settingsByTiles(
  goal: Goal,
  reference: Reference,
  encoder: PictureEncoder,
  timeSlice: TimeSlice,
  deadline: EndsInTime = ENDLESS,
): Promise<readonly Predicted[]> {
  return searched(goal, reference, encoder, timeSlice, deadline, async (search, timed) => {
    const { onSample } = search;
    if (timed.preview) {
      const candidates = await candidatesFor({ ...search, sample: reference.sample, judge: onSample }, timed);
      return candidates.map(({ settings, best }) => predictedBy(settings, best.quality));
    }
    const chosen = await bestChoice(search, timed, Infinity);
    return [predictedBy(chosen.settings, qualityOfWhole(search, chosen))];
  });
}

function predictedBy({ subsample, loss }: EncodeSettings, quality: number): Predicted {
  return { quality, ...(subsample && { subsample }), ...(loss && { loss }) };
}

/** What comes of a search, with everything at hand that it looks with. */
async function searched<Result>(
  goal: Goal,
  reference: Reference,
  encoder: PictureEncoder,
  timeSlice: TimeSlice,
  deadline: EndsInTime,
  found: (search: Search, encoder: PictureEncoder) => Promise<Result>,
): Promise<Result> {
  const { format } = goal;
  const { sample } = reference;
  const { qualities } = format.write;
  const { trace } = goal;
  const notes = notesOn(qualities, goal.targetScore, trace);
  const mayStripe = await mayHaveStripes(qualities, sample, timeSlice);
  const telling = (opinions: Reference["judge"], isWhole: boolean): Judge => {
    const ofRows = (rendition: Rows) => opinions.both(rendition, mayStripe);
    const told: Judge["told"] = (quality, { points, score, isSecondAlone }, bytes) => {
      if (bytes) notes.add({ bytes, score: points, metric: score }, isWhole);
      const part = isWhole ? "whole" : "sample";
      trace?.({ kind: "judged", part, quality, ...(!isSecondAlone && { score }), points });
    };
    const judge = judgeBy(ofRows, format, sample.picture, timeSlice, told);
    const { width, height } = isWhole ? reference.size : sample.picture;
    if (width * height > OPENED_TWICE_PIXELS) return judge;
    return { ...judge, ofShown: secondFirst(opinions, goal.targetScore, mayStripe) };
  };
  const onSample = telling(reference.judgeSample, !sample.tiles);
  const onWhole = telling(reference.judge, true);
  const { drawnFrom } = qualities;
  const isDrawn = drawnFrom !== undefined && (await isFlat(sample.picture, timeSlice));
  const settings = isDrawn ? { ...goal.settings, drawn: true } : goal.settings;
  const scale = isDrawn ? { ...qualities, least: drawnFrom } : qualities;
  const search = { ...goal, settings, reference, onWhole, onSample, scale, timeSlice };
  try {
    return await found(search, notes.encoder(encoder, deadline));
  } catch (error) {
    throw error instanceof Overrun ? notes.overrun() : error;
  }
}

/**
 * Judges what is shown, as often as need be: where the second opinion was plainly the stricter one of the rendition before, it
 * is asked first, and the metric, which takes five times as long, only of what may reach the target score.
 */
function secondFirst({ both, second }: Reference["judge"], targetScore: number, mayStripe: boolean): Judge["ofShown"] {
  let isStricter = false;
  return async (open) => {
    const secondPoints = isStricter ? await second(await open(), mayStripe) : undefined;
    if (secondPoints !== undefined && secondPoints < targetScore)
      return { score: secondPoints, points: secondPoints, isSecondAlone: true };
    const judgement = await both(await open(), mayStripe, secondPoints);
    isStricter = judgement.points < judgement.score - PLAINLY_STRICTER;
    return judgement;
  };
}

/** Where files must be written to be looked at. */
async function smallestWritten(search: Search, encoder: PictureEncoder): Promise<Searched | null> {
  const { start, keepsResults, upperBoundSampleBytes = Infinity } = search;
  const most = mostOnSample(search);
  const isNear = start && !search.reference.sample.tiles;
  const chosen = isNear ? await fromNeighbor(search, encoder, start, most) : await fromSample(search, encoder, most);
  if (!chosen || chosen.isBeaten) {
    if (
      upperBoundSampleBytes < Infinity &&
      (await mayBeExact(search, encoder, isSmall(search.reference.sample.picture)))
    )
      search.seekExact?.(upperBoundSampleBytes);
    return null;
  }
  const { best: found } = chosen;
  const isWritten = chosen.encoder.finish === chosen.encoder.encode;
  const stays = isWritten && (!keepsResults || modeOfWhole(search, chosen.settings) === "stays");
  const lossy = stays
    ? { bytes: await found.bytes(), ...(await saidOf(found)) }
    : await writtenToStay(chosen, isWritten);
  if (lossy.score < search.targetScore) search.seekExact?.(Infinity);
  else if (await mayBeExact(search, encoder)) search.seekExact?.(chosen.bytes);
  return { ...lossy, sampleBytes: chosen.sampleBytes, ended: endOf(search, chosen), known: triesOf(chosen) };
}

/**
 * Whether files without loss may be smaller than lossy ones: of what is flat, and of what has soft alpha, which takes bytes of its
 * own beside lossy colors.
 * @param isLikely whatever the picture looks like
 */
async function mayBeExact(
  { reference: { sample }, format, timeSlice }: Search,
  { nearly }: PictureEncoder,
  isLikely = false,
): Promise<boolean> {
  if (!format.write.nearLosslessLevels) return false;
  const hasSoft = nearly !== undefined && !sample.picture.opaque;
  return isLikely || hasSoft || isFlat(sample.picture, timeSlice);
}

/** What is known of a way: its renditions, or drafts where there is only one of them. */
function triesOf({ known, drafts = [] }: Pick<Probed, "known" | "drafts">): readonly Scored[] {
  return known.length > 1 ? known : drafts;
}

/**
 * The whole picture by the way that does best on its sample; null where it is plain that it would not beat its upper
 * bound.
 */
async function fromSample(search: Search, encoder: PictureEncoder, most: number): Promise<Ended | null> {
  const chosen = await bestChoice(search, encoder, most);
  if (chosen.isBeaten || chosen.bytes > most) return null;
  const whole = search.reference.sample.tiles && (await wholeBy(search, chosen));
  const { length } = await chosen.best.bytes();
  return { ...chosen, ...whole, sampleBytes: bytesOnSample(chosen.score, length, search.targetScore) };
}

/**
 * The smallest file that a preset's own search finds, or those of stricter ones. What a small picture loses leaps from one
 * quality, or number of colors, to the next, so that a search can end higher for less; no preset takes more bytes than
 * one that promises more.
 */
async function smallestOfStricter(
  asked: Search,
  encoder: PictureEncoder,
  smallest: (search: Search, encoder: PictureEncoder) => Promise<Searched | null>,
  leapingPixels: number,
): Promise<Found | null> {
  const { width, height } = asked.reference.size;
  const isLeaping = asked.keepsResults && width * height <= leapingPixels;
  const search = isLeaping ? { ...asked, probes: new Map<string, ProbeAt>() } : asked;
  const searched = await smallest(search, encoder);
  if (!searched) return null;
  const { known, ...found } = searched;
  if (!isLeaping) return found;
  // Where nothing that was tried loses anything, no preset finds less.
  if ([found, ...(known ?? [])].every(({ score }) => score >= EXACT_SCORE)) return found;
  if (await isExactSimple(search)) search.seekExact?.(Infinity);
  let least: Found = found;
  for (const stricter of stricterThan(search.targetScore, search.reference.size)) {
    if (known && isSurelyMore(stricter, found, known)) continue;
    const other = await smallest(strictly(search, stricter, least), encoder);
    if (!other || other.bytes.length >= least.bytes.length) continue;
    const { known: _, ...smaller } = other;
    if (smaller.score >= Math.min(search.targetScore, least.score)) least = smaller;
  }
  // Where the search ended is a matter of its own target.
  const { ended, sampleBytes } = found;
  return { ...least, ...(ended && { ended }), ...(sampleBytes !== undefined && { sampleBytes }) };
}

/**
 * Whether a small picture may take less without loss than lossy, which its own search does not find out: files without loss are
 * small of few colors, of slopes, and of any pattern that an icon is.
 */
async function isExactSimple({ reference, format, timeSlice }: Search): Promise<boolean> {
  if (!format.write.nearLosslessLevels) return false;
  const { picture } = reference.sample;
  return isIcon(picture) || (await hasFewColors(picture, timeSlice)) || isOfSlopes(reference.sample, timeSlice);
}

/** A stricter preset takes more where what the qualities cost that are known says that it takes so many times the bytes. */
const SURELY_MORE = 1.15;

function isSurelyMore({ targetScore }: PresetGoal, { score }: Found, known: readonly Scored[]): boolean {
  const elasticity = elasticityOf(known) ?? 0;
  return Math.exp(elasticity * (lostBy(score) - lostBy(targetScore))) >= SURELY_MORE;
}

/**
 * The search of a stricter preset: it goes the way of that preset's own, and ends where it is plain that it takes more than
 * the least file so far. Mostly the first rendition says so; of what is previewed it need not be looked at for that.
 */
function strictly(search: Search, { targetScore, quality }: PresetGoal, { bytes: { length } }: Found): Search {
  const { scale, upperBoundBytes, upperBoundSampleBytes = Infinity } = search;
  const stricter = { ...search, targetScore, settings: { ...search.settings, quality }, start: undefined };
  if (scale.bits === undefined) return { ...stricter, leastBytes: length };
  const bound = Math.min(upperBoundSampleBytes, length);
  return { ...stricter, upperBoundBytes: Math.min(upperBoundBytes, length), upperBoundSampleBytes: bound };
}
