/**
 * When a format is given up: its file would plainly be larger than the one that there is in another format. The same
 * sample is written in both, which says more than the sample of one and the file of the other.
 */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Scale } from "../codec/writer.ts";
import type { Way } from "./candidates.ts";
import { isFlat, isPromising, isQuarterPromising } from "./exact.ts";
import type { Reference } from "./reference.ts";
import type { WritableFormat } from "./task.ts";

/** Tries made in haste take up to half as many bytes again, and a sample is not quite the picture. */
const HOPELESS = 2;
/**
 * Two formats differ on the whole picture as they do on its sample, by a bit more or less; by more where one of them is
 * written in haste.
 */
const BEATEN = 1.15;
const BEATEN_IN_HASTE = 1.5;
/** Pixels of a picture of which a file without loss is made in no time. */
const SMALL_PIXELS = 1 << 16;

/** What a result competes with: of one that is plainly larger nothing is made. */
export interface Rival {
  readonly rivalBytes: number;
  /** About what its format takes for the sample at the target score, where that is known. */
  readonly rivalSampleBytes?: number | undefined;
}

interface Contest extends Rival {
  readonly reference: Pick<Reference, "size" | "sample">;
  readonly scale: Scale;
  readonly format: WritableFormat;
  readonly settings: EncodeSettings;
  readonly triesFinal: boolean;
  readonly triesExact: boolean;
  readonly timeSlice: TimeSlice;
}

/**
 * Bytes of the sample from which on lossy files of the picture are given up: they will plainly be larger than its
 * rival.
 */
export function mostOnSample(contest: Contest): number {
  const { reference, rivalSampleBytes = Infinity, scale, triesFinal } = contest;
  const most = mostInHaste(contest);
  const isInHaste = reference.sample.tiles ? scale.haste === undefined : !triesFinal;
  return isInHaste ? most : Math.min(most, rivalSampleBytes * BEATEN);
}

/** The same where it is written in haste. */
export function mostInHaste({ reference, rivalBytes, rivalSampleBytes = Infinity }: Contest): number {
  return Math.min((rivalBytes / partsOf(reference)) * HOPELESS, rivalSampleBytes * BEATEN_IN_HASTE);
}

/**
 * Whether files without loss may be smaller than the rival, which lossy ones are not: of what is flat, and of what is
 * small and has no soft places at all.
 */
export async function mayBeExact(contest: Contest, way: Way): Promise<boolean> {
  const { reference, rivalSampleBytes = Infinity, settings, format, triesExact, timeSlice } = contest;
  const { picture, tiles } = reference.sample;
  if (rivalSampleBytes === Infinity || !triesExact || !format.write.nearLosslessLevels) return false;
  if (picture.width * picture.height > SMALL_PIXELS && !(await isFlat(picture, timeSlice))) return false;
  if (!(await isQuarterPromising(way, settings, picture, rivalSampleBytes))) return false;
  const { encode } = tiles ? await way.onSample(reference.sample) : way;
  const exact = await encode({ ...settings, lossless: true, effort: 0 });
  return isPromising(exact.length, rivalSampleBytes);
}

/** How many times the sample is smaller than the picture. */
export function partsOf({ size, sample }: Contest["reference"]): number {
  return (size.width * size.height) / (sample.picture.width * sample.picture.height);
}
