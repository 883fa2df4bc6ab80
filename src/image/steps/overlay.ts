/** One picture laid on another. */
import { openOverlay, overlayEstimate } from "../../../wasm/effects/colors.ts";
import { type Estimate, held, parallel } from "../../../wasm/estimate.ts";
import { BAND_ROWS, bandBytes } from "../pixels/bands.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import { type Rows, filled, rowsOf } from "../pixels/rows.ts";

/** A picture that is opened when the rows that it lies on are reached. */
export interface Cover extends Size {
  readonly open: () => Promise<Rows>;
}

/** Lays a picture on another, its top-left corner at `at`; it must fit inside. `opacity`, 0 to 1, weakens its alpha. */
export function lay(rows: Rows, cover: Cover, at: Pick<Box, "x" | "y">, opacity: number): Rows {
  const overlay = openOverlay(rows.width, cover.width, opacity);
  const stride = rows.width * 4;
  const overStride = cover.width * 4;
  const under = new Uint8Array(BAND_ROWS * stride);
  const band = new Uint8Array(BAND_ROWS * overStride);
  let over: Rows | undefined;
  let y = 0;
  return rowsOf(rows, {
    async read(max) {
      const inside = y >= at.y && y < at.y + cover.height;
      const edge = inside ? at.y + cover.height : y < at.y ? at.y : rows.height;
      if (!inside) {
        const base = await rows.read(Math.min(max, Math.max(1, edge - y)));
        if (base) y += base.length / stride;
        return base;
      }
      over ??= await cover.open();
      const count = Math.min(max, BAND_ROWS, edge - y);
      const upper = await filled(over, band.subarray(0, count * overStride));
      const base = await filled(rows, under.subarray(0, count * stride));
      y += count;
      return overlay.blend(base, upper, at.x);
    },
    close() {
      overlay.close();
      over?.close();
      rows.close();
    },
  });
}

/** The estimate of laying a picture of one size on one of another; opening it is not in it. */
export function layEstimate(size: Size, cover: Size): Estimate {
  return parallel(overlayEstimate(size, cover), held(bandBytes(size.width) + bandBytes(cover.width)));
}
