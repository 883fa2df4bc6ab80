/** Borders and round corners. */
import * as v from "valibot";

import { hexColor, integer, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import type { Size } from "../pixels/geometry.ts";
import { frameStep } from "../steps/frame.ts";
import { colorBehind, operation } from "../steps/operation.ts";

const MAX_BORDER_PIXELS = 1_000;

export const border = operation({
  summary:
    "Paints a border of `size` pixels inside the edges; the picture keeps its size. `radius` rounds the corners, and `background` fills what is behind them: transparent where the output can be, else white.",
  params: record({
    size: v.optional(integer(0, MAX_BORDER_PIXELS), 0),
    color: v.optional(hexColor(), "000000"),
    radius: v.optional(integer(0, MAX_SIDE_PIXELS), 0),
    background: v.optional(hexColor()),
  }),
  plan({ size: thickness, color, radius, background }, stage) {
    const { size, colorOf } = stage;
    if (thickness === 0 && radius === 0) return [];
    const behind = colorBehind(background, stage);
    const rounding = Math.min(radius, size.width / 2, size.height / 2);
    const outer = inset(size, 0, rounding);
    if (thickness === 0) return [frameStep(size, { outer, background: behind })];
    const inner = { shape: inset(size, thickness, Math.max(0, rounding - thickness)), paint: colorOf(color) };
    return [frameStep(size, { outer, background: behind, inner })];
  },
});

/** A rectangle with round corners, a distance away from the edges of the picture. */
function inset({ width, height }: Size, distance: number, radius: number) {
  const [right, bottom] = [width - distance, height - distance];
  return { left: distance, top: distance, right, bottom, radiusX: radius, radiusY: radius };
}
