/** What the numbers from 1 to 100 mean in JPEG XL: fitted so that equal numbers look like JPEG's. */

/**
 * Qualities, and the distance at which libjxl, in steps of what can just be seen, loses as many points of SSIMULACRA 2.1 as
 * JPEG does at that quality: the medians over nineteen photographs.
 */
const DISTANCES: readonly (readonly [quality: number, distance: number])[] = [
  [1, 11.8],
  [8, 9.2],
  [15, 7.1],
  [25, 5],
  [35, 4.4],
  [45, 4.1],
  [55, 3.6],
  [65, 3.1],
  [75, 2.45],
  [80, 2.1],
  [85, 1.8],
  [92, 1.1],
  [96, 0.65],
  [100, 0.16],
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
