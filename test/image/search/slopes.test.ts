/** Where losing colors makes stripes, and where detail hides them. */
import { expect, it } from "vitest";

import { isOfSlopes } from "../../../src/image/search/slopes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { paint, pictureOf } from "../../support/rows.ts";

type Color = [red: number, green: number, blue: number, alpha: number];
type Painter = (x: number, y: number) => Color;

const sky: Painter = (x, y) => [27 + x / 3, 79 + y, 160 + (x + y) / 4, 255];
/** Grain of up to so many levels, the same at each run. */
const grainy =
  (levels: number, of: Painter): Painter =>
  (x, y) => {
    const [red, green, blue, alpha] = of(x, y);
    const grain = (Math.imul(x * 31 + y * 17, 2_654_435_761) >>> 16) % (levels + 1);
    return [red + grain, green + grain, blue + grain, alpha];
  };
const shadow: Painter = (x, y) => [0, 0, 0, 200 * Math.exp(-((x - 60) ** 2 + (y - 45) ** 2) / 900)];

const slopes = (painter: Painter, width = 120, height = 90) =>
  isOfSlopes({ picture: pictureOf([paint(width, height, painter)]) }, UNPAUSED);

it.each([
  ["a sky", sky],
  ["a sky above a fifth of detail", (x: number, y: number) => (y > 72 ? grainy(60, sky) : sky)(x, y)],
  ["a shadow that can be seen through", shadow],
])("is of slopes: %s", async (_what, painter) => {
  expect(await slopes(painter)).toBe(true);
});

it.each([
  ["a sky with grain", grainy(6, sky)],
  ["a sky above as much detail", (x: number, y: number) => (y > 45 ? grainy(60, sky) : sky)(x, y)],
])("is not of slopes: %s", async (_what, painter) => {
  expect(await slopes(painter)).toBe(false);
});

it.each([
  ["a sky", sky, true],
  ["a sky with the grain of a photograph", grainy(3, sky), false],
  ["a sky above a sixth of detail", (x: number, y: number) => (y > 400 ? grainy(60, sky) : sky)(x, y), true],
  ["a sky above a third of detail", (x: number, y: number) => (y > 320 ? grainy(60, sky) : sky)(x, y), false],
] as const)("tells a large picture of slopes by less bend: %s", async (_what, painter, isSloping) => {
  const gentle: Painter = (x, y) => painter(x, y).map((level, plane) => (plane < 3 ? level * 0.6 : level)) as Color;
  expect(await slopes(gentle, 640, 480)).toBe(isSloping);
});

it("sees no slope in what has no neighbors", async () => {
  expect(await slopes(sky, 2, 40)).toBe(false);
});
