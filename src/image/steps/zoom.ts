/** Blurs toward the center. */
import { type Extent, openZoom, ZOOM_SAMPLES, zoomEstimate } from "../../../wasm/effects/blurs.ts";
import { effectStep } from "./effect.ts";
import type { GainSteps, Step } from "./operation.ts";

/**
 * The mean over the way from each pixel toward the center, as far as `share` of it. The samples are at most about a
 * pixel apart in the corners, which are furthest away; those of several passes multiply.
 */
export function zoomSteps(extent: Extent, share: number): Step[] {
  const { width, height } = extent;
  const longest = (Math.hypot(width, height) / 2) * share;
  if (longest < 0.5) return [];
  const passes = Math.max(1, Math.ceil(Math.log(longest + 1) / Math.log(ZOOM_SAMPLES)));
  const ratio = (1 - share) ** (1 / (ZOOM_SAMPLES ** passes - 1));
  return Array.from({ length: passes }, (_, pass) => {
    const gains: GainSteps = ({ map }) => (pass === 0 ? zoomSteps({ ...map, opaque: true }, share) : []);
    const passRatio = ratio ** (ZOOM_SAMPLES ** pass);
    return effectStep({
      width,
      height,
      estimate: zoomEstimate(extent, passRatio),
      open: (rows) => openZoom(rows, passRatio),
      gains,
    });
  });
}
