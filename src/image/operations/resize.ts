/** Pictures of another size. */
import * as v from "valibot";

import { flag, hexColor, lenientInteger, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import type { Size } from "../pixels/geometry.ts";
import {
  GRAVITIES,
  isSought,
  offsets,
  place,
  placeAround,
  placeAtShare,
  placeInside,
  placeOff,
  point,
} from "../pixels/gravity.ts";
import { extend } from "../steps/extend.ts";
import { operation, type Stage, type Step } from "../steps/operation.ts";

const side = lenientInteger(1, MAX_SIDE_PIXELS);

const Resize = v.pipe(
  record({
    width: v.optional(side),
    height: v.optional(side),
    min_width: v.optional(side),
    min_height: v.optional(side),
    mode: v.optional(oneOf(["auto", "fit", "fill", "exact", "match"]), "auto"),
    gravity: v.optional(oneOf(GRAVITIES), "center"),
    focus: v.optional(point()),
    position: v.optional(point()),
    offset: v.optional(offsets()),
    upscale: v.optional(flag(), true),
    background: v.optional(hexColor(), "ffffff"),
    linear: v.optional(flag(), false),
  }),
  v.check(
    (params) => params.width !== undefined || params.height !== undefined || hasLeast(params),
    "needs width or height",
  ),
  v.check(
    (params) => params.mode === "auto" || !hasLeast(params),
    "must have min_width and min_height in the mode auto only",
  ),
  v.check(
    ({ mode, width, height }) => mode === "auto" || (width !== undefined && height !== undefined),
    "needs width and height in the modes fit, fill, exact and match",
  ),
  v.check(
    ({ offset, focus, position, gravity }) => !offset || !(focus || position || isSought(gravity)),
    "must have offset with a gravity that is a direction only",
  ),
);
type Resize = v.InferOutput<typeof Resize>;

interface Least {
  readonly min_width?: number | undefined;
  readonly min_height?: number | undefined;
}

function hasLeast({ min_width: width, min_height: height }: Least): boolean {
  return width !== undefined || height !== undefined;
}

export const resize = operation({
  summary:
    "Changes the size. `auto` keeps the aspect ratio inside width and height, `fit` covers them and cuts off the excess, `fill` fits inside and pads with `background`, `exact` stretches, `match` is `fit` where picture and box are both upright or both not, else `auto`. The gravities `face` (the most prominent) and `faces` (all) keep faces in the middle of what `fit` leaves, `auto` the most prominent face, or else what stands out. Instead of `gravity`, `focus` is a point that comes to its middle as far as the picture reaches, and `position` one that keeps its share of width and height (x and y from 0 to 1). `offset` moves what a direction places away from its edges, or from the middle to the right and down: pixels of the result, or below 1 a part of the side of the whole (of the scaled picture, in the mode `fill` of the result), as far as there is something. `upscale: false` never enlarges. `min_width` and `min_height` do where the result of `auto` would be smaller, and what then stands out of width and height is cut off. `linear` filters light, not encoded values: fine bright detail (stars, threads, print) stays as bright as it is, for more processor time.",
  params: Resize,
  looks: (params) => {
    const { mode, gravity, focus, position } = params;
    const cuts = mode === "fit" || mode === "match" || hasLeast(params);
    return cuts && !focus && !position && isSought(gravity) ? FACE_SIDE : 0;
  },
  plan(params, stage): Step[] | Promise<Step[]> {
    const { size } = stage;
    switch (params.mode) {
      case "exact":
        return [scaled(exactSize(params, size), params)];
      case "fit":
        return cover(params, stage);
      case "match":
        return liesAlike(params, size) ? cover(params, stage) : [scaled(inside(params, size), params)];
      case "fill":
        return pad(params, stage);
      case "auto":
        return hasLeast(params) ? atLeast(params, stage) : [scaled(inside(params, size), params)];
    }
  },
});

/** Whether box and picture are both upright or both not; a square is not. */
function liesAlike({ width = 1, height = 1 }: Resize, size: Size): boolean {
  return height > width === size.height > size.width;
}

function scaled(size: Size, { linear }: Resize): Step {
  return { kind: "resize", ...size, kernel: "lanczos3", linear };
}

/** The largest size with the picture's aspect ratio inside the box that is asked for; a missing side is free. */
function inside(params: Resize, size: Size): Size {
  const factor = factorInside(params, size);
  return { width: pixels(size.width * factor), height: pixels(size.height * factor) };
}

function factorInside({ width, height, upscale }: Resize, size: Size): number {
  const isFree = width === undefined && height === undefined;
  return Math.min(
    (width ?? Number.POSITIVE_INFINITY) / size.width,
    (height ?? Number.POSITIVE_INFINITY) / size.height,
    upscale && !isFree ? Number.POSITIVE_INFINITY : 1,
  );
}

/** Scales into the box, but no further than the least sides allow, and cuts off what then stands out of the box. */
async function atLeast(params: Resize, stage: Stage): Promise<Step[]> {
  const { size } = stage;
  const { width = Infinity, height = Infinity, min_width: leastWidth = 0, min_height: leastHeight = 0 } = params;
  const factor = Math.max(factorInside(params, size), leastWidth / size.width, leastHeight / size.height);
  const whole = { width: pixels(size.width * factor), height: pixels(size.height * factor) };
  const wanted = { width: Math.min(width, whole.width), height: Math.min(height, whole.height) };
  const region = {
    width: Math.min(size.width, wanted.width / factor),
    height: Math.min(size.height, wanted.height / factor),
  };
  return cutOut(params, stage, region, wanted);
}

function exactSize({ width = 1, height = 1, upscale }: Resize, size: Size): Size {
  if (upscale) return { width, height };
  return { width: Math.min(width, size.width), height: Math.min(height, size.height) };
}

/** Scales until the box is covered, then cuts off what stands out; the cut is made on the larger picture. */
async function cover(params: Resize, stage: Stage): Promise<Step[]> {
  const { size } = stage;
  const { width, height } = exactSize(params, size);
  const factor = Math.max(width / size.width, height / size.height);
  const region = { width: Math.min(size.width, width / factor), height: Math.min(size.height, height / factor) };
  return cutOut(params, stage, region, { width, height });
}

/** A region of the picture, placed as the request says, in another size. */
async function cutOut(params: Resize, stage: Stage, region: Size, wanted: Size): Promise<Step[]> {
  const { size } = stage;
  const { focus, position, gravity, offset } = params;
  const at = focus
    ? placeAround(region, size, focus)
    : position
      ? placeAtShare(region, size, position)
      : offset && !isSought(gravity)
        ? placeOff(region, size, gravity, offset, region.width / wanted.width)
        : await placeInside(region, size, gravity, stage);
  return [{ kind: "crop", box: { ...at, ...region } }, scaled(wanted, params)];
}

function pad(params: Resize, { size, colorOf }: Stage): Step[] {
  const { width = 1, height = 1 } = params;
  const fitted = inside(params, size);
  const direction = isSought(params.gravity) ? "center" : params.gravity;
  const at = params.offset
    ? placeOff(fitted, { width, height }, direction, params.offset)
    : place(fitted, { width, height }, direction);
  const corner = { x: Math.round(at.x), y: Math.round(at.y) };
  return [scaled(fitted, params), extend(fitted, { width, height }, corner, colorOf(params.background))];
}

function pixels(value: number): number {
  return Math.max(1, Math.round(value));
}
