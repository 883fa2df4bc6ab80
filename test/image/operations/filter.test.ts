/** Filters: their order, their names and their pixels. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { applied, flat, largestDifference, pixel } from "../../support/operations.ts";
import { noise, paint, type Pixels, sample } from "../../support/rows.ts";

const NOISE = noise(48, 32);

async function filtered(params: object, pixels: Pixels = NOISE, opaque = true): Promise<Pixels> {
  return applied("filter", params, pixels, { opaque });
}

function mean({ data }: Pixels, channel: number): number {
  let sum = 0;
  for (let at = channel; at < data.length; at += 4) sum += sample(data, at);
  return sum / (data.length / 4);
}

describe("filters", () => {
  it("run in the order in which they are sent", async () => {
    const duotone = { light: "ff0000", dark: "0000ff" };
    const first = await filtered(parse({ duotone, sepia: { value: 100 } }));
    const second = await filtered(parse({ sepia: { value: 100 }, duotone }));
    expect(first.data).not.toEqual(second.data);
    expect(first.data).toEqual((await filtered({ sepia: { value: 100 } }, await filtered({ duotone }))).data);
    expect(second.data).toEqual((await filtered({ duotone }, await filtered({ sepia: { value: 100 } }))).data);
  });

  it("have other names, which keep their place", () => {
    const sent = { pixelate: { value: 3 }, sepia: { value: 5 }, color_replacement: { from: "000", to: "fff" } };
    const { filter } = parseBody(UploadBody, { stylize: sent });
    expect(Object.keys(filter ?? {})).toEqual(["pixellate", "sepia", "replace"]);
  });

  it.each([
    [{ glow: { value: 1 } }, "filter.glow is not a known parameter"],
    [{ sepia: {} }, "filter.sepia.value is required"],
    [{ sepia: { value: 101 } }, "filter.sepia.value must be a number between 0 and 100"],
    [{ blur: { value: 5, mode: "lens" } }, "filter.blur.mode must be one of gaussian, box, disc, motion, zoom, median"],
    [{ duotone: { light: "fff" } }, "filter.duotone.dark is required"],
    [{ duotone: { light: "fff", dark: "00000000" } }, "filter.duotone.dark must be a hex color"],
    [{ monochrome: { value: 5, color: "12345" } }, "filter.monochrome.color must be a hex color"],
  ])("refuse %o", (filter, message) => {
    expect(() => parseBody(UploadBody, { filter })).toThrow(message);
  });
});

function parse(filter: object): object {
  const parsed = parseBody(UploadBody, { filter });
  return Object.fromEntries(Object.entries(parsed.filter ?? {}).filter(([, params]) => params !== undefined));
}

describe("recoloring", () => {
  it("duotone puts dark for black and light for white", async () => {
    const ends = paint(2, 1, (x) => [x * 255, x * 255, x * 255, 255]);
    const { data } = await filtered({ duotone: { light: "#fedcba", dark: "123" } }, ends);
    expect([...data]).toEqual([0x11, 0x22, 0x33, 255, 0xfe, 0xdc, 0xba, 255]);
  });

  it("monochrome reads AARRGGBB: the alpha weakens the color", async () => {
    const white = flat(1, 1, [255, 255, 255, 255]);
    expect(pixel(await filtered({ monochrome: { value: 100, color: "ff0000" } }, white), 0, 0)).toEqual([
      255, 0, 0, 255,
    ]);
    const half = pixel(await filtered({ monochrome: { value: 100, color: "80ff0000" } }, white), 0, 0);
    expect(half).toEqual([255, 127, 127, 255]);
  });

  it("replaces a color, what is near it in part, and nothing else", async () => {
    const pixels = paint(3, 1, (x) => [x === 2 ? 30 : 200, x === 1 ? 45 : 30, x === 2 ? 200 : 30, 255]);
    const replace = (value: number) => filtered({ replace: { from: "c81e1e", to: "00ff0080", value } }, pixels, false);
    const wide = await replace(12);
    expect(pixel(wide, 0, 0)).toEqual([0, 255, 0, 128]);
    expect(pixel(wide, 2, 0)).toEqual([30, 30, 200, 255]);
    const exact = await replace(0);
    expect(pixel(exact, 0, 0)).toEqual([0, 255, 0, 128]);
    expect(exact.data.subarray(4)).toEqual(pixels.data.subarray(4));
  });
});

describe("tone", () => {
  const toned = async (tone: object, level: number) => {
    const picture = flat(2, 2, [level, level, level, 255]);
    return pixel(await applied("filter", { tone }, picture), 1, 1)[0];
  };

  it("is what CSS filters make of encoded values", async () => {
    expect(await toned({ brightness: 1.5 }, 100)).toBe(150);
    expect(await toned({ brightness: 0 }, 100)).toBe(0);
    expect(await toned({ contrast: 0.5 }, 27)).toBe(77);
    expect(await toned({ contrast: 2 }, 100)).toBe(73);
    expect(await toned({ gamma: 2 }, 64)).toBe(128);
    const gray = await applied("filter", { tone: { saturation: 0 } }, flat(2, 2, [255, 0, 0, 255]));
    expect(pixel(gray, 0, 0)).toEqual([54, 54, 54, 255]);
  });
});

describe("pixellate", () => {
  it("has one color in each cell, the mean of its pixels", async () => {
    const side = fc.integer({ min: 2, max: 30 });
    await fc.assert(
      fc.asyncProperty(side, side, side, async (size, width, height) => {
        const pixels = noise(width, height);
        const result = await filtered({ pixellate: { value: size } }, pixels);
        for (let top = 0; top < height; top += size) {
          for (let left = 0; left < width; left += size) {
            const color = pixel(result, left, top);
            const cell: number[][] = [];
            for (let y = top; y < Math.min(height, top + size); y++) {
              for (let x = left; x < Math.min(width, left + size); x++) {
                expect(pixel(result, x, y)).toEqual(color);
                cell.push(pixel(pixels, x, y));
              }
            }
            for (const c of [0, 1, 2] as const) {
              const exact = cell.reduce((sum, one) => sum + (one[c] ?? 0), 0) / cell.length;
              expect(Math.abs(color[c] - exact)).toBeLessThanOrEqual(0.501);
            }
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("weighs colors with alpha", async () => {
    const pixels = paint(2, 1, (x) => (x === 0 ? [200, 0, 0, 255] : [0, 255, 0, 0]));
    expect(pixel(await filtered({ pixellate: { value: 2 } }, pixels, false), 1, 0)).toEqual([200, 0, 0, 128]);
  });
});

/** The median around every sample, edges extended. */
function medians({ width, height, data }: Pixels, radius: number): Uint8Array {
  const offsets = Array.from({ length: 2 * radius + 1 }, (_, index) => index - radius);
  const inside = (at: number, size: number) => Math.min(size - 1, Math.max(0, at));
  return data.map((_, at) => {
    const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
    const box = offsets.flatMap((down) =>
      offsets.map((right) =>
        sample(data, (inside(y + down, height) * width + inside(x + right, width)) * 4 + (at % 4)),
      ),
    );
    return box.toSorted((a, b) => a - b)[(box.length - 1) / 2] ?? Number.NaN;
  });
}

describe("blurs", () => {
  it.each([
    ["gaussian", 0.3],
    ["gaussian", 3],
    ["gaussian", 6],
    ["box", 5],
    ["disc", 4.5],
    ["disc", 16],
    ["motion", 9.5],
    ["motion", 60],
    ["zoom", 60],
  ])("%s gives an opaque picture the colors that it has with alpha (%d)", async (mode, value) => {
    const pixels = noise(83, 61);
    const params = { blur: { mode, value, angle: 25 } };
    expect(
      largestDifference(await filtered(params, pixels), await filtered(params, pixels, false)),
    ).toBeLessThanOrEqual(1);
  });

  it.each([
    ["box", 2],
    ["disc", 3],
    ["motion", 4],
    ["motion", 20],
  ])("%s spreads a point without loss (%d)", async (mode, value) => {
    const point = paint(99, 99, (x, y) => (x === 49 && y === 49 ? [255, 255, 255, 255] : [0, 0, 0, 0]));
    const { data } = await filtered({ blur: { mode, value, angle: 30 } }, point, false);
    let sum = 0;
    for (let at = 3; at < data.length; at += 4) sum += sample(data, at);
    // Each of the result's pixels is rounded.
    expect(Math.abs(sum - 255)).toBeLessThanOrEqual(40);
    for (let at = 0; at < data.length; at += 4) {
      if (sample(data, at + 3) > 0) expect([...data.subarray(at, at + 3)]).toEqual([255, 255, 255]);
    }
  });

  it.each([1, 2, 3])("median is the middle one of all samples around (%d)", async (radius) => {
    const side = fc.integer({ min: 1, max: 19 });
    const check = fc.asyncProperty(side, side, fc.integer({ min: 1, max: 255 }), async (width, height, levels) => {
      const pixels = noise(width, height);
      const coarse = { ...pixels, data: pixels.data.map((level, at) => (at % 4 === 3 ? 255 : level % levels)) };
      const { data } = await filtered({ blur: { mode: "median", value: radius } }, coarse);
      expect(data).toEqual(medians(coarse, radius));
    });
    await fc.assert(check, { numRuns: 25 });
  });

  it("motion goes in its direction only", async () => {
    const line = paint(41, 41, (x) => (x === 20 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
    expect((await filtered({ blur: { mode: "motion", value: 8, angle: 90 } }, line)).data).toEqual(line.data);
    const across = await filtered({ blur: { mode: "motion", value: 8 } }, line);
    expect(pixel(across, 14, 20)[0]).toBe(15);
    // A downward slope to the right for a positive angle.
    const point = paint(41, 41, (x, y) => (x === 20 && y === 20 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
    const sloped = await filtered({ blur: { mode: "motion", value: 8, angle: 45 } }, point);
    expect(pixel(sloped, 23, 23)[0]).toBeGreaterThan(5);
    expect(pixel(sloped, 23, 17)[0]).toBe(0);
  });

  it("zoom leaves the center sharp and smears along the rays", async () => {
    const stripes = paint(81, 81, (x) => (x & 1 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
    const result = await filtered({ blur: { mode: "zoom", value: 50 } }, stripes);
    expect(pixel(result, 40, 40)[0]).toBe(0);
    expect(Math.abs(pixel(result, 5, 40)[0] - 127)).toBeLessThan(50);
    const rings = await filtered(
      { blur: { mode: "zoom", value: 50 } },
      paint(81, 81, (_, y) => [y * 3, 0, 0, 255]),
    );
    expect(pixel(rings, 0, 40)[0]).toBe(120);
  });
});

describe("halftone", () => {
  it.each(["dot", "line", "circular", "hatched", "cmyk"])("%s keeps the mean tone of an area", async (mode) => {
    for (const sharpness of [0, 70, 100]) {
      for (const tone of [0, 40, 128, 200, 255]) {
        const result = await filtered(
          { halftone: { mode, value: 8, angle: 22, sharpness } },
          flat(200, 200, [tone, tone, tone, 255]),
        );
        expect(Math.abs(mean(result, 1) - tone)).toBeLessThan(mode === "cmyk" ? 6 : 3);
      }
    }
  });

  it("is black and white at full sharpness, and keeps alpha", async () => {
    const pixels = noise(40, 40, false);
    const { data } = await filtered({ halftone: { value: 60, sharpness: 100 } }, pixels, false);
    for (let at = 3; at < data.length; at += 4) expect(data[at]).toBe(pixels.data[at]);
    expect((await filtered({ halftone: { value: 9 } }, flat(5, 5, [255, 255, 255, 255]))).data).toEqual(
      flat(5, 5, [255, 255, 255, 255]).data,
    );
  });

  it("prints a pure ink as it is", async () => {
    const cyan = flat(20, 20, [0, 255, 255, 255]);
    expect((await filtered({ halftone: { mode: "cmyk", value: 6 } }, cyan)).data).toEqual(cyan.data);
  });
});
