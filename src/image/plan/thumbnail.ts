/** Small versions of a picture, for whoever looks at it rather than works on it. */
import { parallel, type Estimate } from "../../../wasm/estimate.ts";
import { LOOK_BYTES, LOOK_BYTES_PER_PIXEL, type Step } from "../steps/operation.ts";
import { type Plan, planSteps, storedSize } from "./plan.ts";
import { pictureEstimate, type Stored } from "./planned-picture.ts";

/** The picture that `steps` make of a file, reduced until no side is longer than `maxSide` pixels. */
export function smallVersion(stored: Stored, steps: readonly Step[], maxSide: number): Plan {
  const { size } = planSteps(storedSize(stored.facts), steps);
  const factor = Math.min(1, maxSide / Math.max(size.width, size.height));
  const width = Math.max(1, Math.round(size.width * factor));
  const height = Math.max(1, Math.round(size.height * factor));
  const small = [...steps, { kind: "resize", width, height, kernel: "linear" } as const];
  return planSteps(storedSize(stored.facts), small);
}

/**
 * The estimate of looking at a small version, its pixels included.
 * @param lookMs milliseconds that the look takes once the pixels are there
 * @param pixelBytes bytes that it holds for each of them, beside LOOK_BYTES
 */
export function thumbnailEstimate(
  stored: Stored,
  small: Plan,
  lookMs: number,
  pixelBytes = LOOK_BYTES_PER_PIXEL,
): Estimate {
  const { width, height } = small.size;
  return parallel(pictureEstimate(stored, small), { bytes: width * height * pixelBytes + LOOK_BYTES, ms: lookMs });
}
