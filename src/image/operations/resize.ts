/** Pictures of another size. */
import * as v from "valibot";

import { decimal, flag, hexColor, lenientInteger, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import type { Size } from "../pixels/geometry.ts";
import {
  DIRECTIONS,
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
import { screenSteps } from "./resize-screen.ts";

const MIN_DENSITY = 0.1;
const MAX_DENSITY = 10;

const side = lenientInteger(1, MAX_SIDE_PIXELS);

const Resize = v.pipe(
  record({
    width: v.optional(side),
    height: v.optional(side),
    min_width: v.optional(side),
    min_height: v.optional(side),
    mode: v.optional(oneOf(["auto", "fit", "fill", "exact", "match", "shape"]), "auto"),
    gravity: v.optional(oneOf(GRAVITIES), "center"),
    focus: v.optional(point()),
    position: v.optional(point()),
    offset: v.optional(offsets()),
    upscale: v.optional(flag(), true),
    background: v.optional(hexColor(), "ffffff"),
    linear: v.optional(flag(), false),
    density: v.optional(decimal(MIN_DENSITY, MAX_DENSITY)),
    canvas: v.optional(oneOf(["box", "ratio"])),
    canvas_gravity: v.optional(oneOf(DIRECTIONS), "center"),
    canvas_offset: v.optional(offsets()),
  }),
  v.check(
    (params) =>
      params.width !== undefined || params.height !== undefined || params.density !== undefined || hasLeast(params),
    "needs width or height",
  ),
  v.check(
    ({ mode, canvas, density, ...params }) => mode !== "fill" || !(canvas || density || hasLeast(params)),
    "must have canvas, density, min_width and min_height in other modes than fill",
  ),
  v.check(
    ({ mode, width, height }) => mode === "auto" || mode === "exact" || (width !== undefined && height !== undefined),
    "needs width and height in the modes fit, fill, match and shape",
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
    "Changes the size. `auto` keeps the aspect ratio inside width and height, `fit` covers them and cuts off the excess, `fill` fits inside and pads with `background`, `exact` stretches (a missing side stays as it is), `match` is `fit` where picture and box are both upright or both not, else `auto`, `shape` is `fit` that cuts to the shape of the box where the picture is too small for it. The gravities `face` (the most prominent) and `faces` (all) keep faces in the middle of what `fit` leaves, `auto` the most prominent face, or else what stands out. Instead of `gravity`, `focus` is a point that comes to its middle as far as the picture reaches, and `position` one that keeps its share of width and height (x and y from 0 to 1). `offset` moves what a direction places away from its edges, or from the middle to the right and down: pixels of the result, or below 1 a part of the side of the whole (of the scaled picture, in the mode `fill` of the result), as far as there is something. `upscale: false` never enlarges. `min_width` and `min_height` do where the result would be smaller, and what then stands out of width and height is cut off. `density` multiplies sides and offsets for screens of more pixels, with `upscale: false` all of them alike as far as the picture has the pixels. `canvas` puts the result on `background`: `box` as large as width and height, `ratio` of their shape, at `canvas_gravity` and `canvas_offset`. `linear` filters light, not encoded values: fine bright detail (stars, threads, print) stays as bright as it is, for more processor time.",
  params: Resize,
  looks: (params) => {
    const { gravity, focus, position } = params;
    return cutsAway(params) && !focus && !position && isSought(gravity) ? FACE_SIDE : 0;
  },
  plan(params, stage): Step[] | Promise<Step[]> {
    const { size } = stage;
    const { mode, density = 1 } = params;
    if (mode !== "fill" && needsScreen(params)) {
      const gravity = cutsAway(params) ? params.gravity : "center";
      return screenSteps({ ...params, mode, density, gravity }, stage);
    }
    switch (mode) {
      case "exact":
        return [scaled(exactSize(params, size), params)];
      case "fit":
        return cover(params, stage);
      case "match":
        return liesAlike(params, size) ? cover(params, stage) : [scaled(inside(params, size), params)];
      case "fill":
        return pad(params, stage);
      case "shape":
      case "auto":
        return hasLeast(params) ? atLeast(params, stage) : [scaled(inside(params, size), params)];
    }
  },
});

/** Whether more than a rounded pixel of the picture may be cut off. */
function cutsAway(params: Resize): boolean {
  return params.mode === "fit" || params.mode === "match" || params.mode === "shape" || hasLeast(params);
}

/** Whether sizes depend on each other in ways that only `screenSizes` knows. */
function needsScreen(params: Resize): boolean {
  const { mode, density, canvas } = params;
  return density !== undefined || canvas !== undefined || mode === "shape" || (mode !== "auto" && hasLeast(params));
}

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

function exactSize(params: Resize, size: Size): Size {
  const { width = size.width, height = size.height, upscale } = params;
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
