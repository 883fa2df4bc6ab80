/** Larger canvases. */
import { estimated } from "../../../wasm/estimate.ts";
import type { Rgba } from "../color/rgba.ts";
import { BAND_ROWS, bandBytes } from "../pixels/bands.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import { type Rows, rowsOf } from "../pixels/rows.ts";
import type { RowStep } from "./operation.ts";

/** To write a pixel of the canvas. */
const NANOSECONDS_PER_PIXEL = 1;

/** Puts a picture on a larger canvas of one color. `offset` is where its top-left corner goes; it must fit inside. */
export function extend(size: Size, canvas: Size, offset: Pick<Box, "x" | "y">, color: Rgba): RowStep {
  return {
    kind: "rows",
    ...canvas,
    opaque: (input) => input && color[3] === 255,
    estimate: estimated(bandBytes(canvas.width), canvas.width * canvas.height, NANOSECONDS_PER_PIXEL),
    apply: (rows) => extendRows(rows, size, canvas, offset, color),
    gains: ({ map, across, down, none }) => {
      const [x, y] = [Math.round(offset.x * across), Math.round(offset.y * down)];
      const width = Math.max(x + map.width, Math.round(canvas.width * across));
      const height = Math.max(y + map.height, Math.round(canvas.height * down));
      return [extend(map, { width, height }, { x, y }, none)];
    },
  };
}

function extendRows(rows: Rows, size: Size, canvas: Size, offset: Pick<Box, "x" | "y">, color: Rgba): Rows {
  const pixel = new Uint32Array(new Uint8Array(color).buffer)[0] ?? 0;
  const band = new Uint8Array(canvas.width * 4 * BAND_ROWS);
  const pixels = new Uint32Array(band.buffer);
  const stride = canvas.width * 4;
  let y = 0;
  return rowsOf(rows, {
    ...canvas,
    opaque: rows.opaque && color[3] === 255,
    async read(max) {
      if (y >= canvas.height) return null;
      const inside = y >= offset.y && y < offset.y + size.height;
      const edge = inside ? offset.y + size.height : y < offset.y ? offset.y : canvas.height;
      let count = Math.min(max, BAND_ROWS, edge - y);
      const source = inside ? await rows.read(count) : null;
      if (source) count = source.length / (size.width * 4);
      pixels.fill(pixel, 0, count * canvas.width);
      for (let row = 0; source && row < count; row++) {
        const from = row * size.width * 4;
        band.set(source.subarray(from, from + size.width * 4), row * stride + offset.x * 4);
      }
      y += count;
      return band.subarray(0, count * stride);
    },
  });
}
