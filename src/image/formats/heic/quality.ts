/** What the numbers from 1 to 100 mean in HEVC: fitted so that equal numbers look like JPEG's. */

/**
 * Qualities, and the quantization parameter at which HEVC looks as our JPEG of that quality does: the medians over ten
 * photographs of equal SSIMULACRA 2.1 scores. From 95 on chroma at half resolution keeps most photographs behind.
 */
const PARAMETERS: readonly (readonly [quality: number, parameter: number])[] = [
  [1, 45],
  [10, 38],
  [20, 35],
  [30, 33],
  [50, 31],
  [60, 29.5],
  [70, 28],
  [80, 26],
  [85, 24],
  [90, 20],
  [95, 15],
  [98, 8],
  [100, 2],
];

/** The quantization parameter for a quality, a whole number. */
export function quantizerOf(quality: number): number {
  return Math.round(between(PARAMETERS, quality));
}

/** The quality from 1 to 100 that a quantization parameter of 8-bit samples was chosen for. */
export function qualityOf(parameter: number): number {
  const inverse = PARAMETERS.map(([quality, at]) => [at, quality] as const).toReversed();
  return Math.max(1, Math.min(100, Math.round(between(inverse, parameter))));
}

/** Between the points of a curve, which go from left to right; beyond them it is level. */
function between(points: readonly (readonly [x: number, y: number])[], x: number): number {
  const right = points.findIndex(([at]) => at >= x);
  if (right <= 0) return points.at(right)![1];
  const [fromX, fromY] = points[right - 1]!;
  const [toX, toY] = points[right]!;
  return fromY + ((toY - fromY) * (x - fromX)) / (toX - fromX);
}
