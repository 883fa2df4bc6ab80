import { mapBands } from "../band.ts";
import type { Rgba } from "../color.ts";
import type { Rows } from "../rows.ts";

/** A picture on an opaque color; its alpha is not looked at. */
export function flatten(rows: Rows, [red, green, blue]: Rgba): Rows {
  if (rows.opaque) return rows;
  return mapBands(rows, (band) => band.flatten(red, green, blue), { opaque: true });
}
