/** Outlines: round corners, borders, ellipses. */
import { type Frame, frameEstimate, openFrame, type Shape } from "../../../wasm/effects/colors.ts";
import type { Size } from "../pixels/geometry.ts";
import { effectStep } from "./effect.ts";
import type { GainStage, RowStep } from "./operation.ts";

/** Gives a picture an outline, with antialiased edges: see `Frame`. */
export function frameStep(size: Size, frame: Frame): RowStep {
  const { outer, background } = frame;
  const cut = outer.radiusX > 0 && outer.radiusY > 0;
  return effectStep(size, {
    opaque: (input) => input && (!cut || background[3] === 255),
    estimate: frameEstimate(size),
    open: () => openFrame(size, frame),
    gains: (stage) => [frameStep(stage.map, onMap(frame, stage))],
  });
}

/** The same outline on a gain map: what it paints has no gain. */
function onMap({ outer, inner }: Frame, { across, down, none }: GainStage): Frame {
  const scaled = ({ left, top, right, bottom, radiusX, radiusY }: Shape): Shape => ({
    left: left * across,
    top: top * down,
    right: right * across,
    bottom: bottom * down,
    radiusX: radiusX * across,
    radiusY: radiusY * down,
  });
  return {
    outer: scaled(outer),
    background: none,
    ...(inner && { inner: { shape: scaled(inner.shape), paint: none } }),
  };
}
