/** Adjustments, against the curves that define them. */
import { describe, expect, it } from "vitest";

import { checked } from "../../../src/contract/message.ts";
import { UploadBody } from "../../../src/contract/request.ts";
import { applied, flat, pixel } from "../../support/operations.ts";
import { noise, paint, type Pixels, sample } from "../../support/rows.ts";

/** All grays, in a row. */
const RAMP = paint(256, 1, (x) => [x, x, x, 255]);
const NOISE = noise(64, 32);

const toLinear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const fromLinear = (c: number) => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);
const level = (value: number) => Math.min(1, Math.max(0, value)) * 255;
const luma = ([red = 0, green = 0, blue = 0]: readonly number[]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

async function adjusted(params: object, pixels: Pixels = RAMP): Promise<Pixels> {
  return applied("adjust", params, pixels);
}

/** The red samples of the ramp. */
async function curve(params: object): Promise<number[]> {
  const { data } = await adjusted(params);
  return Array.from({ length: 256 }, (_, x) => sample(data, x * 4));
}

/** Every level as a formula on 0 to 1 says, correctly rounded. */
async function expectCurve(params: object, formula: (level: number) => number): Promise<void> {
  for (const [x, result] of (await curve(params)).entries()) {
    expect(Math.abs(result - level(formula(x / 255)))).toBeLessThanOrEqual(0.501);
  }
}

describe("curves", () => {
  it.each([-100, -30, 50, 100])("exposure %d: four times the light for 100", async (value) => {
    await expectCurve({ exposure: value }, (c) => fromLinear(toLinear(c) * 4 ** (value / 100)));
  });

  it.each([-100, -7, 40])("brightness %d", async (value) => {
    await expectCurve({ brightness: value }, (c) => c + value / 200);
  });

  it.each([
    [-100, 0],
    [-40, 0.6],
    [50, 1 / 0.505],
    [100, 8],
  ])("contrast %d: a slope of %d around the middle", async (value, slope) => {
    await expectCurve({ contrast: value }, (c) => (c - 0.5) * slope + 0.5);
  });

  it.each([-100, 100])("gamma %d", async (value) => {
    await expectCurve({ gamma: value }, (c) => c ** (2 ** (-value / 100)));
  });

  it.each([
    { shadows: 100 },
    { shadows: -100 },
    { highlights: 100 },
    { highlights: -100 },
    { shadows: 100, highlights: -100 },
  ])("%o keeps black and white, and the order of tones", async (params) => {
    const result = await curve(params);
    expect([result[0], result[255]]).toEqual([0, 255]);
    expect(result).toEqual([...result].sort((a, b) => a - b));
  });

  it("lifts shadows more than highlights, and the other way round", async () => {
    const lifted = await curve({ shadows: 100 });
    expect((lifted[64] ?? 0) - 64).toBeGreaterThan(5 * ((lifted[192] ?? 0) - 192));
    const lowered = await curve({ highlights: -100 });
    expect(192 - (lowered[192] ?? 0)).toBeGreaterThan(5 * (64 - (lowered[64] ?? 0)));
  });

  it("keeps hue while it lifts shadows", async () => {
    const [red, green, blue] = pixel(await adjusted({ shadows: 100 }, flat(3, 3, [60, 30, 10, 255])), 1, 1);
    expect(red).toBeGreaterThan(90);
    expect(green / red).toBeCloseTo(0.5, 1);
    expect(blue / red).toBeCloseTo(1 / 6, 1);
    // Blue has little luma, but cannot get bluer than it is.
    expect(pixel(await adjusted({ shadows: 100 }, flat(3, 3, [0, 0, 255, 255])), 1, 1)).toEqual([0, 0, 255, 255]);
  });
});

describe("white balance", () => {
  it.each([
    [{ temperature: 100 }, "warmer", (red: number, _: number, blue: number) => red > blue + 40],
    [{ temperature: -100 }, "cooler", (red: number, _: number, blue: number) => blue > red + 30],
    [{ tint: 100 }, "more magenta", (red: number, green: number) => red > green + 10],
    [{ tint: -100 }, "greener", (red: number, green: number) => green > red + 10],
  ] as const)("%o is %s at the same luminance", async (params, _, holds) => {
    const [red, green, blue] = pixel(await adjusted(params, flat(2, 2, [120, 120, 120, 255])), 0, 0);
    expect(holds(red, green, blue)).toBe(true);
    expect(luma([red, green, blue].map((c) => toLinear(c / 255)))).toBeCloseTo(toLinear(120 / 255), 2);
  });
});

describe("color", () => {
  it("mixes with luma", async () => {
    for (const value of [-100, -50, 60]) {
      const { data } = await adjusted({ saturation: value }, NOISE);
      for (let at = 0; at < data.length; at += 4) {
        const color = [0, 1, 2].map((c) => sample(NOISE.data, at + c));
        for (const [c, from] of color.entries()) {
          const exact = luma(color) + (from - luma(color)) * (1 + value / 100);
          expect(Math.abs(sample(data, at + c) - Math.min(255, Math.max(0, exact)))).toBeLessThan(0.51);
        }
      }
    }
  });

  it("has grayscale as the end of desaturation, and inverts last", async () => {
    expect((await adjusted({ grayscale: true }, NOISE)).data).toEqual(
      (await adjusted({ saturation: -100 }, NOISE)).data,
    );
    const plain = (await adjusted({ grayscale: true }, NOISE)).data.map((value, at) =>
      at % 4 === 3 ? value : 255 - value,
    );
    const inverted = (await adjusted({ invert: true, grayscale: true }, NOISE)).data;
    for (const [at, value] of inverted.entries()) expect(Math.abs(value - sample(plain, at))).toBeLessThanOrEqual(1);
    expect((await adjusted({ invert: true }, await adjusted({ invert: true }, NOISE))).data).toEqual(NOISE.data);
  });

  it("turns hues: 120 degrees bring red close to green; grays stay", async () => {
    const [red, green, blue] = pixel(await adjusted({ hue: 120 }, flat(1, 1, [200, 0, 0, 255])), 0, 0);
    expect(green).toBeGreaterThan(Math.max(red, blue) + 40);
    expect((await adjusted({ hue: 77 })).data).toEqual(RAMP.data);
    expect((await adjusted({ hue: -90 }, NOISE)).data).toEqual((await adjusted({ hue: 270 }, NOISE)).data);
  });

  it("gives vibrance to dull colors rather than to strong ones", async () => {
    const gain = async (color: readonly [number, number, number, number]) => {
      const [red, , blue] = pixel(await adjusted({ vibrance: 100 }, flat(1, 1, color)), 0, 0);
      return (red - blue) / (color[0] - color[2]);
    };
    expect(await gain([140, 128, 116, 255])).toBeGreaterThan(1.8);
    expect(await gain([230, 128, 30, 255])).toBeLessThan(1.3);
    expect((await adjusted({ vibrance: 100 })).data).toEqual(RAMP.data);
  });
});

describe("sharpening", () => {
  it.each(["sharpen", "unsharp"])("%s steepens an edge, the same in all channels", async (name) => {
    const edge = paint(40, 5, (x) => (x < 20 ? [100, 80, 60, 255] : [140, 120, 100, 255]));
    const sharp = await adjusted({ [name]: 50 }, edge);
    const [dark, bright] = [pixel(sharp, 19, 2), pixel(sharp, 20, 2)];
    expect(dark[0]).toBeLessThan(98);
    expect(bright[0]).toBeGreaterThan(142);
    expect(dark[0] - dark[2]).toBe(40);
    expect(pixel(sharp, 0, 2)).toEqual([100, 80, 60, 255]);
  });

  it("does not see transparent pixels, and keeps alpha", async () => {
    const pixels = paint(30, 9, (x) => (x < 15 ? [90, 90, 90, 255] : [255, 255, 255, 0]));
    const { data } = await applied("adjust", { unsharp: 100 }, pixels, { opaque: false });
    expect(data).toEqual(pixels.data);
  });
});

it.each([
  [{ contrast: 101 }, "adjust.contrast must be an integer between -100 and 100"],
  [{ contrast: 0.5 }, "adjust.contrast must be an integer between -100 and 100"],
  [{ sharpen: -1 }, "adjust.sharpen must be an integer between 0 and 100"],
  [{ hue: 361 }, "adjust.hue must be an integer between -180 and 360"],
  [{ invert: 1 }, "adjust.invert must be true or false"],
  [{ warmth: 1 }, "adjust.warmth is not a known parameter"],
])("refuses %o", (adjust, message) => {
  expect(() => checked(UploadBody, { adjust })).toThrow(message);
});
