/** What is wanted of a picture, and the ways to get it, each as a value. */
import type { Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { fits } from "./estimates.ts";
import type { Rendition } from "./rendition.ts";
import type { Session } from "./session.ts";
import type { Task } from "./task.ts";

/** No file of this format can be as small as the one that there is in another. */
export const BEATEN = Symbol("beaten");

/** What came of an attempt: null when this way turned out not to lead anywhere. */
export type Outcome = Rendition | typeof BEATEN | null;

/** One way to make the file that is asked for. */
export interface Attempt {
  readonly name:
    | "keep original"
    | "recompress"
    | "repack"
    | "requantize"
    | "re-encode planes"
    | "search pixels"
    | "search tiles"
    | "search exactly"
    | "search frames"
    | "fit size"
    | "encode blind"
    | "encode exactly";
  readonly estimate: Estimate;
  /** What it takes where less is kept of what only saves time: the file is the same. Absent: no less. */
  readonly lean?: Estimate | undefined;
  /** Whether it is there for what cannot be had otherwise, or to compete with what was made. */
  readonly isFallback?: boolean;
  /** It makes nothing where there is no file yet. */
  readonly isBesides?: boolean;
  /** Hardly a picture comes to it. */
  readonly isUnlikely?: boolean;
  /**
   * It tries several files, and ends where that takes far more than its estimate: not tried once another search has.
   */
  readonly isSearch?: boolean;
  /** It works on the coefficients of the original: where these cannot be read the pixels are another way. */
  readonly onCoefficients?: boolean;
  /**
   * Whether it is worth trying beside the best so far, or where there is none. Absent: only where there is none, and another format
   * has not beaten this one.
   */
  readonly mayBeat?: (best: Rendition | null, session: Session) => boolean;
  /** @param tier in which it may go on: 0 for its estimate, 1 for the lean one */
  readonly run: (session: Session, timeSlice: TimeSlice, tier: number) => Promise<Outcome>;
}

/** A task, and the ways to get its file. */
export interface Ways {
  readonly task: Task;
  readonly attempts: readonly Attempt[];
}

/** Whether some way that makes a file fits into the memory that there is. */
export function hasAny({ task, attempts }: Ways): boolean {
  return attempts.some(({ estimate, isBesides }) => !isBesides && fits(task, estimate));
}

/** The same of those that are not only there for what cannot be had otherwise. */
export function hasPreferred({ task, attempts }: Ways): boolean {
  return hasAny({ task, attempts: attempts.filter(({ isFallback }) => !isFallback) });
}
