import * as v from "valibot";

import {
  boxPeakBytes,
  discPeakBytes,
  medianPeakBytes,
  openBox,
  openDisc,
  openMedian,
} from "../../../wasm/effects/blurs.ts";
import { decimal, oneOf, record } from "../../fields.ts";
import { effectStep, rowStep } from "../effect.ts";
import { filter } from "../filter.ts";
import type { Size } from "../geometry.ts";
import type { Step } from "../operation.ts";
import { blur as gaussian, blurPeakBytes, MIN_SIGMA } from "../steps/blur.ts";
import { motionSteps } from "../steps/motion.ts";
import { zoomSteps } from "../steps/zoom.ts";

const Blur = record({
  mode: v.optional(oneOf(["gaussian", "box", "disc", "motion", "zoom", "median"]), "gaussian"),
  value: decimal(0, 100),
  angle: v.optional(decimal(-360, 360), 0),
});

export const blur = filter({
  summary:
    "Blurs. `value` is in pixels: the standard deviation of `gaussian`; the radius of `box`, `disc` and `median`; half the way of `motion`, which goes in the direction `angle`, clockwise from the right. For `zoom` it is per cent of half the way to the center.",
  params: Blur,
  plan({ mode, value, angle }, { size }) {
    switch (mode) {
      case "gaussian":
        if (value < MIN_SIGMA) return [];
        return [rowStep(size, blurPeakBytes(size, value), (rows) => gaussian(rows, value))];
      case "box":
        return boxSteps(size, Math.round(value));
      case "median":
        return medianSteps(size, Math.round(value));
      case "disc":
        return discSteps(size, value);
      case "motion":
        return motionSteps(size, value, angle);
      case "zoom":
        return zoomSteps(size, value / 200);
    }
  },
});

function boxSteps({ width, height }: Size, radius: number): Step[] {
  if (radius === 0) return [];
  const peakBytes = boxPeakBytes(width, radius);
  return [effectStep({ width, height, peakBytes, open: () => openBox(width, height, radius) })];
}

function medianSteps({ width, height }: Size, radius: number): Step[] {
  if (radius === 0) return [];
  const peakBytes = medianPeakBytes(width, radius);
  return [effectStep({ width, height, peakBytes, open: ({ opaque }) => openMedian(width, height, radius, opaque) })];
}

/** Up to here a disc is applied as it is; the work per pixel grows with the radius. */
const DIRECT_RADIUS = 16;

/** A larger disc is applied to a reduced picture, on which it has this radius: its rim stays sharp to 1/16 of it. */
function discSteps(size: Size, radius: number): Step[] {
  if (radius < 1) return [];
  if (radius <= DIRECT_RADIUS) return [discStep(size, radius)];
  const factor = radius / DIRECT_RADIUS;
  const small = { width: Math.ceil(size.width / factor), height: Math.ceil(size.height / factor) };
  return [
    { kind: "resize", ...small, kernel: "linear" },
    discStep(small, DIRECT_RADIUS),
    { kind: "resize", ...size, kernel: "cubic" },
  ];
}

function discStep({ width, height }: Size, radius: number): Step {
  return effectStep({
    width,
    height,
    peakBytes: discPeakBytes(width, radius),
    open: ({ opaque }) => openDisc(width, height, radius, opaque),
  });
}
