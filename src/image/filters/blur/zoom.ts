/** Blurs toward the center. */
import { type Extent, openZoom, ZOOM_SAMPLES, zoomEstimate } from "../../../../wasm/effects/blurs.ts";
import { effectStep, scaledGains } from "../../steps/effect.ts";
import type { Step } from "../../steps/operation.ts";

/**
 * The mean over the way from each pixel toward the center, as far as `share` of it. The samples are at most about a
 * pixel apart in the corners, which are furthest away; those of several passes multiply.
 */
export function zoomSteps(extent: Extent, share: number): Step[] {
  const longest = (Math.hypot(extent.width, extent.height) / 2) * share;
  if (longest < 0.5) return [];
  const passes = Math.max(1, Math.ceil(Math.log(longest + 1) / Math.log(ZOOM_SAMPLES)));
  const ratio = (1 - share) ** (1 / (ZOOM_SAMPLES ** passes - 1));
  return Array.from({ length: passes }, (_, pass) => {
    const gains = scaledGains((map) => (pass === 0 ? zoomSteps(map, share) : []));
    const passRatio = ratio ** (ZOOM_SAMPLES ** pass);
    const estimate = zoomEstimate(extent, passRatio);
    return effectStep(extent, { estimate, open: (rows) => openZoom(rows, passRatio), gains });
  });
}
