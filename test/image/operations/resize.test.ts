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

it.each([
  // Away from the edge, and back to the edge where nothing is left; on the axis of no edge to the right and down.
  ["crop", { width: 10, height: 20 }, "top-left", { x: 5, y: 0.25 }, [5, 10]],
  ["crop", { width: 10, height: 20 }, "bottom-right", { x: 5, y: 0.25 }, [25, 10]],
  ["crop", { width: 10, height: 20 }, "top", { x: 5, y: -3 }, [20, 0]],
  ["crop", { width: 10, height: 20 }, "left", { x: 35, y: -3 }, [30, 7]],
  ["crop", { width: 0.25, height: 0.5 }, "center", { x: 0.1, y: 0 }, [19, 10]],
  // Pixels are those of the result, which is half as large; parts are those of the whole.
  ["resize", { width: 5, height: 20, mode: "fit" }, "left", { x: 5, y: 0 }, [10, 0]],
  ["resize", { width: 5, height: 20, mode: "fit" }, "right", { x: 0.25, y: 0 }, [20, 0]],
  ["resize", { width: 5, height: 20, min_height: 20 }, "left", { x: 5, y: 0 }, [10, 0]],
] as const)("%s %j moves what %s places by %j", async (operation, size, gravity, offset, [x, y]) => {
  const [cut] = await planned(operation, { ...size, gravity, offset }, CHECKERS);
  expect(cut).toMatchObject({ kind: "crop", box: { x, y } });
});

it("moves a picture on its canvas by the canvas's sides", async () => {
  const params = { width: 80, height: 40, mode: "fill", gravity: "right", background: "00000000" };
  for (const [x, left] of [
    [10, 30],
    [0.25, 20],
    [60, 0],
  ] as const) {
    const { data } = await applied("resize", { ...params, offset: { x, y: 0 } }, CHECKERS);
    expect([left - 1, left, left + 39, left + 40].map((column) => data[column * 4 + 3] ?? 0)).toEqual([
      0,
      255,
      left + 39 < 80 ? 255 : 0,
      0,
    ]);
  }
});

it.each([
  ["resize", { width: 5, height: 5, mode: "fit", gravity: "face", offset: { x: 1, y: 1 } }],
  ["resize", { width: 5, height: 5, mode: "fit", focus: { x: 0, y: 0 }, offset: { x: 1, y: 1 } }],
  ["crop", { width: 5, height: 5, x: 1, y: 1, offset: { x: 1, y: 1 } }],
] as const)("refuses offsets of %s from what is no direction: %j", async (operation, params) => {
  await expect(planned(operation, params, CHECKERS)).rejects.toThrow("must have offset with a gravity");
});

it.each([0, 1.5, -0.5])("refuses to crop a width of %d", async (width) => {
  await expect(planned("crop", { width, height: 5 }, CHECKERS)).rejects.toThrow("must be a positive integer");
});

it.each([
  // A density gives way where the picture has too few pixels; the box keeps its shape.
  [
    { width: 10, height: 20, mode: "fit", density: 1.5 },
    { width: 15, height: 30 },
  ],
  [
    { width: 30, height: 10, mode: "fit", density: 3, upscale: false },
    { width: 40, height: 13 },
  ],
  [
    { width: 30, height: 10, mode: "fit", density: 3 },
    { width: 90, height: 30 },
  ],
  [{ density: 0.5 }, { width: 20, height: 20 }],
  [
    { density: 2, upscale: false },
    { width: 40, height: 40 },
  ],
  // What is too small for its box is cut to its shape.
  [
    { width: 100, height: 50, mode: "shape", upscale: false },
    { width: 40, height: 20 },
  ],
  [
    { width: 50, height: 100, mode: "shape", upscale: false },
    { width: 20, height: 40 },
  ],
  [
    { width: 20, height: 10, mode: "shape", upscale: false },
    { width: 20, height: 10 },
  ],
  [
    { width: 100, height: 50, mode: "shape" },
    { width: 100, height: 50 },
  ],
  // A missing side stays; what may not grow shrinks in both directions alike.
  [
    { width: 10, mode: "exact" },
    { width: 10, height: 40 },
  ],
  [
    { width: 80, mode: "exact", density: 1, upscale: false },
    { width: 40, height: 20 },
  ],
  // Least sides in other modes.
  [
    { width: 10, height: 10, mode: "fit", min_width: 60 },
    { width: 10, height: 10 },
  ],
  [
    { width: 80, height: 80, mode: "match", min_width: 60, upscale: false },
    { width: 60, height: 60 },
  ],
])("makes sizes for screens: %j", async (params, size) => {
  const steps = await planned("resize", params, CHECKERS);
  expect(steps.at(-1)).toMatchObject(size);
});

it.each([
  [{ width: 40, height: 20, canvas: "box", upscale: false }, { width: 40, height: 20 }, [10, 0]],
  [{ width: 80, height: 20, canvas: "ratio" }, { width: 80, height: 20 }, [30, 0]],
  [{ width: 20, height: 80, canvas: "ratio", upscale: false }, { width: 20, height: 80 }, [0, 30]],
  [{ width: 80, height: 160, canvas: "ratio", upscale: false }, { width: 40, height: 80 }, [0, 20]],
  [{ width: 60, canvas: "box", upscale: false, canvas_gravity: "right" }, { width: 60, height: 40 }, [20, 0]],
  [
    { width: 60, height: 60, canvas: "box", upscale: false, canvas_gravity: "bottom", canvas_offset: { x: 5, y: 0.1 } },
    { width: 60, height: 60 },
    [15, 14],
  ],
] as const)("puts on a canvas: %j", async (params, size, [x, y]) => {
  const gray = paint(40, 40, () => [90, 90, 90, 255]);
  const made = await applied("resize", { ...params, background: "ff0000" }, gray);
  expect({ width: made.width, height: made.height }).toEqual(size);
  expect(pixel(made, x, y)).toEqual([90, 90, 90, 255]);
  if (x > 0) expect(pixel(made, x - 1, y)).toEqual([255, 0, 0, 255]);
  if (y > 0) expect(pixel(made, x, y - 1)).toEqual([255, 0, 0, 255]);
});

it("looks at the picture for a density too", async () => {
  const params = { width: 10, height: 20, mode: "fit", density: 2, gravity: "auto" };
  expect((await planned("resize", params, CHECKERS)).at(-1)).toMatchObject({ width: 20, height: 40 });
  const all = { width: 10, density: 2, gravity: "auto" };
  expect((await planned("resize", all, CHECKERS)).at(-1)).toMatchObject({ width: 20, height: 20 });
});
