/** What holds for every operation and filter, whatever its parameters and the picture. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FILTERS } from "../../../src/image/filters.ts";
import { OPERATIONS, type OperationName } from "../../../src/image/operations.ts";
import { opaqueAfter, sizeAfter } from "../../../src/image/plan/plan.ts";
import over from "../../fixtures/effects/over.png";
import { applied, flat, largestDifference, planned } from "../../support/operations.ts";
import { noise, sample } from "../../support/rows.ts";

type Case = readonly [operation: OperationName, params: object];

const filters = (...list: object[]): Case[] => list.map((params) => ["filter", params]);

const NEUTRAL: readonly Case[] = [
  ["rotate", { angle: 0 }],
  ["upscale", { factor: 1 }],
  ["auto", {}],
  ["auto", { enhance: false, size: 3, color: "x", radius: 1, background: 0 }],
  ["adjust", {}],
  ["adjust", { brightness: 0, contrast: 0, exposure: 0, gamma: 0, saturation: 0, vibrance: 0, hue: 0 }],
  ["adjust", { highlights: 0, shadows: 0, temperature: 0, tint: 0, sharpen: 0, unsharp: 0 }],
  ["adjust", { hue: 360, invert: false, grayscale: false }],
  ...filters(
    {},
    { blur: { value: 0 } },
    ...["gaussian", "box", "disc", "motion", "zoom", "median"].map((mode) => ({ blur: { mode, value: 0 } })),
    { sepia: { value: 0 } },
    { pixellate: { value: 0 } },
    { pixellate: { value: 1 } },
    { monochrome: { value: 0, color: "f00" } },
    { monochrome: { value: 50, color: "00ff0000" } },
    { halftone: { value: 1 } },
    { tone: {} },
    { tone: { brightness: 1, contrast: 1, gamma: 1, saturation: 1 } },
  ),
  ["redact", { faces: "blur" }],
  ["watermark", { id: "a", x: 1_000, y: 0 }],
  ["text", { value: " \n\t" }],
  ["text", { value: "outside", x: 1_000, y: 0 }],
  ["border", {}],
  ["padding", {}],
  ["trim", {}],
  ["trim", { left: 0, width: 1_000 }],
];

const CASES: readonly Case[] = [
  ["trim", { threshold: 100 }],
  ["trim", { left: 0.4, height: 0.9 }],
  ["flip", { mode: "both" }],
  ["rotate", { angle: 90 }],
  ["rotate", { angle: 7 }],
  ["rotate", { angle: 221, background: "12345680" }],
  ["rotate", { angle: 45, background: "fff" }],
  ["upscale", { factor: 2 }],
  ["upscale", { factor: 3 }],
  ["crop", { width: 5, height: 3 }],
  ["crop", { mode: "face" }],
  ["resize", { width: 9, height: 9, mode: "fill" }],
  ["scale", { size: 0.7 }],
  ["auto", { enhance: true }],
  ["auto", { redeye: true }],
  ["adjust", { exposure: 20, temperature: -40, contrast: 10 }],
  ["adjust", { shadows: 60, highlights: -60, vibrance: 40, hue: 30, invert: true }],
  ["adjust", { sharpen: 50 }],
  ["adjust", { unsharp: 80 }],
  ...filters(
    { blur: { value: 2.5 } },
    { blur: { value: 40 } },
    { blur: { mode: "box", value: 4 } },
    { blur: { mode: "box", value: 100 } },
    { blur: { mode: "disc", value: 3.5 } },
    { blur: { mode: "disc", value: 100 } },
    { blur: { mode: "motion", value: 6, angle: 77 } },
    { blur: { mode: "motion", value: 100, angle: 20 } },
    { blur: { mode: "zoom", value: 100 } },
    { blur: { mode: "median", value: 2 } },
    { blur: { mode: "median", value: 100 } },
    { sepia: { value: 70 } },
    { pixellate: { value: 7 } },
    { pixellate: { value: 100 } },
    { duotone: { light: "fe8", dark: "#013" } },
    { monochrome: { value: 60, color: "80ff8800" } },
    ...["dot", "line", "circular", "hatched", "cmyk"].map((mode) => ({ halftone: { mode, value: 6, angle: 10 } })),
    { replace: { from: "808080", to: "ff000080", value: 60 } },
    { tone: { brightness: 1.3, contrast: 0.7, gamma: 2, saturation: 0 } },
  ),
  ["redact", { faces: "fill" }],
  ["redact", { regions: [{ x: 0, y: 0.2, width: 5, height: 0.5 }], mode: "blur" }],
  ["watermark", { id: "a", gravity: "bottom-right", fit: true }],
  ["watermark", { id: "a", x: -9, y: 3, opacity: 0.5 }],
  ["text", { value: "Aa\nЯ", size: 9, angle: 30, background: "0000ff88", opacity: 0.7 }],
  ["mask", { shape: "ellipse" }],
  ["mask", { shape: "ellipse", background: "102030" }],
  ["border", { size: 3, radius: 6, color: "ff000088" }],
  ["border", { size: 1_000, radius: 16_384, background: "ccc" }],
  ["padding", { size: 2, left: 5, background: "ffffff88" }],
  ["background", { color: "08f" }],
];

const name = ([operation, params]: Case) => `${operation} ${JSON.stringify(params)}`;
const rows = fc.integer({ min: 1, max: 40 });
const picture = fc.record({ width: rows, height: rows, opaque: fc.boolean() });

it("tries every operation and every filter", () => {
  expect(new Set(CASES.map(([operation]) => operation))).toEqual(new Set(Object.keys(OPERATIONS)));
  const tried = CASES.flatMap(([operation, params]) => (operation === "filter" ? Object.keys(params) : []));
  expect(new Set(tried)).toEqual(new Set(Object.keys(FILTERS)));
});

describe("a neutral value plans nothing", () => {
  it.each(NEUTRAL.map((one) => [name(one), one] as const))("%s", async (_, [operation, params]) => {
    expect(await planned(operation, params, noise(20, 10), { overlay: over })).toEqual([]);
  });
});

describe.each(CASES.map((one) => [name(one), one] as const))("%s", (_, [operation, params]) => {
  const runs = { numRuns: 12 };

  it("makes pictures of the size, and as opaque, as it says", async () => {
    const check = fc.asyncProperty(picture, fc.boolean(), async ({ width, height, opaque }, alpha) => {
      const result = await applied(operation, params, noise(width, height, opaque), { opaque, alpha, overlay: over });
      const size = result.steps.reduce((before, step) => sizeAfter(step, before), { width, height });
      expect({ width: result.width, height: result.height }).toEqual(size);
      const said = result.steps.reduce((is, step) => opaqueAfter(step, is), opaque);
      expect(result.opaque).toBe(said);
      if (said) for (let at = 3; at < result.data.length; at += 4) expect(sample(result.data, at)).toBe(255);
      for (const step of result.steps)
        if (step.kind === "rows") expect(Number.isInteger(step.estimate.bytes)).toBe(true);
    });
    await fc.assert(check, runs);
  });

  it("does not depend on how rows are read", async () => {
    const check = fc.asyncProperty(picture, rows, rows, async ({ width, height, opaque }, give, ask) => {
      const pixels = noise(width, height, opaque);
      const whole = await applied(operation, params, pixels, { opaque, overlay: over });
      const parts = await applied(operation, params, pixels, { opaque, overlay: over, give, ask });
      expect(parts.data).toEqual(whole.data);
    });
    await fc.assert(check, runs);
  });
});

describe("an effect on one color keeps it", () => {
  const smooth: readonly Case[] = [
    ["adjust", { sharpen: 100, unsharp: 100 }],
    ...filters(
      ...["gaussian", "box", "disc", "motion", "zoom", "median"].flatMap((mode) =>
        [1, 7.5, 33, 100].map((value) => ({ blur: { mode, value, angle: 33 } })),
      ),
      { pixellate: { value: 5 } },
    ),
  ];
  it.each(smooth.map((one) => [name(one), one] as const))("%s", async (_, [operation, params]) => {
    const level = fc.integer({ min: 0, max: 255 });
    const color = fc.tuple(level, level, level, fc.integer({ min: 1, max: 255 }));
    const check = fc.asyncProperty(picture, color, async ({ width, height, opaque }, [red, green, blue, alpha]) => {
      const pixels = flat(width, height, [red, green, blue, opaque ? 255 : alpha]);
      const result = await applied(operation, params, pixels, { opaque });
      if (opaque) expect(result.data).toEqual(pixels.data);
      // The color of a nearly transparent pixel is kept as exactly as its alpha allows.
      else expect(largestDifference(result, pixels)).toBeLessThanOrEqual(1);
    });
    await fc.assert(check, { numRuns: 10 });
  });
});
