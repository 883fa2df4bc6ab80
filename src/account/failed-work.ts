/** Processor time of failed work, as an account has it held against it: plain data, which is forgotten evenly. */
import { RATE_WINDOW_SECONDS } from "../limits.ts";

export interface Failed {
  readonly ms: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What is forgotten in the time of a window. */
  readonly limitMs: number;
}

/** What is not forgotten yet. */
export function failedMs({ ms, at, limitMs }: Failed, now: number): number {
  return Math.max(0, ms - (limitMs * Math.max(0, now - at)) / (RATE_WINDOW_SECONDS * 1000));
}

/** Adds to it; no pause is longer than a window, however much failed at once. */
export function addedFailure(failed: Failed, ms: number, now: number): Failed {
  if (ms <= 0) return failed;
  const { limitMs } = failed;
  return { ms: Math.min(limitMs * 2, failedMs(failed, now) + ms), at: now, limitMs };
}

/** Seconds until it is below what may fail, of what it is at its own time; 0 when it is. */
export function pauseSeconds({ ms, limitMs }: Failed): number {
  const over = ms - limitMs;
  return over < 0 ? 0 : Math.max(1, Math.ceil((over / limitMs) * RATE_WINDOW_SECONDS));
}

/** When nothing of it is left, in milliseconds since the epoch; `now` when nothing is. */
export function forgottenAt({ ms, at, limitMs }: Failed, now: number): number {
  return ms > 0 ? at + (ms / limitMs) * RATE_WINDOW_SECONDS * 1000 : now;
}
