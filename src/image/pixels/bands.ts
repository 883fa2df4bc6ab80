/** A way through all rows of a picture, a few at a time, for whoever works on them as they come, or in place. */
import { PAGE_BYTES } from "../../../wasm/estimate.ts";
import { Band } from "../../../wasm/pixels/band.ts";
import { type TimeSlice, UNPAUSED } from "../../scheduler/time-slice.ts";
import { type Picture, firstFrame } from "./picture.ts";
import { type Rows, bytesPerPixel, rowsOf } from "./rows.ts";

interface Going {
  /** Rows that are read at a time, at most. */
  readonly rows: number;
  /** What is done with a pixel of a band, where its user does not declare that. */
  readonly nanoseconds?: number;
  readonly timeSlice: TimeSlice;
}

/**
 * All rows, `rows` at a time; closes them at the end, however it comes. A band is valid until the next is asked for.
 */
export async function* bandsOf(
  rows: Rows,
  { rows: most, nanoseconds = 0, timeSlice }: Going,
): AsyncGenerator<Uint8Array, void> {
  const bandMs = (rows.width * most * nanoseconds) / 1e6;
  try {
    for (;;) {
      await timeSlice.spend(bandMs);
      const band = await rows.read(most);
      if (!band) return;
      yield band;
    }
  } finally {
    rows.close();
  }
}

/** Rows of which a look at a picture sees so many at a time. */
const LOOK_ROWS = 32;

/** The same of the first frame of a picture that is looked at. */
export async function* bandsOfFirst(
  picture: Picture,
  timeSlice: TimeSlice,
  nanoseconds = 0,
): AsyncGenerator<Uint8Array, void> {
  yield* bandsOf(await firstFrame(picture, timeSlice), { rows: LOOK_ROWS, nanoseconds, timeSlice });
}

/** Whether nothing shows through a picture, which is read as far as that takes, and closed. */
export async function isOpaque(rows: Rows): Promise<boolean> {
  const pixel = bytesPerPixel(rows);
  const alphaBytes = pixel / 4;
  for await (const band of bandsOf(rows, { rows: LOOK_ROWS, timeSlice: UNPAUSED })) {
    let alpha = 255;
    for (let end = pixel; end <= band.length; end += pixel) {
      for (let at = end - alphaBytes; at < end; at++) alpha &= band[at]!;
    }
    if (alpha !== 255) return false;
  }
  return true;
}

/** Rows that a step works on at a time: enough to make calls cheap, few enough to stay in the cache. */
export const BAND_ROWS = 16;

/** Bytes that a band of rows of this many pixels takes. */
export function bandBytes(width: number): number {
  return width * 4 * BAND_ROWS + PAGE_BYTES;
}

/** A picture whose pixels are changed in place, a few rows at a time; `tables` are closed with it. */
export function mapBands(
  rows: Rows,
  work: (band: Band) => void,
  { opaque = rows.opaque, tables = [] }: { opaque?: boolean; tables?: readonly { close(): void }[] } = {},
): Rows {
  const band = new Band(rows.width * BAND_ROWS);
  return rowsOf(rows, {
    opaque,
    async read(max) {
      const source = await rows.read(Math.min(max, BAND_ROWS));
      if (!source) return null;
      work(band.load(source));
      return band.pixels;
    },
    close() {
      band.close();
      for (const table of tables) table.close();
      rows.close();
    },
  });
}
