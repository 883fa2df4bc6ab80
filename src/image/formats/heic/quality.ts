/** What the numbers from 1 to 100 mean in HEVC: fitted so that equal numbers look like JPEG's. */

/** Qualities and the quantization parameters of pictures that look as a JPEG of that quality does. */
const PARAMETERS: readonly (readonly [quality: number, parameter: number])[] = [
  [1, 51],
  [100, 4],
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
