/** Rows for decoders that can compute any row on its own. */
import { type Estimate, estimated } from "../../../wasm/estimate.ts";
import type { Decoded, Demand } from "../codec/format.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";

const BAND_ROWS = 16;

export interface Computed extends Size {
  readonly opaque: boolean;
  /**
   * Writes row `y`, counted from the top, as RGBA8. Rows are asked for in order; those before the first are skipped.
   */
  readonly row: (target: Uint8Array, y: number) => void;
  readonly close?: () => void;
}

/** One still picture of which only the wanted rows are computed. */
export function computedFrame({ width, height, opaque, row, close }: Computed, { box }: Pick<Demand, "box">): Decoded {
  const start = Math.min(height - 1, Math.max(0, Math.floor(box.y)));
  const end = Math.max(start + 1, Math.min(height, Math.ceil(box.y + box.height)));
  const band = new Uint8Array(width * 4 * Math.min(BAND_ROWS, end - start));
  let y = start;
  const rows: Rows = {
    width,
    height: end - start,
    opaque,
    async read(max) {
      const count = Math.min(max, BAND_ROWS, end - y);
      if (count === 0) return null;
      for (let index = 0; index < count; index++, y++) {
        row(band.subarray(index * width * 4, (index + 1) * width * 4), y);
      }
      return band.subarray(0, count * width * 4);
    },
    close: close ?? (() => {}),
  };
  return { delayMs: 0, rows, box: { ...box, y: box.y - start } };
}

/** The estimate of computing all rows, a pixel in so many nanoseconds. */
export function computedEstimate({ width, height }: Size, nanoseconds: number): Estimate {
  return estimated(width * 4 * Math.min(BAND_ROWS, height), width * height, nanoseconds);
}
