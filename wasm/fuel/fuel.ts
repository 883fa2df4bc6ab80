/**
 * What native code may take of the processor. The clock of a deployed isolate stands still while a module computes, and
 * nothing can interrupt it: modules that were made measurable (`instrument.ts`) count what they do, and end by
 * themselves.
 */
import type { Estimate } from "../estimate.ts";

/**
 * Operators that modules get done in a millisecond. Measured on the renderer and all decoders, pictures of all kinds:
 * 6 to 16 million (`npm run bench -- fuel`); with the fewest, what is given is a bound of time.
 */
export const UNITS_PER_MS = 6_000_000;

/** After so much work a module asks whether it may go on. The counter, of 31 bits, holds 350 ms. */
export const SLICE_MS = 10;

/** Real files take this many times their estimate at most, which is an upper bound for most; and some work has none. */
const ESTIMATE_FACTOR = 8;
const LEAST_MS = 500;
/** The processor time that the platform gives an invocation by default. */
const MOST_MS = 30_000;

/** What a job may still take, in milliseconds; the calls that it makes take from it. */
export class Fuel {
  leftMs: number;

  constructor(ms: number) {
    this.leftMs = ms;
  }
}

/** Enough for work of this estimate, whatever the file is like. */
export function fuelFor({ ms }: Pick<Estimate, "ms">): Fuel {
  return new Fuel(Math.min(MOST_MS, LEAST_MS + ms * ESTIMATE_FACTOR));
}

/** For calls of jobs that have no fuel of their own. */
export function fuelForAnyCall(): Fuel {
  return new Fuel(MOST_MS);
}
