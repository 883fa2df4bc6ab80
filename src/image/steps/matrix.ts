/** Colors as weighted sums of what they were. */
import { BandTable } from "../../../wasm/pixels/band.ts";
import { mapBands } from "../pixels/band.ts";
import type { Rows } from "../pixels/rows.ts";

/**
 * Three rows of four: the factors of red, green and blue, and an offset in levels, for the new red, green and blue.
 */
export type ColorMatrix = readonly [
  ...(readonly [number, number, number, number]),
  ...(readonly [number, number, number, number]),
  ...(readonly [number, number, number, number]),
];

/** Every color as a weighted sum of its red, green and blue; alpha stays. */
export function matrix(rows: Rows, factors: ColorMatrix): Rows {
  const table = new BandTable(Float32Array.from(factors));
  return mapBands(rows, (band) => band.multiply(table), { tables: [table] });
}
