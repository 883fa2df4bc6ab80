/** One picture laid on another. */
import { openOverlay } from "../../../wasm/effects/colors.ts";
import { BAND_ROWS } from "../band.ts";
import type { Box } from "../geometry.ts";
import type { Rows } from "../rows.ts";
import { filled } from "./filled.ts";

/** Lays a picture on another, its top-left corner at `at`; it must fit inside. `opacity`, 0 to 1, weakens its alpha. */
export function lay(rows: Rows, over: Rows, at: Pick<Box, "x" | "y">, opacity: number): Rows {
  const overlay = openOverlay(rows.width, over.width, opacity);
  const stride = rows.width * 4;
  const overStride = over.width * 4;
  const band = new Uint8Array(BAND_ROWS * overStride);
  const under = new Uint8Array(BAND_ROWS * stride);
  let y = 0;
  return {
    width: rows.width,
    height: rows.height,
    opaque: rows.opaque,
    async read(max) {
      const inside = y >= at.y && y < at.y + over.height;
      const edge = inside ? at.y + over.height : y < at.y ? at.y : rows.height;
      if (!inside) {
        const base = await rows.read(Math.min(max, Math.max(1, edge - y)));
        if (base) y += base.length / stride;
        return base;
      }
      const count = Math.min(max, BAND_ROWS, edge - y);
      const upper = await filled(over, band.subarray(0, count * overStride));
      const base = await filled(rows, under.subarray(0, count * stride));
      y += count;
      return overlay.blend(base, upper, at.x);
    },
    close() {
      overlay.close();
      over.close();
      rows.close();
    },
  };
}
