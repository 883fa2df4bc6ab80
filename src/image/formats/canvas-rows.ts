/** The canvas of an animation as rows. */
import type { Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";

/** What the frames of an animation are drawn on, one after the other. */
interface Canvas extends Size {
  /** `count` rows from `y` on, RGBA; a view that is valid until the canvas changes. */
  rows(y: number, count: number): Uint8Array;
}

/** The canvas as it is while the rows are read: nothing may be drawn on it before. It stays its owner's to close. */
export function canvasRows(canvas: Canvas, opaque: boolean): Rows {
  const { width, height } = canvas;
  let y = 0;
  return {
    width,
    height,
    opaque,
    async read(max) {
      const count = Math.min(max, height - y);
      if (count === 0) return null;
      y += count;
      return canvas.rows(y - count, count);
    },
    async skip(count) {
      y = Math.min(height, y + count);
    },
    close() {},
  };
}
