/** Automatic enhancement of tones. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { applied, flat, planned } from "../../support/operations.ts";
import { paint, type Pixels, sample, scene } from "../../support/rows.ts";

const enhanced = (pixels: Pixels, opaque = true) => applied("auto", { enhance: true }, pixels, { opaque });

/** Every channel from one range to another. */
function within(pixels: Pixels, low: number, high: number): Pixels {
  const data = pixels.data.map((value, at) => (at % 4 === 3 ? value : low + (value * (high - low)) / 255));
  return { ...pixels, data };
}

/** All tones, evenly, in moderate colors. */
const GOOD = paint(256, 64, (x, y) => {
  const tone = (x * 197 + y * 61) & 255;
  return [tone, Math.max(0, tone - 40), Math.min(255, tone + 40), 255];
});

function channel({ data }: Pixels, from: number): number[] {
  return [...data].filter((_, at) => at % 4 === from);
}

describe("auto.enhance", () => {
  it("leaves a well-exposed picture alone", async () => {
    expect(await planned("auto", { enhance: true }, GOOD)).toEqual([]);
  });

  it.each([
    ["black", flat(40, 30, [0, 0, 0, 255])],
    ["gray", flat(40, 30, [128, 128, 128, 255])],
    ["transparent", flat(40, 30, [50, 60, 70, 0])],
  ])("leaves a flat picture alone: %s", async (_, pixels) => {
    expect(await planned("auto", { enhance: true }, pixels)).toEqual([]);
  });

  it("spreads the tones of a foggy picture over the range", async () => {
    const foggy = within(GOOD, 40, 190);
    const result = await enhanced(foggy);
    expect(Math.min(...channel(result, 0))).toBeLessThan(8);
    expect(Math.max(...channel(result, 2))).toBeGreaterThan(247);
  });

  it("brightens a dark picture and darkens a pale one", async () => {
    const middle = (pixels: Pixels) => channel(pixels, 1).toSorted((a, b) => a - b)[(256 * 64) / 2] ?? 0;
    const dark = paint(256, 64, (x, y) => {
      const tone = (x * 197 + y * 61) & 255;
      return [tone ** 3 / 255 ** 2, tone ** 3 / 255 ** 2, tone ** 3 / 255 ** 2, 255];
    });
    expect(middle(await enhanced(dark))).toBeGreaterThan(middle(dark) + 10);
    const pale = { ...dark, data: dark.data.map((value, at) => (at % 4 === 3 ? value : 255 - value)) };
    expect(middle(await enhanced(pale))).toBeLessThan(middle(pale) - 8);
  });

  it("keeps the order of tones, and grays gray", async () => {
    const range = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 120, max: 255 }));
    await fc.assert(
      fc.asyncProperty(range, async ([low, high]) => {
        const ramp = within(
          paint(256, 4, (x) => [x, x, x, 255]),
          low,
          high,
        );
        const { data } = await enhanced(ramp);
        for (let x = 0; x < 256; x++) {
          const [red, green, blue] = [0, 1, 2].map((c) => sample(data, x * 4 + c));
          expect([green, blue]).toEqual([red, red]);
          if (x > 0) expect(red).toBeGreaterThanOrEqual(sample(data, x * 4 - 4));
        }
      }),
      { numRuns: 25 },
    );
  });

  it("freshens dull colors", async () => {
    const dull = paint(256, 64, (x, y) => {
      const tone = (x * 197 + y * 61) & 255;
      return [Math.min(255, tone + 12), tone, tone, 255];
    });
    const spread = ({ data }: Pixels) => channel({ ...dull, data }, 0).reduce((sum, red) => sum + red, 0);
    const before = spread(dull) - channel(dull, 1).reduce((sum, green) => sum + green, 0);
    const result = await enhanced(dull);
    const after = spread(result) - channel(result, 1).reduce((sum, green) => sum + green, 0);
    expect(after).toBeGreaterThan(before * 1.1);
  });

  it("keeps alpha", async () => {
    const pixels = within(scene(64, 64, false), 60, 150);
    expect(channel(await enhanced(pixels, false), 3)).toEqual(channel(pixels, 3));
  });
});
