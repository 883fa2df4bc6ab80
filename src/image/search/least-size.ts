/** About how few bytes a picture can take, found on a sample of it: what cannot be is given up before it is tried. */
import { parallel, held, type Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { type Extent, firstFrame, type Picture } from "../pixels/picture.ts";
import { onlyStrips, stripsOf } from "../pixels/strips.ts";
import { sampleBytes, sampleOf, samplePart, sampleSize } from "./sample.ts";
import type { WritableFormat } from "./task.ts";

/** Bits a pixel of a frame above which most pictures fit by some quality: a sample would tell nothing new. */
const PLENTY_BITS = 0.5;
/** Bytes of a small file that are not of its pixels, and do not grow with them. */
const HEAD_BYTES = 500;
/**
 * What is to be given up takes this many times the bytes that there are: of seven formats the sample of a drawing that
 * repeats itself says 2.7 times too much at worst.
 */
const SURE = 4;
const SHOWN_DIGITS = 2;

/** Whether a limit is so low that a sample is worth asking. A still picture that is its own sample is not. */
export function isDoubtful(picture: Extent, limitBytes: number): boolean {
  const isSampled = picture.frames > 1 || samplePart(picture) < 1;
  return isSampled && limitBytes * 8 < picture.width * picture.height * PLENTY_BITS;
}

/** The estimate of asking the sample, what is held of the picture itself left out. */
export function leastSizeEstimate(
  { write }: WritableFormat,
  picture: Extent,
  settings: readonly EncodeSettings[],
): Estimate {
  const sample = { ...picture, ...sampleSize(picture), frames: 1 };
  const estimates = settings.map((one) => write.estimate(sample, lowest(one)));
  const bytes = Math.max(...estimates.map((estimate) => estimate.bytes));
  const ms = estimates.reduce((sum, estimate) => sum + estimate.ms, 0);
  return parallel(held(sampleBytes(picture).all), { bytes, ms });
}

/**
 * About the fewest bytes that a picture takes by any of these settings, where that is surely more than the limit;
 * undefined where it may fit. Of an animation no more is counted than its first frame.
 */
export async function leastSizeBeyond(
  limitBytes: number,
  { write }: WritableFormat,
  picture: Picture,
  settings: readonly EncodeSettings[],
  timeSlice: TimeSlice,
): Promise<number | undefined> {
  const strips = stripsOf(picture);
  const { picture: sample } = await sampleOf(onlyStrips(await firstFrame(picture, timeSlice), strips), picture, strips);
  const sizes: number[] = [];
  for (const one of settings) sizes.push((await write.encode(sample, lowest(one), timeSlice)).length);
  const least = Math.max(0, Math.min(...sizes) - HEAD_BYTES) / samplePart(picture);
  return least > limitBytes * SURE ? Number(least.toPrecision(SHOWN_DIGITS)) : undefined;
}

/** As few bytes as the format can make of a picture, in a fast pass. */
function lowest(settings: EncodeSettings): EncodeSettings {
  return { ...settings, quality: 1, progressive: false, probe: true };
}
