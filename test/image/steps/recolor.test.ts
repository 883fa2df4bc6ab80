/** Work on the colors of single pixels. */
import { describe, expect, it } from "vitest";

import { type ColorMatrix, matrix } from "../../../src/image/steps/color-matrices.ts";
import { flatten } from "../../../src/image/steps/flatten.ts";
import { mapLevels } from "../../../src/image/steps/tables.ts";
import { Band } from "../../../wasm/pixels/band.ts";
import { drain, noise, rowsOf, sample } from "../../support/rows.ts";

const PIXELS = noise(61, 33, false);

/** Every pixel through a function of its four samples. */
function mapped(work: (red: number, green: number, blue: number, alpha: number) => readonly number[]): Uint8Array {
  const data = PIXELS.data.slice();
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = data.subarray(at, at + 4) as unknown as [number, number, number, number];
    data.set(work(red, green, blue, alpha), at);
  }
  return data;
}

describe("recoloring", () => {
  it("puts a picture on a color", async () => {
    const over = (color: number, ground: number, alpha: number) =>
      Math.round((color * alpha + ground * (255 - alpha)) / 255);
    const expected = mapped((r, g, b, a) => [over(r, 10, a), over(g, 250, a), over(b, 128, a), 255]);
    const rows = flatten(rowsOf(PIXELS, false), [10, 250, 128, 255]);
    expect(rows.opaque).toBe(true);
    expect((await drain(rows)).data).toEqual(expected);
  });

  it("multiplies colors with a matrix, clamps them, and keeps alpha", async () => {
    const factors: ColorMatrix = [0.5, 0.25, 0.25, 10, -1, 2, 0, -20.5, 0, 0, 1, 0];
    const clamp = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
    const expected = mapped((r, g, b, a) => [
      clamp(0.5 * r + 0.25 * g + 0.25 * b + 10),
      clamp(-r + 2 * g - 20.5),
      b,
      a,
    ]);
    const { data } = await drain(matrix(rowsOf(PIXELS, false), factors));
    for (let at = 0; at < data.length; at++)
      expect(Math.abs(sample(data, at) - sample(expected, at))).toBeLessThanOrEqual(1);
    expect((await drain(matrix(rowsOf(PIXELS, false), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]))).data).toEqual(
      PIXELS.data,
    );
  });

  it("maps levels by tables", async () => {
    const inverted = Uint8Array.from({ length: 256 }, (_, level) => 255 - level);
    const expected = mapped((r, g, b, a) => [255 - r, g, b, 255 - a]);
    expect((await drain(mapLevels(rowsOf(PIXELS, false), { red: inverted, alpha: inverted }))).data).toEqual(expected);
  });
});

describe("a band of pixels", () => {
  it("composes with source over, in straight alpha", () => {
    const over = noise(61, 33, false);
    over.data.reverse();
    const [base, top] = [new Band(61 * 33), new Band(61 * 33)];
    const result = base.load(PIXELS.data).composite(top.load(over.data), 200).pixels.slice();
    base.close();
    top.close();
    for (let at = 0; at < result.length; at += 4) {
      const above = ((sample(over.data, at + 3) / 255) * 200) / 255;
      const below = (sample(PIXELS.data, at + 3) / 255) * (1 - above);
      const total = above + below;
      expect(Math.abs(sample(result, at + 3) - total * 255)).toBeLessThanOrEqual(1);
      if (total < 0.05) continue;
      for (let c = 0; c < 3; c++) {
        const expected = (sample(over.data, at + c) * above + sample(PIXELS.data, at + c) * below) / total;
        expect(Math.abs(sample(result, at + c) - expected) * total).toBeLessThanOrEqual(2);
      }
    }
  });

  it("premultiplies and divides again", () => {
    const band = new Band(61 * 33);
    const result = band.load(PIXELS.data).premultiply().unpremultiply().pixels.slice();
    band.close();
    for (let at = 0; at < result.length; at += 4) {
      const alpha = sample(PIXELS.data, at + 3);
      expect(result[at + 3]).toBe(alpha);
      for (let c = 0; c < 3; c++) {
        expect(
          Math.abs(sample(result, at + c) - (alpha ? sample(PIXELS.data, at + c) : 0)) * alpha,
        ).toBeLessThanOrEqual(255);
      }
    }
  });

  it.each([1, 3, 4, 5, 61 * 33])("gives %i pixels away as colors, and takes them back", (count) => {
    const pixels = PIXELS.data.subarray(0, count * 4);
    const colors = pixels.filter((_, at) => at % 4 < 3);
    const opaque = pixels.map((level, at) => (at % 4 < 3 ? level : 255));
    const band = new Band(count);
    expect(band.load(pixels).takeColors()).toEqual(colors);
    expect(band.loadOpaque(colors).pixels).toEqual(opaque);
    expect(() => band.loadOpaque(new Uint8Array(count * 3 + 3))).toThrow(RangeError);
    band.close();
  });

  it("refuses more pixels than it holds", () => {
    const band = new Band(4);
    expect(() => band.load(new Uint8Array(20))).toThrow(RangeError);
    band.close();
  });
});
