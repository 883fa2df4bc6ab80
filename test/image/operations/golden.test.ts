/** The same picture through another implementation; how each was made is in test/fixtures/README.md. */
import { describe, expect, it } from "vitest";

import type { OperationName } from "../../../src/image/operations.ts";
import box from "../../fixtures/effects/box-3.png";
import boxAlpha from "../../fixtures/effects/box-alpha-3.png";
import disc from "../../fixtures/effects/disc-5.5.png";
import gaussianNarrow from "../../fixtures/effects/gaussian-1.5.png";
import gaussianWide from "../../fixtures/effects/gaussian-4.png";
import gray from "../../fixtures/effects/gray.png";
import medianSmall from "../../fixtures/effects/median-1.png";
import medianLarge from "../../fixtures/effects/median-6.png";
import over from "../../fixtures/effects/over.png";
import pixellate from "../../fixtures/effects/pixellate-8.png";
import rotateRight from "../../fixtures/effects/rotate-16.png";
import rotateLeft from "../../fixtures/effects/rotate-330.png";
import sepia from "../../fixtures/effects/sepia-100.png";
import unsharp from "../../fixtures/effects/unsharp-40.png";
import watermarkClipped from "../../fixtures/effects/watermark-clipped.png";
import watermark from "../../fixtures/effects/watermark.png";
import sourceAlpha from "../../fixtures/resample/source-alpha.png";
import source from "../../fixtures/resample/source.png";
import { applied, decoded, largestDifference, pixel } from "../../support/operations.ts";
import type { Pixels } from "../../support/rows.ts";

type Golden = readonly [
  name: string,
  expected: ArrayBuffer,
  original: ArrayBuffer,
  operation: OperationName,
  params: object,
  tolerance: number,
];

// Levels. Where it is 1, one of the two rounds twice or cuts off instead of rounding.
const GOLDENS: readonly Golden[] = [
  ["Gaussian blur, sigma 1.5", gaussianNarrow, source, "filter", { blur: { value: 1.5 } }, 1],
  ["Gaussian blur, sigma 4", gaussianWide, source, "filter", { blur: { value: 4 } }, 1],
  ["box blur", box, source, "filter", { blur: { mode: "box", value: 3 } }, 0],
  ["box blur of alpha", boxAlpha, sourceAlpha, "filter", { blur: { mode: "box", value: 3 } }, 0.5],
  ["disc blur", disc, source, "filter", { blur: { mode: "disc", value: 5.5 } }, 0],
  ["median of 3 x 3", medianSmall, source, "filter", { blur: { mode: "median", value: 1 } }, 0],
  ["median of 13 x 13", medianLarge, source, "filter", { blur: { mode: "median", value: 6 } }, 0],
  ["sepia", sepia, source, "filter", { sepia: { value: 100 } }, 1],
  ["unsharp masking", unsharp, gray, "adjust", { unsharp: 40 }, 1],
  ["pixellate", pixellate, source, "filter", { pixellate: { value: 8 } }, 1],
  ["watermark", watermark, source, "watermark", { id: "a", x: 51, y: 37 }, 1],
  ["clipped watermark", watermarkClipped, source, "watermark", { id: "a", x: -10, y: -7 }, 1],
];

describe("equals another implementation", () => {
  it.each(GOLDENS)("%s", async (_, expected, original, operation, params, tolerance) => {
    const opaque = original !== sourceAlpha;
    const result = await applied(operation, params, await decoded(original), { opaque, overlay: over });
    expect(largestDifference(result, await decoded(expected))).toBeLessThanOrEqual(tolerance);
  });

  it.each([
    [16, rotateRight],
    [330, rotateLeft],
  ] as const)("rotation by %d degrees, but for the edge", async (angle, expected) => {
    const golden = await decoded(expected);
    const result = await applied("rotate", { angle }, await decoded(source));
    expect(insideDifference(result, golden)).toBeLessThanOrEqual(1);
  });
});

/** The largest difference where the centered picture is opaque. */
function insideDifference(result: Pixels, golden: Pixels): number {
  const left = (result.width - golden.width) / 2;
  const top = (result.height - golden.height) / 2;
  let [largest, compared] = [0, 0];
  for (let y = 0; y < golden.height; y++) {
    for (let x = 0; x < golden.width; x++) {
      const [red, green, blue, alpha] = pixel(result, x + left, y + top);
      if (alpha < 255) continue;
      const expected = pixel(golden, x, y);
      for (const [c, value] of [red, green, blue].entries()) {
        largest = Math.max(largest, Math.abs(value - (expected[c] ?? 0)));
      }
      compared++;
    }
  }
  expect(compared).toBeGreaterThan((golden.width * golden.height) / 2);
  return largest;
}
