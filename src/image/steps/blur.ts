import { openResampler } from "../../../wasm/pixels/resampler.ts";
import { resampled } from "../resample.ts";
import type { Rows } from "../rows.ts";

/** Up to here a Gaussian is applied as it is; 3.3 times sigma to each side. */
const DIRECT_SIGMA = 6;
/** What is left of a larger one after the reduction: smooth enough for cubic interpolation to restore it. */
const REDUCED_SIGMA = 4;

/**
 * Gaussian blur with a standard deviation of `sigma` pixels, edges extended. A large one is computed at a reduced
 * size, where it is small, and enlarged again: a blurred picture has no detail that this could lose, and both work
 * and memory stay bounded.
 */
export function blur(rows: Rows, sigma: number): Rows {
  if (sigma < 0.2) return rows;
  const { width, height } = rows;
  const factor = sigma <= DIRECT_SIGMA ? 1 : sigma / REDUCED_SIGMA;
  const small = { width: Math.max(1, Math.round(width / factor)), height: Math.max(1, Math.round(height / factor)) };
  const blurred = openResampler({
    ...optionsFor(rows, small),
    kernel: "gaussian",
    sigma,
  });
  const reduced = resampled(rows, blurred, small);
  if (factor === 1) return reduced;
  return resampled(reduced, openResampler({ ...optionsFor(reduced, rows), kernel: "cubic" }), { width, height });
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
