/** Shrinking averages light where that is asked for. */
import { expect, it } from "vitest";

import { applied, pixel, planned } from "../../support/operations.ts";
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

it.each([
  // Never below the least side, whatever else is said; what then stands out is cut off.
  [{ min_width: 80 }, { x: 0, y: 0, width: 40, height: 40 }, { width: 80, height: 80 }],
  [{ min_width: 30 }, { x: 0, y: 0, width: 40, height: 40 }, { width: 40, height: 40 }],
  [
    { width: 20, min_height: 40, upscale: false },
    { x: 10, y: 0, width: 20, height: 40 },
    { width: 20, height: 40 },
  ],
  [
    { width: 20, min_height: 80, gravity: "right" },
    { x: 30, y: 0, width: 10, height: 40 },
    { width: 20, height: 80 },
  ],
])("keeps least sides: %j", async (params, box, size) => {
  const [cut, scaled] = await planned("resize", params, CHECKERS);
  expect([cut, scaled]).toMatchObject([
    { kind: "crop", box },
    { kind: "resize", ...size },
  ]);
});

it.each([
  [{ focus: { x: 0.5, y: 0.5 } }, 15],
  [{ focus: { x: 0.4, y: 0 } }, 11],
  [{ focus: { x: 0, y: 0 } }, 0],
  [{ focus: { x: 1, y: 1 } }, 30],
  [{ position: { x: 0, y: 0 } }, 0],
  [{ position: { x: 0.3, y: 0.7 } }, 9],
  [{ position: { x: 1, y: 0 } }, 30],
])("keeps %j of what is cut off", async (place, left) => {
  const params = { width: 10, height: 40, mode: "fit", ...place };
  const [cut] = await planned("resize", params, CHECKERS);
  expect(cut).toMatchObject({ kind: "crop", box: { x: left, y: 0, width: 10, height: 40 } });
});
