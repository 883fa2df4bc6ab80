/** The first look at a picture that is to be written: which representations it allows, and a sample of it. */
import { parallel, held, type Estimate } from "../../../../wasm/estimate.ts";
import { openPngSurveyor, surveyEstimate } from "../../../../wasm/pixels/png-surveyor.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { firstFrame, type Picture } from "../../pixels/picture.ts";
import { pngBands, pngBandsOfPixels } from "./compress.ts";
import { FirstRows } from "./first-rows.ts";
import { type Limits, type Representations, representationsOf } from "./representation.ts";

/** What the first look at a picture found. */
export interface Look {
  /** Those that may turn out smallest. */
  readonly representations: Representations;
  /**
   * The first rows of the first frame, RGBA: all of them if they are few enough; otherwise few of those at the top that are all
   * the same, which say nothing of what lies below.
   */
  readonly sample: Uint8Array;
  /**
   * All rows of the first frame, some at a time: the sample, then what is still unread, as far as that was not lost.
   */
  bands(): AsyncIterable<Uint8Array>;
  /** Ends the reading of the picture. */
  close(): Promise<void>;
}

/** Pixels of a picture that is sampled as a whole, and of the sample of a larger one: 2 MB, and enough to choose by. */
const WHOLE_PIXELS = 1 << 20;
const SAMPLE_PIXELS = 1 << 19;

/** Pixels of the sample of a picture, about: whole rows are taken. */
export function samplePixels(pixels: number): number {
  return pixels <= WHOLE_PIXELS ? pixels : SAMPLE_PIXELS;
}

/**
 * Looks at all frames, as far as needed: the first rows of an opaque photograph settle that it is one, and the others
 * need not wait for a second reading. The caller closes the look.
 */
export async function lookAt(picture: Picture, limits: Limits, timeSlice: TimeSlice): Promise<Look> {
  const { width, height } = picture;
  const rows = width * height <= WHOLE_PIXELS ? height : Math.ceil(SAMPLE_PIXELS / width);
  const sampled = new FirstRows(width * 4, rows, height);
  const surveyor = openPngSurveyor(width, picture.opaque, !picture.opaque || picture.frames > 1);
  const unread = allBands(picture, timeSlice);
  let settled = false;
  let beyond = new Uint8Array(0);
  let isLost = false;
  try {
    while (!sampled.isFull || !settled) {
      const next = await unread.next();
      if (next.done) break;
      const band = next.value;
      isLost ||= sampled.isFull;
      beyond = sampled.add(band).slice();
      settled ||= !surveyor.add(band);
      await timeSlice.spend(surveyEstimate(band.length / 4).ms);
    }
    const sample = sampled.bytes;
    const begun = [pngBandsOfPixels(sample, width), pngBandsOfPixels(beyond, width), unread] as const;
    return {
      representations: representationsOf(surveyor, picture, limits),
      sample,
      bands: () => (isLost || sampled.hasGaps ? bandsAnew(picture, timeSlice) : inTurn(begun)),
      close: async () => void (await unread.return()),
    };
  } catch (error) {
    await unread.return();
    throw error;
  } finally {
    surveyor.close();
  }
}

/**
 * The estimate of looking at a picture of so many pixels, the sample included; the surveyor's window is as large as a
 * writer's.
 */
export function lookEstimate(pixels: number): Estimate {
  return parallel(surveyEstimate(pixels), held(samplePixels(pixels) * 4));
}

/** All rows of all frames, some at a time; ending the iteration closes what is open. */
async function* allBands(picture: Picture, timeSlice: TimeSlice): AsyncGenerator<Uint8Array, void, void> {
  for await (const { rows } of picture.open(timeSlice)) yield* pngBands(rows, timeSlice);
}

async function* bandsAnew(picture: Picture, timeSlice: TimeSlice): AsyncIterable<Uint8Array> {
  yield* pngBands(await firstFrame(picture, timeSlice), timeSlice);
}

type Bands = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

async function* inTurn(parts: readonly Bands[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield* part;
}
