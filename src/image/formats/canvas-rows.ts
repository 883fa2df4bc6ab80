import type { Size } from "../geometry.ts";
import type { Rows } from "../rows.ts";

/** What the frames of an animation are drawn on, one after the other. */
interface Canvas extends Size {
  /** `count` rows from `y` on, RGBA; a view that is valid until the canvas changes. */
  rows(y: number, count: number): Uint8Array;
}

/** The canvas of an animation as it is while the rows are read. The canvas stays its owner's to close. */
export function canvasRows(canvas: Canvas, opaque: boolean): Rows {
  let y = 0;
  return {
    width: canvas.width,
    height: canvas.height,
    opaque,
    read(max) {
      const count = Math.min(max, canvas.height - y);
      if (count === 0) return null;
      y += count;
      // A copy: the next frame is drawn onto this one.
      return canvas.rows(y - count, count).slice();
    },
    close() {},
  };
}
