/** Bytes of native memory that scoring takes, from what score.h, plan.h and their likes allocate. */

interface Extent {
  readonly width: number;
  readonly height: number;
}

/** Pixels; a smaller picture has no score. */
export const MIN_SCORED_SIDE = 8;

/** Channels of a scale whose means are kept, and of them those whose variances are. */
interface Channels {
  readonly means: number;
  readonly variances: number;
}

/** The channels that count on each scale, by the weights of the metric; see NEGLIGIBLE_WEIGHT in plan.h. */
const CHANNELS: readonly Channels[] = [
  { means: 1, variances: 1 },
  { means: 2, variances: 2 },
  { means: 2, variances: 2 },
  { means: 3, variances: 3 },
  { means: 3, variances: 2 },
  { means: 0, variances: 0 },
];
/** A picture that is too small for all scales has all maps. */
const ALL_CHANNELS: Channels = { means: 3, variances: 3 };

const FLOAT = 4;
/** Rows of a blur: a ring, and what the columns remember. */
const BLUR_ROWS = 14 + 6;
/** Rows that are kept of pixels of both pictures, and of means and variances of the first. */
const STEP_ROWS = 8;
/** Rows of the widest scale besides: a batch of four as columns, one of zeros and one to spare. */
const WORK_ROWS = 6;
/** Two rows of three planes, of which the next scale is made. */
const PYRAMID_ROWS = 6;
/** Colors on a background, the rest of the structures, what an allocation takes and pages that are begun. */
const FIXED_BYTES = 256 * 1024;

interface Scale extends Channels {
  /** Floats of a row. */
  readonly stride: number;
  readonly height: number;
}

function scalesOf({ width, height }: Extent): readonly Scale[] {
  const sizes: Extent[] = [];
  for (let size: Extent = { width, height }; sizes.length < CHANNELS.length; size = halfOf(size)) {
    const before = sizes.at(-1);
    if (before && Math.min(before.width, before.height) < MIN_SCORED_SIDE) break;
    sizes.push(size);
  }
  const channels = sizes.length < CHANNELS.length ? sizes.map(() => ALL_CHANNELS) : CHANNELS;
  return sizes.map((size, index) => ({
    stride: Math.ceil(size.width / 4) * 4,
    height: size.height,
    ...(channels[index] ?? ALL_CHANNELS),
  }));
}

function halfOf({ width, height }: Extent): Extent {
  return { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
}

function sum(scales: readonly Scale[], floats: (scale: Scale) => number): number {
  return scales.reduce((total, scale) => total + floats(scale), 0) * FLOAT;
}

/** Bytes that comparing two pictures in step takes, on one background. */
export function steppingBytes(size: Extent): number {
  const scales = scalesOf(size);
  const ofFirst = sum(
    scales,
    ({ stride, means, variances }) => stride * ((means + variances) * BLUR_ROWS + PYRAMID_ROWS),
  );
  const ofSecond = sum(
    scales,
    ({ stride, means, variances }) => stride * ((means + 2 * variances) * BLUR_ROWS + PYRAMID_ROWS + 1),
  );
  const kept = sum(scales, ({ stride, means, variances }) => stride * STEP_ROWS * (3 * means + variances));
  return kept + ofFirst + ofSecond + 2 * (size.width * WORK_ROWS * FLOAT + FIXED_BYTES);
}
