import { gaussianPeakBytes, MAX_GAUSSIAN_SIGMA, openGaussian } from "../../../wasm/effects/blurs.ts";
import { openResampler, resamplerPeakBytes } from "../../../wasm/pixels/resampler.ts";
import { pump } from "../effect.ts";
import type { Size } from "../geometry.ts";
import { resampled } from "../resample.ts";
import type { Rows } from "../rows.ts";

/** Below this a Gaussian changes nothing that 8 bits could hold. */
export const MIN_SIGMA = 0.2;
/** What is left of a larger one after the reduction: smooth enough for cubic interpolation to restore it. */
const REDUCED_SIGMA = 4;

/**
 * Gaussian blur with a standard deviation of `sigma` pixels, edges extended. A large one is computed at a reduced
 * size, where it is small, and enlarged again: a blurred picture has no detail that this could lose, and both work
 * and memory stay bounded.
 */
export function blur(rows: Rows, sigma: number): Rows {
  if (sigma < MIN_SIGMA) return rows;
  const { width, height, opaque } = rows;
  if (sigma <= MAX_GAUSSIAN_SIGMA) {
    return pump(rows, openGaussian(width, height, sigma, opaque), { width, height, opaque });
  }
  const small = reducedSize(rows, sigma);
  const blurred = openResampler({
    ...optionsFor(rows, small),
    kernel: "gaussian",
    sigma,
  });
  const reduced = resampled(rows, blurred, small);
  return resampled(reduced, openResampler({ ...optionsFor(reduced, rows), kernel: "cubic" }), { width, height });
}

/** The size at which a large Gaussian is computed. */
function reducedSize({ width, height }: Size, sigma: number): Size {
  const factor = sigma / REDUCED_SIGMA;
  return { width: Math.max(1, Math.round(width / factor)), height: Math.max(1, Math.round(height / factor)) };
}

/** Bytes of memory that the blur of a picture of this size holds at most. */
export function blurPeakBytes(size: Size, sigma: number): number {
  if (sigma <= MAX_GAUSSIAN_SIGMA) return Math.ceil(gaussianPeakBytes(size.width, sigma));
  const small = reducedSize(size, sigma);
  return peakBytes(size, small, sigma) + peakBytes(small, size);
}

function peakBytes(from: Size, to: Size, sigma?: number): number {
  const box = { x: 0, y: 0, ...from };
  const kernel = sigma === undefined ? ({ kernel: "cubic" } as const) : ({ kernel: "gaussian", sigma } as const);
  return resamplerPeakBytes({ sourceWidth: from.width, box, ...to, ...kernel, pixels: "rgba" });
}

function optionsFor(source: Rows, { width, height }: { width: number; height: number }) {
  return {
    sourceWidth: source.width,
    sourceHeight: source.height,
    box: { x: 0, y: 0, width: source.width, height: source.height },
    width,
    height,
    pixels: source.opaque ? "opaque" : "rgba",
  } as const;
}
