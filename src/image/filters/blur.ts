/** The filter that blurs, in its modes. */
import * as v from "valibot";

import { decimal, oneOf, record } from "../../fields.ts";
import { boxSteps, discSteps, gaussianSteps, medianSteps } from "../steps/blur.ts";
import { filter } from "../steps/filter.ts";
import { motionSteps } from "./blur/motion.ts";
import { zoomSteps } from "./blur/zoom.ts";

const Blur = record({
  mode: v.optional(oneOf(["gaussian", "box", "disc", "motion", "zoom", "median"]), "gaussian"),
  value: decimal(0, 100),
  angle: v.optional(decimal(-360, 360), 0),
});

export const blur = filter({
  summary:
    "Blurs. `value` is in pixels: the standard deviation of `gaussian`; the radius of `box`, `disc` and `median`; half the way of `motion`, which goes in the direction `angle`, clockwise from the right. For `zoom` it is per cent of half the way to the center.",
  params: Blur,
  plan({ mode, value, angle }, { size, opaque }) {
    const extent = { ...size, opaque };
    switch (mode) {
      case "gaussian":
        return gaussianSteps(extent, value);
      case "box":
        return boxSteps(extent, Math.round(value));
      case "median":
        return medianSteps(extent, Math.round(value));
      case "disc":
        return discSteps(extent, value);
      case "motion":
        return motionSteps(extent, value, angle);
      case "zoom":
        return zoomSteps(extent, value / 200);
    }
  },
});
