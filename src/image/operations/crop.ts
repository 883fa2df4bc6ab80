import * as v from "valibot";

import { ApiError } from "../../errors.ts";
import { lenientInteger, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
import type { Box, Size } from "../geometry.ts";
import { DIRECTIONS, place } from "../gravity.ts";
import { operation } from "../operation.ts";

const side = lenientInteger(1, MAX_SIDE_PIXELS);
const offset = lenientInteger(0, MAX_SIDE_PIXELS * 8);
const RATIO = /^([1-9]\d{0,4}(?:\.\d{1,6})?):([1-9]\d{0,4}(?:\.\d{1,6})?)$/;
const ratioRule = "must be a ratio in the form W:H";

const Crop = v.pipe(
  record({
    mode: v.optional(oneOf(["rect", "ratio"]), "rect"),
    width: v.optional(side),
    height: v.optional(side),
    x: v.optional(offset),
    y: v.optional(offset),
    gravity: v.optional(oneOf(DIRECTIONS)),
    ratio: v.optional(v.pipe(v.string(ratioRule), v.regex(RATIO, ratioRule))),
  }),
  v.check(
    ({ mode, width, height }) => mode !== "rect" || (width !== undefined && height !== undefined),
    "needs width and height in the mode rect",
  ),
  v.check(({ mode, ratio }) => mode !== "ratio" || ratio !== undefined, "needs ratio in the mode ratio"),
  v.check(({ x, y }) => (x === undefined) === (y === undefined), "needs x and y together"),
  v.check(
    ({ x, gravity }) => x === undefined || gravity === undefined,
    "must have either gravity or x and y, not both",
  ),
);
type Crop = v.InferOutput<typeof Crop>;

export const crop = operation({
  summary:
    "Cuts out a region: `rect` of width and height, at x and y or where `gravity` pulls it; `ratio` the largest region of the shape W:H.",
  params: Crop,
  plan(params, { size }) {
    const box = params.mode === "ratio" ? ratioBox(params, size) : rectBox(params, size);
    return [{ kind: "crop", box }];
  },
});

/** The rectangle, cut down to what lies inside the picture. */
function rectBox({ width = 1, height = 1, x, y, gravity }: Crop, size: Size): Box {
  if (x === undefined || y === undefined) {
    return placed({ width: Math.min(width, size.width), height: Math.min(height, size.height) }, size, gravity);
  }
  if (x >= size.width || y >= size.height) throw new ApiError(422, "crop.x and crop.y must lie inside the image");
  return { x, y, width: Math.min(width, size.width - x), height: Math.min(height, size.height - y) };
}

function ratioBox({ ratio = "1:1", gravity }: Crop, size: Size): Box {
  const [, across, down] = RATIO.exec(ratio) ?? [];
  const shape = Number(across) / Number(down);
  const width = Math.min(size.width, Math.max(1, Math.round(size.height * shape)));
  const height = Math.min(size.height, Math.max(1, Math.round(size.width / shape)));
  return placed({ width, height }, size, gravity);
}

function placed(region: Size, size: Size, gravity: Crop["gravity"] = "center"): Box {
  const { x, y } = place(region, size, gravity);
  return { x: Math.floor(x), y: Math.floor(y), ...region };
}
