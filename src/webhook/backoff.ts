/** How long to wait before the next try: twice as long after each, and never all at the same moment. */

/** The share by which waits differ from each other, to both sides. */
const SPREAD = 0.25;

/** A wait, spread around its length, so that what failed together does not come back together. */
export function spread(milliseconds: number, random: () => number): number {
  return Math.round(milliseconds * (1 - SPREAD + 2 * SPREAD * random()));
}

/**
 * The wait after so many tries that came to nothing.
 * @param tries 0: none before this one
 */
export function backoff(tries: number, firstMs: number, mostMs: number, random: () => number): number {
  return spread(Math.min(mostMs, firstMs * 2 ** tries), random);
}
