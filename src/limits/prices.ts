/** What the platform asks for each of its pieces. */

/** Kilobytes of one event of the logs. An assumption: the platform does not say how large its own are. */
export const EVENT_KB = 1.5;
/** Dollars for a gigabyte of events: taken in, and kept for seven days of a month. */
const EVENT_GB_DOLLARS = 0.25 + (0.1 * 7) / 30;

/** Dollars of the Workers Paid plan for a million of each, beyond what it includes, as documented in November 2026. */
export const PRICES = {
  requests: 0.3,
  cpuMs: 0.02,
  writes: 4.5,
  reads: 0.36,
  calls: 0.15,
  objectRows: 1,
  gbSeconds: 12.5,
  rows: 1,
  operations: 0.4,
  events: EVENT_KB * EVENT_GB_DOLLARS,
} as const;

export type Piece = keyof typeof PRICES;

export const PIECES = Object.keys(PRICES) as readonly Piece[];
