/** What a budget is told: of an isolate, or of a test. */
import { droppedNativeBytes } from "../../wasm/dropped.ts";
import { nativeGrowth } from "../../wasm/load.ts";
import {
  MAX_BLOCKED_MS,
  MAX_ORIGINALS_BYTES,
  MAX_PASSES,
  MAX_PASSES_BESIDE,
  MAX_PASSES_OF_LITTLE,
  MAX_WAIT_MS,
  ORIGINAL_STEP_BYTES,
  SEVERAL_ORIGINALS_BYTES,
  SMALL_ORIGINAL_BYTES,
  SMALL_ORIGINALS_BYTES,
  SMALL_WORK_BYTES,
  TINY_ORIGINAL_BYTES,
  TINY_ORIGINALS_BYTES,
} from "../limits/isolate.ts";
import type { Pause } from "./poll.ts";
import { isolateThread, type Thread } from "./time-slice.ts";

/** What originals may hold. */
export interface InputShare {
  /** One of them, but for those that are small. */
  readonly bytes: number;
  /** Several of them together; as much as one, unless told. */
  readonly severalBytes?: number;
  /** An original of at most so many bytes is small. */
  readonly small: number;
  /** What small ones may hold besides. */
  readonly smallBytes: number;
  /** An original of at most so many bytes is tiny. */
  readonly tiny: number;
  /** What of the share of small ones is for tiny ones alone. */
  readonly tinyBytes: number;
  /** What is taken at a time, as bytes arrive. */
  readonly stepBytes: number;
}

export interface BudgetOptions {
  /** What work that is alone and all originals may hold together; as much as one piece of work, unless told. */
  readonly aloneBytes?: number;
  /** What several pieces of work and large originals may hold together; as much as one piece of work, unless told. */
  readonly sharedBytes?: number;
  /** What work leaves of that where others are there, if it needs no more; nothing, unless told. */
  readonly companyBytes?: number;
  /** What idle native memory may fill with what is in use and originals; as much as one piece of work, unless told. */
  readonly filledBytes?: number;
  readonly thread?: Thread;
  readonly originals?: InputShare;
  /** Milliseconds for which a request waits that says nothing else. */
  readonly maxWaitMs?: number;
  /** How long nothing runs, though somebody waits and nobody reads, until the last in the queue is refused. */
  readonly maxBlockedMs?: number;
  /** How often the first in the queue, or at the door, may be passed by others, whose originals stand in its way. */
  readonly maxPasses?: number;
  /** How often it may be passed by others that have room beside it. */
  readonly maxPassesBeside?: number;
  /** How often it may be passed by little work while work goes on beside which it has no room. */
  readonly maxPassesOfLittle?: number;
  /** Work of at most so many bytes is small. */
  readonly smallWorkBytes?: number;
  /** Work of at most so many bytes does not wait for long behind work that is large; none, unless told. */
  readonly littleWorkBytes?: number;
  /** Bytes that were given up and are not collected yet; those of native modules, unless told. */
  readonly droppedBytes?: () => number;
  /** Has the engine collect them, as far as it can be made to; nothing does, unless told. */
  readonly collect?: () => void;
  /** Bytes by which memory has grown since this was asked for last; that of native modules, unless told. */
  readonly grownBytes?: () => number;
  /** Milliseconds, of any beginning. */
  readonly now?: () => number;
  /** How time passes for whoever waits; by a timer, unless told. */
  readonly pause?: Pause | undefined;
}

/** What originals may hold in an isolate. */
const ORIGINALS: InputShare = {
  bytes: MAX_ORIGINALS_BYTES,
  severalBytes: SEVERAL_ORIGINALS_BYTES,
  small: SMALL_ORIGINAL_BYTES,
  smallBytes: SMALL_ORIGINALS_BYTES,
  tiny: TINY_ORIGINAL_BYTES,
  tinyBytes: TINY_ORIGINALS_BYTES,
  stepBytes: ORIGINAL_STEP_BYTES,
};

const USUAL = {
  companyBytes: 0,
  thread: isolateThread,
  originals: ORIGINALS,
  maxWaitMs: MAX_WAIT_MS,
  maxBlockedMs: MAX_BLOCKED_MS,
  maxPasses: MAX_PASSES,
  maxPassesBeside: MAX_PASSES_BESIDE,
  maxPassesOfLittle: MAX_PASSES_OF_LITTLE,
  smallWorkBytes: SMALL_WORK_BYTES,
  littleWorkBytes: 0,
  droppedBytes: droppedNativeBytes,
  collect: () => undefined,
  grownBytes: nativeGrowth,
  now: () => performance.now(),
} satisfies BudgetOptions;

/** What a budget goes by. */
export type BudgetSettings = Required<Omit<BudgetOptions, "pause">> &
  Pick<BudgetOptions, "pause"> & {
    /** What one piece of work may hold. */
    readonly totalBytes: number;
  };

/** What a budget goes by that was told so much; what it was not told is as in an isolate. */
export function settingsOf(totalBytes: number, options: BudgetOptions): BudgetSettings {
  const all = { aloneBytes: totalBytes, sharedBytes: totalBytes, filledBytes: totalBytes };
  return { totalBytes, ...all, ...USUAL, ...options };
}
