/** Encodings without loss, or nearly: of drawings and screens they can be smaller than lossy ones that look as good. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { bandsOf } from "../pixels/bands.ts";
import { firstFrame, type Picture, stillPicture } from "../pixels/picture.ts";
import { onlyStrips } from "../pixels/strips.ts";
import { type BytesToBeat, findQuality, type Model, type Tried, within } from "./find-quality.ts";
import type { Search } from "./goal.ts";
import { isSmall } from "./presets.ts";
import type { Encode, Found, Encoder, PictureEncoder, Written } from "./probe.ts";
import type { Sample } from "./sample.ts";
import type { Judgement } from "./second-opinion.ts";

/** A file without loss that is larger by more than this than a lossy one stays so when it loses a little. */
const PROMISING = 2;

/**
 * The part of a picture's pixels that have the color of the one before, from which on it may be worth writing without
 * loss: of photographs with less, files without loss take six times the bytes and more.
 */
const FLAT = 0.45;
const READ_ROWS = 32;

/** Whether a picture has areas of one color, as drawings and screens do. */
export async function isFlat(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  let same = 0;
  for await (const band of bandsOf(await firstFrame(picture, timeSlice), { rows: READ_ROWS, timeSlice })) {
    const view = new DataView(band.buffer, band.byteOffset, band.length);
    let before = -1;
    for (let at = 0; at < band.length; at += 4) {
      const pixel = view.getUint32(at);
      if (pixel === before) same++;
      before = pixel;
    }
  }
  return same >= FLAT * picture.width * picture.height;
}

/** Colors that a palette holds. */
const PALETTE_COLORS = 256;

/** Whether a palette holds all colors of a picture. */
export async function hasFewColors(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  const colors = new Set<number>();
  for await (const band of bandsOf(await firstFrame(picture, timeSlice), { rows: READ_ROWS, timeSlice })) {
    const view = new DataView(band.buffer, band.byteOffset, band.length);
    for (let at = 0; at < band.length; at += 4) colors.add(view.getUint32(at));
    if (colors.size > PALETTE_COLORS) return false;
  }
  return true;
}

const STRIPS = 4;
/** Rows of a picture whose quarter has strips of a few rows each. */
const LEAST_ROWS = 64;

/** A quarter of the rows of a picture, in strips from top to bottom; null where it is too low for that. */
export function quarterOf(picture: Picture): Picture | null {
  const { width, height, opaque, detail, texture } = picture;
  if (height < LEAST_ROWS) return null;
  const rows = Math.floor(height / STRIPS ** 2);
  const strips = Array.from({ length: STRIPS }, (_, index) => {
    return { y: Math.floor(((index + 1 / 2) * height) / STRIPS - rows / 2), rows };
  });
  return stillPicture({ width, height: rows * STRIPS, opaque, detail, texture }, async (timeSlice) =>
    onlyStrips(await firstFrame(picture, timeSlice), strips),
  );
}

/** What a quarter of a picture takes without loss of what all of it does: mostly a quarter, seldom more than this. */
const MOST_OF_QUARTER = 1 / 3;

/** Whether a quarter of a picture says that its encoding without loss may be small enough beside a lossy one. */
export async function isQuarterPromising(
  { onSample }: { readonly onSample: (part: Sample) => Promise<Encoder> },
  settings: EncodeSettings,
  picture: Picture,
  lossy: number,
): Promise<boolean> {
  const quarter = isSmall(picture) ? null : quarterOf(picture);
  if (!quarter) return true;
  const { encode } = await onSample({ picture: quarter });
  const exact = await encode({ ...settings, lossless: true, effort: 0 });
  return isPromising(exact.length, lossy * MOST_OF_QUARTER);
}

/** Whether an encoding without loss is small enough, beside a lossy one that looks as asked, to look further. */
export function isPromising(exact: number, lossy: number): boolean {
  return exact < PROMISING * lossy;
}

/** A file without loss is worth trying, for which this search has no memory. */
export class ExactLeft extends Error {}

/** Whether files without loss may be tried at all, here or in a search that has the memory for it. */
export function mayTryExact({ triesExact, leavesExact = false }: Pick<Search, "triesExact" | "leavesExact">): boolean {
  return triesExact || leavesExact;
}

/**
 * Whether files without loss may be small enough beside a lossy one, by quick ones of a part of the sample and of all
 * of it.
 * @param lossy bytes of the sample, lossy
 * @param looksAtWhole also where the sample is the picture
 * @throws ExactLeft where they may, but this search has no memory for one
 */
export async function isWorthExact(
  { reference: { sample }, leavesExact = false }: Pick<Search, "reference" | "leavesExact">,
  encoder: PictureEncoder,
  settings: EncodeSettings,
  lossy: number,
  looksAtWhole = false,
): Promise<boolean> {
  const { picture, tiles } = sample;
  if (!(await isQuarterPromising(encoder, settings, picture, lossy))) return false;
  if (leavesExact) throw new ExactLeft();
  if (!tiles && !looksAtWhole) return true;
  const { encode } = tiles ? await encoder.onSample({ picture }) : encoder;
  const exact = await encode({ ...settings, lossless: true, effort: 0 });
  return isPromising(exact.length, lossy);
}

/** What makes files without loss, or nearly, and tells how they look. */
export interface ExactEncoder {
  readonly encode: Encode;
  readonly judge: (bytes: Uint8Array) => Promise<Judgement>;
  /** What is said of a value of `nearLossless`, where it is known without a file. */
  readonly judgeAt?: ((level: number) => Promise<Judgement>) | undefined;
}

/**
 * The smallest of `lossy`, if there is one, and of the encodings without loss, or nearly, that reach the target score.
 * @param levels of `EncodeSettings.nearLossless`, those that touch pixels most first
 */
export async function smallerExact(
  encoder: ExactEncoder,
  settings: EncodeSettings,
  targetScore: number,
  levels: readonly number[],
  lossy?: Found,
): Promise<Found> {
  const exactly = { ...settings, lossless: true };
  const exact = { bytes: await encoder.encode(exactly), score: 100 };
  const reaching = lossy && lossy.score >= targetScore ? lossy : undefined;
  if (reaching && !isPromising(exact.bytes.length, reaching.bytes.length)) return reaching;
  const best = reaching && reaching.bytes.length <= exact.bytes.length ? reaching : exact;
  const touched = await mostTouched(encoder, exactly, { targetScore, bytes: best.bytes.length - 1 }, levels);
  // What shows every pixel as it is would be the same file again.
  if (!touched || (encoder.judgeAt && touched.tried.score === exact.score)) return best;
  const bytes = await touched.probe.bytes();
  const { score, metric } = touched.tried;
  return bytes.length < best.bytes.length ? { bytes, score, metric } : best;
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
