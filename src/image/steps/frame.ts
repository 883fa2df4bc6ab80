/** Outlines: round corners, borders, ellipses. */
import { type Frame, framePrice, openFrame } from "../../../wasm/effects/colors.ts";
import { effectStep } from "../effect.ts";
import type { Size } from "../geometry.ts";
import type { RowStep } from "../operation.ts";

/** Gives a picture an outline, with antialiased edges: see `Frame`. */
export function frameStep({ width, height }: Size, frame: Frame): RowStep {
  const { outer, background } = frame;
  const cut = outer.radiusX > 0 && outer.radiusY > 0;
  return effectStep({
    width,
    height,
    opaque: (input) => input && (!cut || background[3] === 255),
    price: framePrice({ width, height }),
    open: () => openFrame({ width, height }, frame),
  });
}
