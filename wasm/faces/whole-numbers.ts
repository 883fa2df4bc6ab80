/** Weights of networks as whole numbers, for the scripts that compile them. */

/** Neighboring outputs that are computed together. */
export const LANES = 4;

/** From so many weights on those of a layer are coarser. */
export const MANY = 10_000;

/** Of its largest weight, what an output's largest whole number may stand for: what is larger is cut. */
const CUTS = [1, 0.9, 0.8, 0.7];

/** The weights of one output. */
export interface WholeNumbers {
  readonly numbers: Int8Array;
  /** What the largest number that there may be stands for. */
  readonly most: number;
}

/**
 * Whole numbers of at most `limit`, so that the squares of what is lost are least.
 * @param stored what becomes of `most` where it is written
 */
export function wholeNumbers(
  weights: readonly number[],
  limit: number,
  stored = (most: number): number => most,
): WholeNumbers {
  const largest = Math.max(...weights.map(Math.abs));
  const tried = CUTS.map((cut) => {
    const most = stored(largest * cut);
    const step = most / limit;
    const numbers = Int8Array.from(weights, (weight) =>
      step > 0 ? Math.max(-limit, Math.min(limit, Math.round(weight / step))) : 0,
    );
    const lost = weights.reduce((sum, weight, at) => sum + (weight - (numbers[at] ?? 0) * step) ** 2, 0);
    return { most, numbers, lost };
  });
  return tried.reduce((best, other) => (other.lost < best.lost ? other : best));
}
