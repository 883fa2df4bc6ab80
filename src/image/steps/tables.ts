/** Levels replaced one by one. */
import { type Estimate, estimated } from "../../../wasm/estimate.ts";
import { BandTable } from "../../../wasm/pixels/band.ts";
import { bandBytes, mapBands } from "../pixels/bands.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";

const NANOSECONDS_PER_PIXEL = 2.3;

/** What each level becomes, one entry for each of 0 to 255; a channel that is absent stays. */
interface Tables {
  readonly red?: Uint8Array;
  readonly green?: Uint8Array;
  readonly blue?: Uint8Array;
  readonly alpha?: Uint8Array;
}

/** Every sample replaced by its entry in the table of its channel. */
export function mapLevels(rows: Rows, { red, green, blue, alpha }: Tables): Rows {
  const bytes = new Uint8Array(4 * 256);
  for (const [index, table] of [red, green, blue, alpha].entries()) {
    for (let level = 0; level < 256; level++) bytes[index * 256 + level] = table?.[level] ?? level;
  }
  const table = new BandTable(bytes);
  return mapBands(rows, (band) => band.map(table), { opaque: rows.opaque && !alpha, tables: [table] });
}

/** The estimate of looking up all samples of a picture of this size. */
export function mapLevelsEstimate({ width, height }: Size): Estimate {
  return estimated(bandBytes(width), width * height, NANOSECONDS_PER_PIXEL);
}
