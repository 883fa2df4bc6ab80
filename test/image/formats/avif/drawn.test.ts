/** What is drawn, as AVIF: its colors stay, at whatever quality its letters and edges look well. */
import { expect, it } from "vitest";

import { encoded, result, values } from "../../../support/colors.ts";
import { paint } from "../../../support/rows.ts";

const COLORS = [
  [230, 0, 18],
  [20, 60, 200],
  [255, 255, 255],
  [245, 246, 248],
] as const;

it.each(
  COLORS.flatMap((color) => [
    [color, 48, 32],
    [color, 300, 200],
  ]) as [(typeof COLORS)[number], number, number][],
)("the ground of a sign keeps its color: %s, %i x %i", async (color, width, height) => {
  const isSign = (x: number, y: number) =>
    Math.abs(x - width * 0.75) < width / 20 && Math.abs(y - height / 2) < height / 10;
  const sign = paint(width, height, (x, y) => {
    const [red, green, blue] = color;
    return isSign(x, y) ? [255 - red, 255 - green, 255 - blue, 255] : [red, green, blue, 255];
  });
  const shown = await values(await result(await encoded(sign), { format: "avif" }));
  const corner = [...shown.subarray(0, 3)].map((level, at) => Math.abs(level - (color[at] ?? 0)));
  expect(Math.max(...corner)).toBeLessThanOrEqual(2);
});
