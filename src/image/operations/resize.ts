/** Pictures of another size. */
import * as v from "valibot";

import { flag, hexColor, lenientInteger, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
import { parseColor } from "../color.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import type { Size } from "../geometry.ts";
import { GRAVITIES, place, placeAround, placeAtShare, placeInside, point, seeksFaces } from "../gravity.ts";
import { operation, type Stage, type Step } from "../operation.ts";
import { extend } from "../steps/extend.ts";

const side = lenientInteger(1, MAX_SIDE_PIXELS);

const Resize = v.pipe(
  record({
    width: v.optional(side),
    height: v.optional(side),
    mode: v.optional(oneOf(["auto", "fit", "fill", "exact"]), "auto"),
    gravity: v.optional(oneOf(GRAVITIES), "center"),
    focus: v.optional(point()),
    position: v.optional(point()),
    upscale: v.optional(flag(), true),
    background: v.optional(hexColor(), "ffffff"),
    linear: v.optional(flag(), false),
  }),
  v.check(({ width, height }) => width !== undefined || height !== undefined, "needs width or height"),
  v.check(
    ({ mode, width, height }) => mode === "auto" || (width !== undefined && height !== undefined),
    "needs width and height in the modes fit, fill and exact",
  ),
);
type Resize = v.InferOutput<typeof Resize>;

export const resize = operation({
  summary:
    "Changes the size. `auto` keeps the aspect ratio inside width and height, `fit` covers them and cuts off the excess, `fill` fits inside and pads with `background`, `exact` stretches. The gravities `face` (the most prominent) and `faces` (all) keep faces in the middle of what `fit` leaves. Instead of `gravity`, `focus` is a point that comes to its middle as far as the picture reaches, and `position` one that keeps its share of width and height (x and y from 0 to 1). `upscale: false` never enlarges. `linear` filters light, not encoded values: fine bright detail (stars, threads, print) stays as bright as it is, for more processor time.",
  params: Resize,
  looks: ({ mode, gravity, focus, position }) =>
    mode === "fit" && !focus && !position && seeksFaces(gravity) ? FACE_SIDE : 0,
  plan(params, stage): Step[] | Promise<Step[]> {
    const { size } = stage;
    switch (params.mode) {
      case "exact":
        return [scaled(exactSize(params, size), params)];
      case "fit":
        return cover(params, stage);
      case "fill":
        return pad(params, size);
      case "auto":
        return [scaled(inside(params, size), params)];
    }
  },
});

function scaled(size: Size, { linear }: Resize): Step {
  return { kind: "resize", ...size, kernel: "lanczos3", linear };
}

/** The largest size with the picture's aspect ratio inside the box that is asked for; a missing side is free. */
function inside({ width, height, upscale }: Resize, size: Size): Size {
  const factor = Math.min(
    (width ?? Number.POSITIVE_INFINITY) / size.width,
    (height ?? Number.POSITIVE_INFINITY) / size.height,
    upscale ? Number.POSITIVE_INFINITY : 1,
  );
  return { width: pixels(size.width * factor), height: pixels(size.height * factor) };
}

function exactSize({ width = 1, height = 1, upscale }: Resize, size: Size): Size {
  if (upscale) return { width, height };
  return { width: Math.min(width, size.width), height: Math.min(height, size.height) };
}

/** Scales until the box is covered, then cuts off what stands out; the cut is made on the larger picture. */
async function cover(params: Resize, { size, faces }: Stage): Promise<Step[]> {
  const { width, height } = exactSize(params, size);
  const factor = Math.max(width / size.width, height / size.height);
  const region = { width: Math.min(size.width, width / factor), height: Math.min(size.height, height / factor) };
  const { focus, position, gravity } = params;
  const at = focus
    ? placeAround(region, size, focus)
    : position
      ? placeAtShare(region, size, position)
      : await placeInside(region, size, gravity, faces);
  return [{ kind: "crop", box: { ...at, ...region } }, scaled({ width, height }, params)];
}

function pad(params: Resize, size: Size): Step[] {
  const { width = 1, height = 1 } = params;
  const fitted = inside(params, size);
  const at = place(fitted, { width, height }, seeksFaces(params.gravity) ? "center" : params.gravity);
  const offset = { x: Math.round(at.x), y: Math.round(at.y) };
  return [scaled(fitted, params), extend(fitted, { width, height }, offset, parseColor(params.background))];
}

function pixels(value: number): number {
  return Math.max(1, Math.round(value));
}
