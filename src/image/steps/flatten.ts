/** Transparency laid on a color. */
import { type Estimate, estimated } from "../../../wasm/estimate.ts";
import type { Rgba } from "../color/rgba.ts";
import { bandBytes, mapBands } from "../pixels/bands.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";

/** To lay a pixel on the color. */
const NANOSECONDS_PER_PIXEL = 2;

/** A picture on an opaque color; its alpha is not looked at. */
export function flatten(rows: Rows, [red, green, blue]: Rgba): Rows {
  if (rows.opaque) return rows;
  return mapBands(rows, (band) => band.flatten(red, green, blue), { opaque: true });
}

/** The estimate of laying a picture of this size, which is not opaque, on a color. */
export function flattenEstimate({ width, height }: Size): Estimate {
  return estimated(bandBytes(width), width * height, NANOSECONDS_PER_PIXEL);
}
