/** From bytes to a known format and its facts, without decoding; every bound on size is checked here. */
import { NO_WORK, type Estimate } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import {
  MAX_FRAMES,
  MAX_LONG_SIDE_PIXELS,
  MAX_RESULT_PIXELS,
  MAX_SIDE_PIXELS,
  MAX_SOURCE_PIXELS,
} from "../../limits/pictures.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import { isolateHeaders } from "../../scheduler/header-memory.ts";
import { JobLimits } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import { type TimeSlice, isolateThread } from "../../scheduler/time-slice.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import { FORMATS, type FormatName } from "../formats.ts";
import type { Stored } from "./planned-picture.ts";

const HEAD_BYTES = 4_096;

/** The name of the format that the bytes are in, by their signature; null when it is none of ours. */
export function detect(bytes: Uint8Array): FormatName | null {
  const head = bytes.subarray(0, HEAD_BYTES);
  const found = Object.entries<FormatDefinition>(FORMATS).find(([, row]) => row.signature(head));
  return found ? (found[0] as FormatName) : null;
}

/**
 * The format and the facts of a file.
 * @throws ApiError 415 for an unknown format, 422 for a damaged header or a picture beyond the limits
 */
export function identify(bytes: Uint8Array): Stored & { readonly name: FormatName } {
  const name = detect(bytes);
  if (!name) throw new ApiError(415, "The file is not an image in a supported format");
  const format: FormatDefinition = FORMATS[name];
  const facts = isolateThread.atOnce(() => format.read.factsOf(bytes));
  checkLimits(facts);
  return { name, bytes, format, facts };
}

/**
 * Milliseconds in which the headers of a file are read, and nanoseconds for each of its bytes: 30 MiB of the worst take
 * 48.
 */
const READING_MS = 1;
const READING_NANOSECONDS = 2;

/** Bytes that reading headers may hold without being admitted: as much as those of any file hold at most. */
const READING_BYTES = 4 << 20;

/**
 * The format and the facts of a file that somebody sent: others have their turn before it is read, and the time counts
 * for the job even where nothing comes of it. What is unpacked of the file has memory of its own, which goes with its
 * bytes. What holds more than headers do while it is read waits for that memory first.
 * @param source bytes that are held for as long as the facts are; of others, nothing waits for its turn with the facts
 * @throws ApiError 415 or 422 as `identify`; as `Budget.run`, where reading is work that waits; 503 where there is no
 *   room for what it says; the reason of the signal of its job when that is aborted
 */
export async function readHeaders(
  source: SharedBytes | Uint8Array,
  jobLimits = new JobLimits(),
): ReturnType<typeof readNow> {
  const bytes = source instanceof Uint8Array ? source : source.bytes;
  const estimate = readingEstimate(bytes);
  if (estimate.bytes > READING_BYTES) {
    return isolateBudget.run(estimate, (timeSlice) => readNow(bytes, estimate, timeSlice), jobLimits);
  }
  if (jobLimits.within) return readNow(bytes, estimate, jobLimits.within);
  const counted = jobLimits.countReading();
  const memory = await isolateHeaders.take(jobLimits.caller);
  try {
    const found = await isolateThread.run(
      (timeSlice) => readNow(bytes, estimate, counted.timeSlice(timeSlice)),
      counted,
    );
    memory.shrink(unpackedBytes(found));
    if (source instanceof Uint8Array) memory.release();
    else source.attach(memory);
    return found;
  } catch (error) {
    memory.release();
    throw error;
  }
}

/** Bytes that facts hold beside the file. */
function unpackedBytes({ bytes, facts: { profile } }: Stored): number {
  return profile && profile.buffer !== bytes.buffer ? profile.length : 0;
}

/** What reading the facts of a file holds and takes. */
function readingEstimate(bytes: Uint8Array): Estimate {
  const name = detect(bytes);
  if (!name) return NO_WORK;
  const { probeEstimate }: FormatDefinition["read"] = FORMATS[name].read;
  return probeEstimate?.(bytes) ?? { bytes: 0, ms: READING_MS + (bytes.length * READING_NANOSECONDS) / 1e6 };
}

async function readNow(bytes: Uint8Array, { ms }: Estimate, timeSlice: TimeSlice) {
  if (ms > 0) await timeSlice.spend(ms);
  return identify(bytes);
}

function checkLimits({ width, height, frames, decodePixelNanoseconds }: Facts): void {
  if (width < 1 || height < 1) throw new ApiError(422, "The image has no pixels");
  if (frames > MAX_FRAMES) throw new ApiError(422, `The animation must have at most ${MAX_FRAMES} frames`);
  if (width * height * frames > MAX_SOURCE_PIXELS) {
    const megapixels = MAX_SOURCE_PIXELS / 1_000_000;
    throw new ApiError(422, `The image must have at most ${megapixels} megapixels, all frames together`);
  }
  // A drawing has no pixels before it is drawn: it can be asked for at a size that fits.
  const mostSide = decodePixelNanoseconds === undefined ? MAX_LONG_SIDE_PIXELS : MAX_SIDE_PIXELS;
  if (width > mostSide || height > mostSide) {
    throw new ApiError(422, `The image must have at most ${mostSide} pixels on each side`);
  }
}

/** @throws ApiError 422 when a result, all its frames together, would be too large */
export function checkResult({ width, height }: { width: number; height: number }, frames: number): void {
  if (width > MAX_LONG_SIDE_PIXELS || height > MAX_LONG_SIDE_PIXELS) {
    throw new ApiError(422, `The result must be at most ${MAX_LONG_SIDE_PIXELS} pixels on each side`);
  }
  if (width * height * frames > MAX_RESULT_PIXELS) {
    const megapixels = MAX_RESULT_PIXELS / 1_000_000;
    throw new ApiError(422, `The result must have at most ${megapixels} megapixels, all frames together`);
  }
}
