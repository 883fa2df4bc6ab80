/** Faces from the small version in which they are found to the picture of the request. */
import { type Box, invertOrientation, type Size, turnBox } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";
import { sizeAfter } from "../plan/plan.ts";
import type { Step } from "../steps/operation.ts";
import { rotatedBack } from "../steps/rotate.ts";

/** Boxes of a small version, in pixels of the large one. */
export function enlarged(boxes: readonly Box[], small: Size, large: Size): Box[] {
  return boxes.map((box) => scaled(box, large.width / small.width, large.height / small.height));
}

/** Regions of what `steps` make of a picture of this size, in whole pixels of that picture. */
export function reported(boxes: readonly Box[], steps: readonly Step[], size: Size): Box[] {
  return boxes.flatMap((box) => {
    const before = boxBefore(steps, size, box);
    return before ? [snapped(before, size)] : [];
  });
}

/** A point of what `steps` make of a picture, in shares of that picture; undefined when a step cannot say. */
export function reportedPoint({ x, y }: Point, shown: Size, steps: readonly Step[], size: Size): Point | undefined {
  const at = { x: x * shown.width, y: y * shown.height, width: 0, height: 0 };
  const before = boxBefore(steps, size, at);
  if (!before) return undefined;
  const share = (place: number, side: number) => clamp(Math.round((place / side) * 1_000) / 1_000, 0, 1);
  return { x: share(before.x, size.width), y: share(before.y, size.height) };
}

/** The region in whole pixels, at least one, inside the picture. */
export function snapped(box: Box, size: Size): Box {
  const x = clamp(Math.round(box.x), 0, size.width - 1);
  const y = clamp(Math.round(box.y), 0, size.height - 1);
  const right = clamp(Math.round(box.x + box.width), x + 1, size.width);
  const bottom = clamp(Math.round(box.y + box.height), y + 1, size.height);
  return { x, y, width: right - x, height: bottom - y };
}

/** Where a region of what `steps` make of a picture lies in that picture; null when a step cannot say. */
function boxBefore(steps: readonly Step[], size: Size, box: Box): Box | null {
  const [step, ...rest] = steps;
  if (!step) return box;
  const after = sizeAfter(step, size);
  const later = boxBefore(rest, after, box);
  return later && undo(step, size, after, later);
}

function undo(step: Step, before: Size, after: Size, box: Box): Box | null {
  switch (step.kind) {
    case "turn":
      return turnBox(box, after, invertOrientation(step.orientation));
    case "crop":
      return { ...box, x: box.x + step.box.x, y: box.y + step.box.y };
    case "resize":
      return scaled(box, before.width / after.width, before.height / after.height);
    case "rotate":
      return rotatedBack(box, before, step);
    case "rows":
      return null;
  }
}

function scaled({ x, y, width, height }: Box, across: number, down: number): Box {
  return { x: x * across, y: y * down, width: width * across, height: height * down };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
