/** Shrinking averages light where that is asked for. */
import { expect, it } from "vitest";

import { applied, pixel } from "../../support/operations.ts";
import { paint } from "../../support/rows.ts";

const CHECKERS = paint(40, 40, (x, y) => ((x + y) % 2 === 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]));

it.each([
  ["resize", { width: 20 }],
  ["resize", { width: 20, height: 20, mode: "fit" }],
  ["resize", { width: 20, height: 20, mode: "exact" }],
  ["scale", { size: 0.5 }],
] as const)("keeps the light of fine detail where %s %o is linear", async (operation, params) => {
  // Half the light is the level 188; the mean of encoded values is 128, which is 22 % of it.
  expect(pixel(await applied(operation, { ...params, linear: true }, CHECKERS), 10, 10)).toEqual([188, 188, 188, 255]);
  expect(pixel(await applied(operation, params, CHECKERS), 10, 10)).toEqual([128, 128, 128, 255]);
});
