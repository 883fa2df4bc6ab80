/**
 * Files without loss of pictures in few colors, for formats whose files hold these in few bytes and have no study of a picture that
 * finds them: drawings, letters and logos often look the same in them.
 */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { FEWER_COLORS, fewColorsOf, MOST_COLORS } from "../codec/few-colors.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { bandsOf } from "../pixels/bands.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import type { Encode, Found, Judge } from "./probe.ts";
import { SAMPLE_TILE, type Sample } from "./sample.ts";
import { compareRows, inComparedColors } from "./score.ts";
import { SAME } from "./second-opinion.ts";

/** Numbers of colors that are looked at on the whole: it may need more than its sample does. */
const TRIES = 3;
/**
 * What colors say of a file may be so many times what it is to have less of: of 19 drawings, letters and photographs of 48 to 1,200
 * pixels those that became smaller were said to have 1.75 times and less, noisy ones 1.96 and 2.7 times.
 */
const SURELY_LARGER = 1.9;
const READ_ROWS = 32;

interface ColorSearch {
  readonly picture: Picture;
  readonly sample: Sample;
  readonly settings: EncodeSettings;
  readonly targetScore: number;
  /** Bytes that a file has to have less of; of the whole, and of a sample that consists of tiles. */
  readonly toBeat: { readonly whole: number; readonly sample: number };
  /** Of the whole picture. */
  readonly judge: Pick<Judge, "ofPicture">;
  /** How files are made of the sample in other pixels, and of the whole. */
  readonly encoders: {
    readonly sample: (sample: Sample) => Promise<Encode>;
    readonly whole: (picture: Picture) => Promise<Encode>;
  };
  readonly timeSlice: TimeSlice;
}

/** The file of the fewest colors that reach the target score; null where none is smaller than the bytes to beat. */
export async function smallestInColors(search: ColorSearch): Promise<Found | null> {
  const { picture, settings, targetScore, toBeat, judge, encoders } = search;
  const exactly = { ...settings, lossless: true };
  const first = await fewestOnSample(search);
  if (await isSurelyLarger(search, first, exactly)) return null;
  const reduced = fewColorsOf(picture);
  for (const colors of FEWER_COLORS.slice(first, first + TRIES)) {
    const shown = reduced(colors);
    const { points, score } = await judge.ofPicture(shown);
    if (points < targetScore) continue;
    // What shows every pixel as it is was written before.
    if (score === SAME.score) return null;
    const bytes = await (await encoders.whole(shown))(exactly);
    return bytes.length < toBeat.whole ? { bytes, score: points, metric: score } : null;
  }
  return null;
}

/** Whether the sample says that no file of so many colors is smaller than it has to be; so it is where none are enough. */
async function isSurelyLarger(search: ColorSearch, first: number, exactly: EncodeSettings): Promise<boolean> {
  const { sample, toBeat, encoders, timeSlice } = search;
  const least = FEWER_COLORS[first];
  if (least === undefined) return true;
  const picture = fewColorsOf(sample.picture)(least);
  const most = sample.tiles ? toBeat.sample : toBeat.whole;
  if ((await bytesByColors(picture, timeSlice)) > SURELY_LARGER * most) return true;
  if (!sample.tiles) return false;
  const encode = await encoders.sample({ ...sample, picture });
  return (await encode({ ...exactly, effort: 0 })).length >= most;
}

/** Which of the numbers of colors is the first in which the sample reaches the target score, by halves: scores grow with them. */
async function fewestOnSample({ sample, targetScore, timeSlice }: ColorSearch): Promise<number> {
  const { picture, tiles } = sample;
  // Few colors make stripes of every slope.
  const comparing = { tile: tiles && SAMPLE_TILE, mayStripe: true };
  const open = async (one: Picture) => inComparedColors(await firstFrame(one, timeSlice), picture.space);
  const reduced = fewColorsOf(picture);
  let [low, high] = [0, FEWER_COLORS.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const shown = await open(reduced(FEWER_COLORS[middle]!));
    const { points } = await compareRows(await open(picture), shown, timeSlice, comparing);
    if (points >= targetScore) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** About the bytes of a picture in few colors: by the entropy of a pixel whose neighbor on the left is known. */
async function bytesByColors(picture: Picture, timeSlice: TimeSlice): Promise<number> {
  const known = new Map<number, number>();
  const counts = new Uint32Array(MOST_COLORS * MOST_COLORS);
  for await (const band of bandsOf(await firstFrame(picture, timeSlice), { rows: READ_ROWS, timeSlice })) {
    countPairs(new Uint32Array(band.slice().buffer), known, counts);
  }
  let bits = 0;
  for (let left = 0; left < MOST_COLORS; left++) {
    const row = counts.subarray(left * MOST_COLORS, (left + 1) * MOST_COLORS);
    const all = row.reduce((sum, count) => sum + count, 0);
    for (const count of row) if (count > 0) bits += count * Math.log2(all / count);
  }
  return bits / 8;
}

/** Counts pairs of neighbors by their colors, which are numbered as they come. */
function countPairs(pixels: Uint32Array, known: Map<number, number>, counts: Uint32Array): void {
  let [before, index] = [-1, 0];
  for (const pixel of pixels) {
    const left = index;
    if (pixel !== before) {
      index = known.get(pixel) ?? known.size;
      known.set(pixel, index);
      before = pixel;
    }
    counts[left * MOST_COLORS + index]!++;
  }
}
