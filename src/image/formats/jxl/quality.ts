/** What the numbers from 1 to 100 mean in JPEG XL: fitted so that equal numbers look like JPEG's. */

/**
 * Qualities, and the distance at which libjxl, in steps of what can just be seen, loses as many points of SSIMULACRA 2.1 as
 * JPEG does at that quality: the medians over sixteen photographs.
 */
const DISTANCES: readonly (readonly [quality: number, distance: number])[] = [
  [1, 19.4],
  [8, 15.8],
  [15, 12.2],
  [25, 8.75],
  [35, 6.65],
  [45, 5.95],
  [55, 5.3],
  [65, 4.6],
  [75, 3.85],
  [80, 3.4],
  [85, 3],
  [92, 2.05],
  [96, 1.3],
  [100, 0.67],
];

/** The distance for a quality of 1 to 100; from one point to the next it grows by a constant factor. */
export function distanceOf(quality: number): number {
  const above = Math.max(
    1,
    DISTANCES.findIndex(([at]) => at >= quality),
  );
  const [low, far] = DISTANCES[above - 1]!;
  const [high, near] = DISTANCES[above]!;
  return far * (near / far) ** ((quality - low) / (high - low));
}
