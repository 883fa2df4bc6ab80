/** Regions of a picture: a rectangle, a shape, a face. */
import * as v from "valibot";

import { ApiError } from "../../errors.ts";
import { decimal, lenientInteger, oneOf, record, sideOrPart } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import { snapped } from "../faces/report.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import {
  enclosing,
  GRAVITIES,
  isSought,
  offsets,
  placeAround,
  placeInside,
  placeOff,
  point,
} from "../pixels/gravity.ts";
import { operation, type Stage } from "../steps/operation.ts";

const side = sideOrPart(MAX_SIDE_PIXELS);
const corner = lenientInteger(0, MAX_SIDE_PIXELS * 8);
const RATIO = /^([1-9]\d{0,4}(?:\.\d{1,6})?):([1-9]\d{0,4}(?:\.\d{1,6})?)$/;
const ratioRule = "must be a ratio in the form W:H";

const Crop = v.pipe(
  record({
    mode: v.optional(oneOf(["rect", "ratio", "face"]), "rect"),
    width: v.optional(side),
    height: v.optional(side),
    x: v.optional(corner),
    y: v.optional(corner),
    gravity: v.optional(oneOf(GRAVITIES)),
    focus: v.optional(point()),
    offset: v.optional(offsets()),
    padding: v.optional(decimal(0, 10), 1),
    faces: v.optional(oneOf(["one", "all"]), "one"),
    ratio: v.optional(v.pipe(v.string(ratioRule), v.regex(RATIO, ratioRule))),
  }),
  v.check(
    ({ mode, width, height }) => mode !== "rect" || (width !== undefined && height !== undefined),
    "needs width and height in the mode rect",
  ),
  v.check(({ mode, ratio }) => mode !== "ratio" || ratio !== undefined, "needs ratio in the mode ratio"),
  v.check(({ x, y }) => (x === undefined) === (y === undefined), "needs x and y together"),
  v.check(
    ({ x, gravity, focus }) => [x, gravity, focus].filter((member) => member !== undefined).length < 2,
    "must have one of gravity, focus, and x and y",
  ),
  v.check(
    ({ offset, x, focus, gravity }) => !offset || (x === undefined && !focus && !isSought(gravity)),
    "must have offset with a gravity that is a direction only",
  ),
);
type Crop = v.InferOutput<typeof Crop>;

export const crop = operation({
  summary:
    "Cuts out a region: `rect` of width and height (pixels, or below 1 a part of the side), at x and y or where `gravity` pulls it; `ratio` the largest region of the shape W:H; `face` the most prominent face, or with `faces: all` every face, and `padding` times half its size around it. The gravities `face` and `faces` pull to faces, `auto` to the most prominent face or else to what stands out; instead of them, `focus` is a point (x and y from 0 to 1) that comes to the middle as far as the picture reaches. `offset` moves what a direction places away from its edges, or from the middle to the right and down: pixels, or below 1 a part of the side, as far as the picture reaches. Where no face is found: the middle.",
  params: Crop,
  looks: ({ mode, gravity, focus }) => (mode === "face" || (isSought(gravity) && !focus) ? FACE_SIDE : 0),
  async plan(params, stage) {
    return [{ kind: "crop", box: await BOXES[params.mode](params, stage) }];
  },
});

/** The rectangle, cut down to what lies inside the picture. */
async function rectBox({ x, y, ...params }: Crop, stage: Stage): Promise<Box> {
  const { size } = stage;
  const { width, height } = rectSize(params, size);
  if (x === undefined || y === undefined) {
    return placed({ width: Math.min(width, size.width), height: Math.min(height, size.height) }, stage, params);
  }
  if (x >= size.width || y >= size.height) throw new ApiError(422, "crop.x and crop.y must lie inside the image");
  return { x, y, width: Math.min(width, size.width - x), height: Math.min(height, size.height - y) };
}

function rectSize({ width = 1, height = 1 }: Pick<Crop, "width" | "height">, size: Size): Size {
  return { width: pixelsOf(width, size.width), height: pixelsOf(height, size.height) };
}

function pixelsOf(value: number, whole: number): number {
  return value < 1 ? Math.max(1, Math.round(value * whole)) : value;
}

async function ratioBox({ ratio = "1:1", ...where }: Crop, stage: Stage): Promise<Box> {
  const { size } = stage;
  const [, across, down] = RATIO.exec(ratio) ?? [];
  const shape = Number(across) / Number(down);
  const width = Math.min(size.width, Math.max(1, Math.round(size.height * shape)));
  const height = Math.min(size.height, Math.max(1, Math.round(size.width / shape)));
  return placed({ width, height }, stage, where);
}

/** The face and its margin, as far as it lies in the picture; without a face, the largest square in the middle. */
async function faceBox({ padding, faces: which }: Crop, stage: Stage): Promise<Box> {
  const found = await stage.faces();
  const padded = (which === "one" ? found.slice(0, 1) : found).map(({ x, y, width, height }) => {
    const margin = { x: (padding * width) / 2, y: (padding * height) / 2 };
    return { x: x - margin.x, y: y - margin.y, width: width + 2 * margin.x, height: height + 2 * margin.y };
  });
  const box = enclosing(padded);
  if (box) return snapped(box, stage.size);
  const side = Math.min(stage.size.width, stage.size.height);
  return placed({ width: side, height: side }, stage);
}

const BOXES = { rect: rectBox, ratio: ratioBox, face: faceBox } as const;

async function placed(
  region: Size,
  stage: Stage,
  { gravity = "center", focus, offset }: Pick<Crop, "gravity" | "focus" | "offset"> = {},
): Promise<Box> {
  const { size } = stage;
  const { x, y } = focus
    ? placeAround(region, size, focus)
    : offset && !isSought(gravity)
      ? placeOff(region, size, gravity, offset)
      : await placeInside(region, size, gravity, stage);
  return { x: Math.floor(x), y: Math.floor(y), ...region };
}
