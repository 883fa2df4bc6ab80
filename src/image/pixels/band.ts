/** Work on a picture's pixels in place, a few rows at a time. */
import { PAGE_BYTES } from "../../../wasm/estimate.ts";
import { Band } from "../../../wasm/pixels/band.ts";
import { type Rows, rowsOf } from "./rows.ts";

/** Rows that a step works on at a time: enough to make calls cheap, few enough to stay in the cache. */
export const BAND_ROWS = 16;

/** Bytes that a band of rows of this many pixels takes. */
export function bandBytes(width: number): number {
  return width * 4 * BAND_ROWS + PAGE_BYTES;
}

/** A picture whose pixels are changed in place, a few rows at a time; `tables` are closed with it. */
export function mapBands(
  rows: Rows,
  work: (band: Band) => void,
  { opaque = rows.opaque, tables = [] }: { opaque?: boolean; tables?: readonly { close(): void }[] } = {},
): Rows {
  const band = new Band(rows.width * BAND_ROWS);
  return rowsOf(rows, {
    opaque,
    async read(max) {
      const source = await rows.read(Math.min(max, BAND_ROWS));
      if (!source) return null;
      work(band.load(source));
      return band.pixels;
    },
    close() {
      band.close();
      for (const table of tables) table.close();
      rows.close();
    },
  });
}
