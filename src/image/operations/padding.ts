/** More canvas around a picture. */
import * as v from "valibot";

import { hexColor, integer, record } from "../../fields.ts";
import { extend } from "../steps/extend.ts";
import { colorBehind, operation } from "../steps/operation.ts";

const MAX_PADDING_PIXELS = 10_000;
const width = v.optional(integer(0, MAX_PADDING_PIXELS));

export const padding = operation({
  summary:
    "Adds canvas around the picture: `size` on all sides, a named side overrides it. The background is transparent where the output can be, else white.",
  params: record({
    size: width,
    top: width,
    right: width,
    bottom: width,
    left: width,
    background: v.optional(hexColor()),
  }),
  memberAliases: { color: "background" },
  plan(params, stage) {
    const { size } = stage;
    const all = params.size ?? 0;
    const { top = all, right = all, bottom = all, left = all } = params;
    if (top + right + bottom + left === 0) return [];
    const canvas = { width: left + size.width + right, height: top + size.height + bottom };
    const color = colorBehind(params.background, stage);
    return [extend(size, canvas, { x: left, y: top }, color)];
  },
});
