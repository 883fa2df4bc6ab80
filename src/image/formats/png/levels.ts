/** How hard deflate works: its levels, what they take, and which one a picture is worth. */
import { type Price, priced } from "../../../../wasm/price.ts";

/** What decides how long a level takes: where little repeats, more is searched for. */
export type Kind = "photograph" | "flat";

/** How filtered rows are compressed. */
export interface Compression {
  /** The level of deflate, 1 to 12. */
  readonly level: number;
  readonly kind: Kind;
}

interface Level extends Readonly<Record<Kind, number>> {
  readonly level: number;
}

/**
 * Nanoseconds for a pixel of three bytes: roughly measured, and up to twice what most photographs take. From 10 on
 * deflate parses near-optimally, which pays most; level 1 takes matches only where they pay, which for photographs is
 * the best of all and the fastest.
 */
const NANOSECONDS: readonly Level[] = [
  { level: 12, photograph: 1_200, flat: 1_200 },
  { level: 11, photograph: 900, flat: 400 },
  { level: 10, photograph: 600, flat: 200 },
  { level: 9, photograph: 400, flat: 50 },
  { level: 8, photograph: 250, flat: 40 },
  { level: 7, photograph: 100, flat: 30 },
  { level: 6, photograph: 60, flat: 20 },
  { level: 5, photograph: 55, flat: 14 },
  { level: 4, photograph: 50, flat: 14 },
  { level: 1, photograph: 48, flat: 14 },
];

/** The lowest level that costs time worth weighing; below it time is no matter. */
const LEAST_WEIGHED_LEVEL = 6;
const FASTEST_LEVEL = 5;
/** Enough to tell choices apart. */
export const TRIAL_LEVEL = 4;
/** The level that is made for what filters leave of photographs. */
export const PHOTOGRAPH_LEVEL = 1;

/** A picture is flat when it takes less than this part of its raw size. */
const FLAT_RATIO = 0.08;
/**
 * Milliseconds for the last compression at full effort; half the effort, which is usual, may take a thirteenth of them.
 */
const MAX_MS = 2_000;
const EFFORT_POWER = 3.7;

/**
 * How `pixels` pixels are compressed at an effort of 0 to 1.
 * @param ratio how far a trial compressed them, of their raw size; unknown by default, which is a photograph's
 */
export function compressionFor(pixels: number, effort: number, ratio = 1): Compression {
  const ms = MAX_MS * effort ** EFFORT_POWER;
  const kind = ratio < FLAT_RATIO ? "flat" : "photograph";
  const affordable = NANOSECONDS.find((row) => row.level >= LEAST_WEIGHED_LEVEL && (row[kind] * pixels) / 1e6 <= ms);
  return { level: affordable?.level ?? FASTEST_LEVEL, kind };
}

/** The price of compressing so many pixels once they are filtered. */
export function deflatePrice({ level, kind }: Compression, pixels: number): Price {
  const row = NANOSECONDS.find((known) => known.level === level);
  if (!row) throw new RangeError(`no price is known of level ${level}`);
  return priced(0, pixels, row[kind]);
}

/** The higher of the prices of compressing a picture of which it is not known whether it is flat. */
export function lastCompressionMs(pixels: number, effort: number): number {
  const msFor = (ratio: number) => deflatePrice(compressionFor(pixels, effort, ratio), pixels).ms;
  return Math.max(msFor(0), msFor(1));
}
