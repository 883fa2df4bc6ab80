/** Encodings without loss, or nearly: of drawings and screens they can be smaller than lossy ones that look as good. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { bandsOf } from "../pixels/bands.ts";
import { firstFrame, type Picture, stillPicture } from "../pixels/picture.ts";
import { onlyStrips } from "../pixels/strips.ts";
import type { Encode, Found, Encoder } from "./probe.ts";
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

/** Pixels of a picture of which a file without loss is made in no time. */
const SMALL_PIXELS = 1 << 16;
/** What a quarter of a picture takes without loss of what all of it does: mostly a quarter, seldom more than this. */
const MOST_OF_QUARTER = 1 / 3;

/** Whether a quarter of a picture says that its encoding without loss may be small enough beside a lossy one. */
export async function isQuarterPromising(
  { onSample }: { readonly onSample: (part: Sample) => Promise<Encoder> },
  settings: EncodeSettings,
  picture: Picture,
  lossy: number,
): Promise<boolean> {
  const quarter = picture.width * picture.height > SMALL_PIXELS ? quarterOf(picture) : null;
  if (!quarter) return true;
  const { encode } = await onSample({ picture: quarter });
  const exact = await encode({ ...settings, lossless: true, effort: 0 });
  return isPromising(exact.length, lossy * MOST_OF_QUARTER);
}

/** Whether an encoding without loss is small enough, beside a lossy one that looks as asked, to look further. */
export function isPromising(exact: number, lossy: number): boolean {
  return exact < PROMISING * lossy;
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
  { encode, judge, judgeAt }: ExactEncoder,
  settings: EncodeSettings,
  targetScore: number,
  levels: readonly number[],
  lossy?: Found,
): Promise<Found> {
  const exactly = { ...settings, lossless: true };
  const exact = { bytes: await encode(exactly), score: 100 };
  const reaching = lossy && lossy.score >= targetScore ? lossy : undefined;
  if (reaching && !isPromising(exact.bytes.length, reaching.bytes.length)) return reaching;
  const best = reaching && reaching.bytes.length <= exact.bytes.length ? reaching : exact;
  if (judgeAt) {
    const touched = await mostTouched(levels, judgeAt, targetScore);
    // What shows every pixel as it is would be the same file again.
    if (!touched || touched.score === exact.score) return best;
    const bytes = await encode({ ...exactly, nearLossless: touched.level });
    return bytes.length < best.bytes.length ? { bytes, score: touched.score, metric: touched.metric } : best;
  }
  for (const nearLossless of levels) {
    const bytes = await encode({ ...exactly, nearLossless });
    // What is touched less is no smaller.
    if (bytes.length >= best.bytes.length) return best;
    const { points, score } = await judge(bytes);
    if (points >= targetScore) return { bytes, score: points, metric: score };
  }
  return best;
}

/** The first of the levels that reaches the target score, by halves: scores grow with levels. */
async function mostTouched(
  levels: readonly number[],
  judgeAt: (level: number) => Promise<Judgement>,
  targetScore: number,
) {
  let found: { readonly level: number; readonly score: number; readonly metric: number } | undefined;
  for (let from = 0, to = levels.length; from < to;) {
    const middle = (from + to) >> 1;
    const level = levels[middle]!;
    const { points, score } = await judgeAt(level);
    if (points >= targetScore) [to, found] = [middle, { level, score: points, metric: score }];
    else from = middle + 1;
  }
  return found;
}
