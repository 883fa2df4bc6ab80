/** The windows in which requests are counted, by key. Pure: the clock is an argument. */
import { RATE_WINDOW_SECONDS } from "../limits.ts";

export interface Window {
  /** Milliseconds since the epoch. A window begins with its first request. */
  readonly startedAt: number;
  count: number;
}

/** By key, so that one busy key does not use up the requests of another. */
export type Windows = Map<string, Window>;

/** The window that a key is in, which begins where none goes on. */
export function windowOf(windows: Windows, key: string, now: number): Window {
  const known = windows.get(key);
  if (known && !isOver(known, now)) return known;
  for (const [other, window] of windows) if (isOver(window, now)) windows.delete(other);
  const window = { startedAt: now, count: 0 };
  windows.set(key, window);
  return window;
}

/** A clock set back starts a new window as well, rather than one that lasts longer than it may. */
function isOver(window: Window, now: number): boolean {
  return now >= window.startedAt + RATE_WINDOW_SECONDS * 1000 || now < window.startedAt - RATE_WINDOW_SECONDS * 1000;
}
