/** Blurs and their opposite: means and medians of what is around each pixel, edges extended. */
import {
  boxEstimate,
  discEstimate,
  type Extent,
  gaussianEstimate,
  MAX_GAUSSIAN_SIGMA,
  medianEstimate,
  openBox,
  openDisc,
  openGaussian,
  openMedian,
  openSharpen,
  sharpenEstimate,
} from "../../../wasm/effects/blurs.ts";
import { parallel, type Estimate } from "../../../wasm/estimate.ts";
import { openResampler, resamplerEstimate } from "../../../wasm/pixels/resampler.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import { effectStep, pump, rowStep, scaledGains } from "./effect.ts";
import type { Step } from "./operation.ts";

/** Below this a Gaussian changes nothing that 8 bits could hold. */
const MIN_SIGMA = 0.2;
/** What is left of a larger one after the reduction: smooth enough for cubic interpolation to restore it. */
const REDUCED_SIGMA = 4;

/** A Gaussian with a standard deviation of `sigma` pixels. */
export function gaussianSteps(extent: Extent, sigma: number): Step[] {
  if (sigma < MIN_SIGMA) return [];
  return [
    rowStep(
      extent,
      blurEstimate(extent, sigma),
      (rows) => blur(rows, sigma),
      scaledGains((map, scale) => gaussianSteps(map, sigma * scale)),
    ),
  ];
}

/**
 * Gaussian blur with a standard deviation of `sigma` pixels, edges extended. A large one is computed at a reduced
 * size, where it is small, and enlarged again: a blurred picture has no detail that this could lose, and both work
 * and memory stay bounded.
 */
export function blur(rows: Rows, sigma: number): Rows {
  if (sigma < MIN_SIGMA) return rows;
  const { width, height, opaque } = rows;
  if (sigma <= MAX_GAUSSIAN_SIGMA) return pump(rows, openGaussian(rows, sigma), { width, height, opaque });
  const small = reducedSize(rows, sigma);
  const blurred = openResampler({ ...optionsFor(rows, small), kernel: "gaussian", sigma });
  const reduced = pump(rows, blurred, { ...small, opaque });
  const enlarged = openResampler({ ...optionsFor(reduced, rows), kernel: "cubic" });
  return pump(reduced, enlarged, { width, height, opaque });
}

/** The size at which a large Gaussian is computed. */
function reducedSize({ width, height }: Size, sigma: number): Size {
  const factor = sigma / REDUCED_SIGMA;
  return { width: Math.max(1, Math.round(width / factor)), height: Math.max(1, Math.round(height / factor)) };
}

function blurEstimate(extent: Extent, sigma: number): Estimate {
  if (sigma <= MAX_GAUSSIAN_SIGMA) return gaussianEstimate(extent, sigma);
  const small = reducedSize(extent, sigma);
  return parallel(
    resamplerEstimate({ ...optionsFor({ ...extent, opaque: false }, small), kernel: "gaussian", sigma }),
    resamplerEstimate({ ...optionsFor({ ...small, opaque: false }, extent), kernel: "cubic" }),
  );
}

function optionsFor(source: Extent, { width, height }: Size) {
  return {
    sourceWidth: source.width,
    sourceHeight: source.height,
    box: { x: 0, y: 0, width: source.width, height: source.height },
    width,
    height,
    pixels: source.opaque ? "opaque" : "rgba",
  } as const;
}

/** The mean of a square, `radius` pixels to all sides; a whole number. */
export function boxSteps(extent: Extent, radius: number): Step[] {
  if (radius === 0) return [];
  const estimate = boxEstimate(extent, radius);
  const gains = scaledGains((map, scale) => boxSteps(map, Math.round(radius * scale)));
  return [effectStep(extent, { estimate, open: (rows) => openBox(rows, radius), gains })];
}

/** The median of a square, by channel, `radius` pixels to all sides; a whole number. */
export function medianSteps(extent: Extent, radius: number): Step[] {
  if (radius === 0) return [];
  const estimate = medianEstimate(extent, radius);
  const gains = scaledGains((map, scale) => medianSteps(map, Math.round(radius * scale)));
  return [effectStep(extent, { estimate, open: (rows) => openMedian(rows, radius), gains })];
}

/** Up to here a disc is applied as it is; the work per pixel grows with the radius. */
const DIRECT_RADIUS = 16;

/** The mean of a disc. A larger one is applied to a reduced picture, on which it has this radius: its rim stays sharp to 1/16 of it. */
export function discSteps(extent: Extent, radius: number): Step[] {
  if (radius < 1) return [];
  if (radius <= DIRECT_RADIUS) return [discStep(extent, radius)];
  const factor = radius / DIRECT_RADIUS;
  const small = { width: Math.ceil(extent.width / factor), height: Math.ceil(extent.height / factor) };
  return [
    { kind: "resize", ...small, kernel: "linear" },
    discStep({ ...small, opaque: extent.opaque }, DIRECT_RADIUS),
    { kind: "resize", width: extent.width, height: extent.height, kernel: "cubic" },
  ];
}

function discStep(extent: Extent, radius: number): Step {
  const estimate = discEstimate(extent, radius);
  const gains = scaledGains((map, scale) => discSteps(map, radius * scale));
  return effectStep(extent, { estimate, open: (rows) => openDisc(rows, radius), gains });
}

/** Unsharp masking of the luma: `c + amount * (Y - blurred Y)`, blurred by a Gaussian of `sigma` pixels. */
export function sharpenSteps(extent: Extent, sigma: number, amount: number): Step[] {
  if (amount === 0) return [];
  const estimate = sharpenEstimate(extent, sigma);
  return [effectStep(extent, { estimate, open: (rows) => openSharpen(rows, sigma, amount) })];
}
