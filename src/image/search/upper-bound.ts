/**
 * When a format is given up: its file would plainly be larger than the one that there is in another format. The same
 * sample is written in both, which says more than the sample of one and the file of the other.
 */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Scale } from "../codec/writer.ts";
import type { PictureEncoder } from "./candidates.ts";
import { isFlat, isPromising, isQuarterPromising } from "./exact.ts";
import type { Reference } from "./reference.ts";
import type { WritableFormat } from "./task.ts";

/** Tries made in a fast pass take up to half as many bytes again, and a sample is not quite the picture. */
const HOPELESS = 2;
/**
 * Two formats differ on the whole picture as they do on its sample, by a bit more or less; by more where one of them is
 * written in a fast pass.
 */
const BEATEN = 1.15;
const BEATEN_IN_FAST_PASS = 1.5;
/** Pixels of a picture of which a file without loss is made in no time. */
const SMALL_PIXELS = 1 << 16;

/** What a result competes with: of one that is plainly larger nothing is made. */
export interface UpperBound {
  readonly upperBoundBytes: number;
  /** About what its format takes for the sample at the target score, where that is known. */
  readonly upperBoundSampleBytes?: number | undefined;
}

interface BoundedSearch extends UpperBound {
  readonly reference: Pick<Reference, "size" | "sample">;
  readonly scale: Scale;
  readonly format: WritableFormat;
  readonly settings: EncodeSettings;
  readonly triesFinal: boolean;
  readonly triesExact: boolean;
  /** There is no memory for encodings without loss: where one is worth trying the search ends. */
  readonly leavesExact?: boolean;
  readonly timeSlice: TimeSlice;
}

/**
 * Bytes of the sample from which on lossy files of the picture are given up: they will plainly be larger than its
 * upper bound.
 */
export function mostOnSample(search: BoundedSearch): number {
  const { reference, upperBoundSampleBytes = Infinity, scale, triesFinal } = search;
  const most = mostInFastPass(search);
  const isFastPass = reference.sample.tiles ? scale.fastPassLoss === undefined : !triesFinal;
  return isFastPass ? most : Math.min(most, upperBoundSampleBytes * BEATEN);
}

/** The same where it is written in a fast pass. */
export function mostInFastPass({
  reference,
  upperBoundBytes,
  upperBoundSampleBytes = Infinity,
}: BoundedSearch): number {
  return Math.min((upperBoundBytes / partsOf(reference)) * HOPELESS, upperBoundSampleBytes * BEATEN_IN_FAST_PASS);
}

/** A file without loss is worth trying, for which this search has no memory. */
export class ExactLeft extends Error {}

/** Whether files without loss may be tried at all, here or in a search that has the memory for it. */
export function mayTryExact({
  triesExact,
  leavesExact = false,
}: Pick<BoundedSearch, "triesExact" | "leavesExact">): boolean {
  return triesExact || leavesExact;
}

/**
 * Whether files without loss may be smaller than the upper bound, which lossy ones are not: of what is flat, and of
 * what is small and has no soft places at all.
 */
export async function mayBeExact(search: BoundedSearch, encoder: PictureEncoder): Promise<boolean> {
  const { reference, upperBoundSampleBytes = Infinity, settings, format, timeSlice } = search;
  const { picture, tiles } = reference.sample;
  if (upperBoundSampleBytes === Infinity || !mayTryExact(search) || !format.write.nearLosslessLevels) return false;
  if (picture.width * picture.height > SMALL_PIXELS && !(await isFlat(picture, timeSlice))) return false;
  if (!(await isQuarterPromising(encoder, settings, picture, upperBoundSampleBytes))) return false;
  if (search.leavesExact) throw new ExactLeft();
  const { encode } = tiles ? await encoder.onSample(reference.sample) : encoder;
  const exact = await encode({ ...settings, lossless: true, effort: 0 });
  return isPromising(exact.length, upperBoundSampleBytes);
}

/** How many times the sample is smaller than the picture. */
export function partsOf({ size, sample }: BoundedSearch["reference"]): number {
  return (size.width * size.height) / (sample.picture.width * sample.picture.height);
}
