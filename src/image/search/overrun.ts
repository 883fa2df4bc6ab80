/**
 * Searches that take far more than their estimate. The end of a search is not the end of its job: the best file so far
 * is the answer, or one of a quality that follows from what was tried, or the original.
 */
import type { Estimate } from "../../../wasm/estimate.ts";
import { OVERRUN_FACTOR, OVERRUN_GRACE_MS } from "../../limits/isolate.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import { observed, type TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Found } from "./probe.ts";

/** Settings of a file at a quality that was predicted, not searched for. */
export type Predicted = Pick<EncodeSettings, "quality" | "subsample" | "loss">;

/** Thrown by a search between two of its tries. It never leaves the attempts (attempts.ts). */
export class Overrun extends Error {
  override name = "Overrun";
  /** The best file so far that is as good as asked. */
  readonly best: Found | undefined;
  readonly predicted: Predicted | undefined;

  constructor(best?: Found, predicted?: Predicted) {
    super("a search took far more than its estimate");
    this.best = best;
    this.predicted = predicted;
  }
}

/** Asked between two tries, when native code holds nothing: whether the search is to end. */
export interface EndsInTime {
  readonly isOver: () => boolean;
}

/** When a search ends, and what it declares its work by, which is counted. */
interface Deadline extends EndsInTime {
  readonly timeSlice: TimeSlice;
}

/** The end of a search: once it has taken far more than its estimate, or all that its job may take. */
export function deadlineOf(timeSlice: TimeSlice, { ms }: Pick<Estimate, "ms">, jobLimits?: JobLimits): Deadline {
  const mostMs = Math.min(ms * OVERRUN_FACTOR + OVERRUN_GRACE_MS, jobLimits?.leftMs ?? Infinity);
  let takenMs = 0;
  return {
    timeSlice: observed(timeSlice, (spentMs) => (takenMs += spentMs)),
    isOver: () => takenMs > mostMs,
  };
}

/** A search without an end, as tests and benchmarks run it. */
export const ENDLESS: EndsInTime = { isOver: () => false };
