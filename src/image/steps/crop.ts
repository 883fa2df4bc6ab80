/** Regions of a picture at its own size. */
import { BAND_ROWS } from "../pixels/bands.ts";
import type { Box } from "../pixels/geometry.ts";
import { type Rows, bytesPerPixel, rowsOf, skipRows } from "../pixels/rows.ts";

/** The region of a picture; `box` is in whole pixels and lies inside. */
export function crop(rows: Rows, box: Box): Rows {
  if (![box.x, box.y, box.width, box.height].every(Number.isInteger)) throw new Error("a crop of parts of pixels");
  const pixelBytes = bytesPerPixel(rows);
  const sourceStride = rows.width * pixelBytes;
  const stride = box.width * pixelBytes;
  const band = box.width === rows.width ? null : new Uint8Array(stride * BAND_ROWS);
  let skipped = box.y === 0;
  let left = box.height;
  return rowsOf(rows, {
    width: box.width,
    height: box.height,
    async read(max) {
      if (!skipped) await skipRows(rows, box.y);
      skipped = true;
      if (left === 0) return null;
      const source = await rows.read(Math.min(max, left, band ? BAND_ROWS : left));
      if (!source) return null;
      const count = source.length / sourceStride;
      left -= count;
      if (!band) return source;
      for (let row = 0; row < count; row++) {
        const from = row * sourceStride + box.x * pixelBytes;
        band.set(source.subarray(from, from + stride), row * stride);
      }
      return band.subarray(0, count * stride);
    },
  });
}
