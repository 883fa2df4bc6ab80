import type { Box } from "../geometry.ts";
import type { Rows } from "../rows.ts";

const BAND_ROWS = 16;

/** The region of a picture; `box` is in whole pixels and lies inside. */
export function crop(rows: Rows, box: Box): Rows {
  if (![box.x, box.y, box.width, box.height].every(Number.isInteger)) throw new Error("a crop of parts of pixels");
  const sourceStride = rows.width * 4;
  const stride = box.width * 4;
  const band = box.width === rows.width ? null : new Uint8Array(stride * BAND_ROWS);
  let skip = box.y;
  let left = box.height;
  return {
    width: box.width,
    height: box.height,
    opaque: rows.opaque,
    read(max) {
      while (skip > 0) {
        const skipped = rows.read(skip);
        if (!skipped) return null;
        skip -= skipped.length / sourceStride;
      }
      if (left === 0) return null;
      const source = rows.read(Math.min(max, left, band ? BAND_ROWS : left));
      if (!source) return null;
      const count = source.length / sourceStride;
      left -= count;
      if (!band) return source;
      for (let row = 0; row < count; row++) {
        const from = row * sourceStride + box.x * 4;
        band.set(source.subarray(from, from + stride), row * stride);
      }
      return band.subarray(0, count * stride);
    },
    close: () => rows.close(),
  };
}
