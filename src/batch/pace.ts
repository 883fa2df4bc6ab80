/** How much of a batch's work a store takes at once: half as much after each time that it asks for time, then more and more. */
import {
  BATCH_CONCURRENCY,
  CALM_ANSWERS,
  MAX_ASKED_PAUSE_MS,
  MAX_STORE_PAUSE_MS,
  MAX_STORE_PAUSES,
  STORE_PAUSE_MS,
} from "../limits/batch.ts";
import { backoff } from "../webhook/backoff.ts";

export interface Pace {
  /** Objects that the store takes at once. */
  readonly pace: number;
  /** Answers since the pace was last changed. */
  readonly calm: number;
  /** Until when nothing is handed out, in milliseconds since 1970. */
  readonly holdUntil: number;
  /** Pauses in a row for which the store asked. */
  readonly pauses: number;
}

export const FULL_PACE: Pace = { pace: BATCH_CONCURRENCY, calm: 0, holdUntil: 0, pauses: 0 };

/**
 * The pace after a store has asked for time.
 * @param seconds that the store asked for, if it said how many
 */
export function slowed(
  { pace, pauses }: Pace,
  seconds: number | undefined,
  { now, random }: { readonly now: number; readonly random: () => number },
): Pace {
  const wait = backoff(pauses, STORE_PAUSE_MS, MAX_STORE_PAUSE_MS, random);
  const asked = Math.min((seconds ?? 0) * 1_000, MAX_ASKED_PAUSE_MS);
  return {
    pace: Math.max(1, Math.floor(pace / 2)),
    calm: 0,
    holdUntil: now + Math.max(wait, asked),
    pauses: pauses + 1,
  };
}

/** Whether a store has asked for time so often that its batch stands still. */
export function isTooSlow({ pauses }: Pace): boolean {
  return pauses >= MAX_STORE_PAUSES;
}

/** The pace after an answer of a store that asked for nothing. */
export function quickened({ pace, calm, holdUntil }: Pace): Pace {
  const isCalm = calm + 1 >= CALM_ANSWERS;
  return {
    pace: isCalm ? Math.min(BATCH_CONCURRENCY, pace + 1) : pace,
    calm: isCalm ? 0 : calm + 1,
    holdUntil,
    pauses: 0,
  };
}
