/** Gaussian blur, against the curve that defines it. */
import { describe, expect, it } from "vitest";

import { blur } from "../../../src/image/steps/blur.ts";
import { drain, noise, paint, type Pixels, rowsOf, sample } from "../../support/rows.ts";

/** A white column in black: a blur turns it into the profile of its kernel. */
function line(width: number, height: number): Pixels {
  return paint(width, height, (x) => (x === (width - 1) / 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
}

/** Black and white halves: a blur turns the edge into the integral of its kernel. */
function edge(width: number, height: number): Pixels {
  return paint(width, height, (x) => (x < width / 2 ? [0, 0, 0, 255] : [255, 255, 255, 255]));
}

/** Abramowitz and Stegun 7.1.26. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - tail * Math.exp(-x * x));
}

/** A Gaussian in double precision, of distances below `reach`; edges extended. */
function defined({ width, height, data }: Pixels, sigma: number, reach: number): Float64Array {
  const offsets = Array.from({ length: 2 * Math.ceil(reach) - 1 }, (_, index) => index - Math.ceil(reach) + 1);
  const sum = offsets.reduce((total, k) => total + Math.exp((-k * k) / (2 * sigma * sigma)), 0);
  const pass = (from: ArrayLike<number>, across: boolean) =>
    Float64Array.from({ length: data.length }, (_, at) => {
      const [c, x, y] = [at % 4, (at >> 2) % width, Math.floor((at >> 2) / width)];
      return offsets.reduce((total, k) => {
        const column = across ? Math.min(width - 1, Math.max(0, x + k)) : x;
        const row = across ? y : Math.min(height - 1, Math.max(0, y + k));
        return (
          total +
          (Math.exp((-k * k) / (2 * sigma * sigma)) / sum) * (from[(row * width + column) * 4 + c] ?? Number.NaN)
        );
      }, 0);
    });
  return pass(pass(data, false), true);
}

describe("Gaussian blur", () => {
  it.each([1, 2.5, 6, 7, 12, 25, 60])("has the profile of a Gaussian: sigma %d", async (sigma) => {
    const width = Math.ceil(sigma * 10) * 2;
    const { data } = await drain(blur(rowsOf(edge(width, 40)), sigma));
    for (let x = 0; x < width; x++) {
      const expected = 127.5 * (1 + erf((x + 0.5 - width / 2) / (sigma * Math.SQRT2)));
      expect(Math.abs(sample(data, (20 * width + x) * 4) - expected)).toBeLessThanOrEqual(2.5);
    }
  });

  it.each([0.6, 1.3, 2, 4, 6])(
    "is within a tenth of a level of its definition before rounding: sigma %d",
    async (sigma) => {
      const pixels = noise(61, 47);
      const { data } = await drain(blur(rowsOf(pixels), sigma));
      const exact = defined(pixels, sigma, 3.3 * sigma);
      for (let at = 0; at < data.length; at++) {
        expect(Math.abs(sample(data, at) - (exact[at] ?? Number.NaN))).toBeLessThanOrEqual(0.6);
      }
    },
  );

  it("keeps the brightness of what it spreads", async () => {
    const { data } = await drain(blur(rowsOf(line(101, 20)), 3));
    let sum = 0;
    for (let x = 0; x < 101; x++) sum += sample(data, (10 * 101 + x) * 4);
    expect(Math.abs(sum - 255)).toBeLessThan(12);
  });

  it.each([0.5, 4, 30])("keeps a flat picture flat: sigma %d", async (sigma) => {
    const flat = paint(90, 70, () => [10, 200, 77, 130]);
    expect((await drain(blur(rowsOf(flat, false), sigma))).data).toEqual(flat.data);
  });

  it("spreads no color out of transparent pixels", async () => {
    const pixels = paint(60, 30, (x) => (x < 30 ? [0, 0, 255, 255] : [255, 255, 0, 0]));
    const { data } = await drain(blur(rowsOf(pixels, false), 4));
    for (let at = 0; at < data.length; at += 4) {
      if (sample(data, at + 3) > 8) expect([...data.subarray(at, at + 2)]).toEqual([0, 0]);
    }
  });

  it("leaves the picture alone where nothing would be seen", async () => {
    const pixels = edge(20, 5);
    expect((await drain(blur(rowsOf(pixels), 0.1))).data).toEqual(pixels.data);
  });
});
