/** Colors as weighted sums of their red, green and blue, on encoded values. */
import { BandTable } from "../../../wasm/pixels/band.ts";
import { LUMA } from "../color/light.ts";
import { mapBands } from "../pixels/bands.ts";
import type { Rows } from "../pixels/rows.ts";

/**
 * Three rows of four: the factors of red, green and blue, and an offset in levels, for the new red, green and blue.
 */
export type ColorMatrix = readonly [
  ...(readonly [number, number, number, number]),
  ...(readonly [number, number, number, number]),
  ...(readonly [number, number, number, number]),
];

export const IDENTITY: ColorMatrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
export const INVERT: ColorMatrix = [-1, 0, 0, 255, 0, -1, 0, 255, 0, 0, -1, 255];
export const GRAYSCALE: ColorMatrix = ramp([0, 0, 0], [255, 255, 255]);

/** The `sepia` of W3C Filter Effects Module Level 1, section 6, at its full amount. */
export const SEPIA: ColorMatrix = [0.393, 0.769, 0.189, 0, 0.349, 0.686, 0.168, 0, 0.272, 0.534, 0.131, 0];

/** `dark + (light - dark) * luma`: black becomes one color, white the other, both in levels. */
export function ramp(dark: readonly number[], light: readonly number[]): ColorMatrix {
  return [0, 1, 2].flatMap((channel) => {
    const from = dark[channel]!;
    const range = (light[channel]! - from) / 255;
    return [LUMA[0] * range, LUMA[1] * range, LUMA[2] * range, from];
  }) as unknown as ColorMatrix;
}

/** Every color moved away from its luma by `factor`: 0 is gray, 1 changes nothing. */
export function saturate(factor: number): ColorMatrix {
  return mix(GRAYSCALE, IDENTITY, factor);
}

/** The `hueRotate` of W3C Filter Effects Module Level 1, section 9.5: about the gray axis, luma stays. */
export function rotateHue(degrees: number): ColorMatrix {
  const cosine = Math.cos((degrees * Math.PI) / 180);
  const sine = Math.sin((degrees * Math.PI) / 180);
  const gray = [0.213, 0.715, 0.072, 0, 0.213, 0.715, 0.072, 0, 0.213, 0.715, 0.072, 0];
  const even = [0.787, -0.715, -0.072, 0, -0.213, 0.285, -0.072, 0, -0.213, -0.715, 0.928, 0];
  const odd = [-0.213, -0.715, 0.928, 0, 0.143, 0.14, -0.283, 0, -0.787, 0.715, 0.072, 0];
  return gray.map((value, index) => value + cosine * even[index]! + sine * odd[index]!) as unknown as ColorMatrix;
}

/** `(1 - share) * from + share * to`. */
export function mix(from: ColorMatrix, to: ColorMatrix, share: number): ColorMatrix {
  return from.map((value, index) => value * (1 - share) + to[index]! * share) as unknown as ColorMatrix;
}

/** `first`, then `second`, without rounding in between. */
export function compose(first: ColorMatrix, second: ColorMatrix): ColorMatrix {
  const product: number[] = [];
  for (let row = 0; row < 12; row += 4) {
    for (let column = 0; column < 4; column++) {
      let sum = column === 3 ? second[row + 3]! : 0;
      for (let k = 0; k < 3; k++) sum += second[row + k]! * first[k * 4 + column]!;
      product.push(sum);
    }
  }
  return product as unknown as ColorMatrix;
}

/** Every color as a weighted sum of its red, green and blue; alpha stays. */
export function matrix(rows: Rows, factors: ColorMatrix): Rows {
  const table = new BandTable(Float32Array.from(factors));
  return mapBands(rows, (band) => band.multiply(table), { tables: [table] });
}
