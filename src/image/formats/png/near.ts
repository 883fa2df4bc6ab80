/** Pictures in all their colors, but not quite: samples are moved by a few levels where that saves bytes. */
import { NEAR_WINDOW_ROWS, openNearRows } from "../../../../wasm/pixels/near.ts";
import { mapFrames, type Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";

/** The filter behind which moved samples take fewer bytes. */
export const NEAR_FILTER = "average";

/** The picture with samples moved by at most half of `step` levels, 2 to 31. */
export function nearPicture(picture: Picture, step: number): Picture {
  return mapFrames(picture, (rows) => nearRows(rows, step));
}

function nearRows(rows: Rows, step: number): Rows {
  const { width, height, opaque } = rows;
  const near = openNearRows(width, step);
  return {
    width,
    height,
    opaque,
    async read(max) {
      const band = await rows.read(Math.min(max, NEAR_WINDOW_ROWS));
      return band && near.move(band);
    },
    close() {
      near.close();
      rows.close();
    },
  };
}
