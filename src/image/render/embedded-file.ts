/** Files that were packed in files of another format, and are wanted as what they were. */
import { parallel, held, type Estimate } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { identify } from "../plan/detect.ts";
import type { Stored } from "../plan/planned-picture.ts";

/** The pixels may still be what they were. */
function withoutUnreadable(error: unknown): null {
  if (error instanceof ApiError && error.status === 422) return null;
  throw error;
}

/** A file in place of the one that it was packed in. */
export interface Unpacked {
  readonly stored: Stored;
  /** The caller's to release. */
  readonly source: SharedBytes;
}

/**
 * The estimate of the file that was packed in an original, where a result is wanted in its format; null where there is
 * none, or no memory for it beside all that is held.
 */
export function unpackEstimate({ mime }: Pick<FormatDefinition, "mime">, stored: Stored): Estimate | null {
  const { bytes, facts, bufferedBytes = 0 } = stored;
  const { unpack } = stored.format;
  const estimate = unpack?.mime === mime ? unpack.estimate(bytes, facts) : null;
  return estimate && isolateBudget.canHold(parallel(estimate, held(bufferedBytes)), bytes.length) ? estimate : null;
}

/**
 * The file that was packed in an original, where a result is wanted in its format; null where there is none, it cannot
 * be had, or it is of another picture than the one that was planned.
 */
export async function unpackedFor(
  format: FormatDefinition,
  stored: Stored,
  jobLimits?: JobLimits,
): Promise<Unpacked | null> {
  const { bytes, facts } = stored;
  const { unpack } = stored.format;
  const estimate = unpackEstimate(format, stored);
  if (!unpack || !estimate || jobLimits?.affords(estimate) === false) return null;
  const file = await isolateBudget
    .run(estimate, (timeSlice) => unpack.run(bytes, facts, timeSlice), jobLimits)
    .catch(withoutUnreadable);
  if (!file) return null;
  const found = identify(file);
  const { width, height, orientation } = found.facts;
  const isSame = width === facts.width && height === facts.height && orientation === facts.orientation;
  if (found.format !== format || !isSame) return null;
  return {
    stored: { ...stored, ...found, heldBytes: bytes.length + file.length },
    source: SharedBytes.of(file),
  };
}
