import { openOverlay } from "../../../wasm/effects/colors.ts";
import { BAND_ROWS } from "../band.ts";
import type { Box } from "../geometry.ts";
import type { Rows } from "../rows.ts";

/** Lays a picture on another, its top-left corner at `at`; it must fit inside. `opacity`, 0 to 1, weakens its alpha. */
export function lay(rows: Rows, over: Rows, at: Pick<Box, "x" | "y">, opacity: number): Rows {
  const overlay = openOverlay(rows.width, over.width, opacity);
  const stride = rows.width * 4;
  const overStride = over.width * 4;
  const band = new Uint8Array(BAND_ROWS * overStride);
  let y = 0;
  return {
    width: rows.width,
    height: rows.height,
    opaque: rows.opaque,
    read(max) {
      const inside = y >= at.y && y < at.y + over.height;
      const edge = inside ? at.y + over.height : y < at.y ? at.y : rows.height;
      const base = rows.read(Math.min(max, inside ? BAND_ROWS : max, Math.max(1, edge - y)));
      if (!base) return null;
      const count = base.length / stride;
      y += count;
      return inside ? overlay.blend(base, fill(over, band.subarray(0, count * overStride)), at.x) : base;
    },
    close() {
      overlay.close();
      over.close();
      rows.close();
    },
  };
}

/** As many rows as fit into a band. */
function fill(rows: Rows, band: Uint8Array): Uint8Array {
  for (let at = 0; at < band.length;) {
    const read = rows.read((band.length - at) / (rows.width * 4));
    if (!read) throw new Error("the rows ended early");
    band.set(read, at);
    at += read.length;
  }
  return band;
}
