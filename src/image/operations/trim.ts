/** Edges cut off: those of one color, or transparent ones. */
import * as v from "valibot";

import { ApiError } from "../../errors.ts";
import { decimal, hexColor, integer, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { type Box, isWhole, type Size } from "../pixels/geometry.ts";
import { operation, type Step } from "../steps/operation.ts";
import { contentBox, MARGIN_COLUMN_BYTES, MARGIN_NANOSECONDS } from "./trim/margins.ts";

/** Levels of 255, as other tools have it. */
const DEFAULT_THRESHOLD = 10;
const MAX_THRESHOLD = 255;
const cut = v.optional(decimal(0, MAX_SIDE_PIXELS));

const Members = record({
  threshold: v.optional(decimal(0, MAX_THRESHOLD)),
  color: v.optional(hexColor()),
  padding: v.optional(integer(0, MAX_SIDE_PIXELS)),
  equal: v.optional(oneOf(["horizontal", "vertical", "both"])),
  top: cut,
  right: cut,
  bottom: cut,
  left: cut,
  width: cut,
  height: cut,
});
type Trim = v.InferOutput<typeof Members>;

const Trim = v.pipe(
  Members,
  v.check(
    (params) => !cutsFixed(params) || !looksForEdges(params),
    "must have either top, right, bottom, left, width and height, or threshold, color, padding and equal",
  ),
);

/** Whether it is said how much is cut off. */
function cutsFixed({ top, right, bottom, left, width, height }: Trim): boolean {
  return [top, right, bottom, left, width, height].some((side) => side !== undefined);
}

function looksForEdges({ threshold, color, padding, equal }: Trim): boolean {
  return [threshold, color, padding, equal].some((member) => member !== undefined);
}

export const trim = operation({
  summary:
    "Removes edges of one color (of `color`, or that of the corners) or transparent ones, before all other operations. A pixel belongs to an edge while no channel differs by more than `threshold` levels of 255 after a median of 3 x 3 pixels, which takes away specks; thin lines that differ by four times as much stay. `threshold: 0` takes away nothing but that very color. `padding` leaves so many pixels of the edges, `equal` cuts as much from opposite sides as the side with less. A picture of one color stays as it is; an animation is cut to what any of its frames shows. `top`, `right`, `bottom`, `left`, `width` and `height` cut off so much instead: pixels, or below 1 a part of the side.",
  params: Trim,
  scans: (params) =>
    cutsFixed(params) ? undefined : { nanosecondsPerPixel: MARGIN_NANOSECONDS, columnBytes: MARGIN_COLUMN_BYTES },
  async plan(params, { size, colorOf, findBox, timeSlice }): Promise<Step[]> {
    const { threshold = DEFAULT_THRESHOLD, color } = params;
    const margin = { threshold, color: color === undefined ? undefined : colorOf(color) };
    const box = cutsFixed(params)
      ? fixedBox(params, size)
      : widened(await findBox((frames) => contentBox(frames, margin, timeSlice)), params, size);
    return box && !isWhole(box, size) ? [{ kind: "crop", box }] : [];
  },
});

/** What is left by members that say how much is cut off. */
function fixedBox(params: Trim, size: Size): Box {
  const [x, width] = leftOf(size.width, params.left, params.right, params.width);
  const [y, height] = leftOf(size.height, params.top, params.bottom, params.height);
  if (width < 1 || height < 1) throw new ApiError(422, "trim must leave something of the image");
  return { x, y, width, height };
}

/** Where what is left of a side begins, and how much that is. */
function leftOf(side: number, before = 0, after = 0, length = side): readonly [start: number, length: number] {
  // A part of the side is below one; so are no pixels.
  const pixels = (value: number) => Math.round(value < 1 ? value * side : value);
  const start = pixels(before);
  return [start, Math.min(side - pixels(after), start + pixels(length)) - start];
}

/** The box with as much around it as is to stay of the edges. */
function widened(box: Box | undefined, { padding = 0, equal }: Trim, size: Size): Box | undefined {
  if (!box) return undefined;
  const across = equal === "horizontal" || equal === "both";
  const down = equal === "vertical" || equal === "both";
  const [x, width] = kept(size.width, box.x, box.width, padding, across);
  const [y, height] = kept(size.height, box.y, box.height, padding, down);
  return { x, y, width, height };
}

/** Along one side. */
function kept(
  side: number,
  start: number,
  length: number,
  padding: number,
  isEqual: boolean,
): readonly [number, number] {
  const before = Math.max(0, start - padding);
  const after = Math.max(0, side - start - length - padding);
  const least = Math.min(before, after);
  return isEqual ? [least, side - 2 * least] : [before, side - before - after];
}
