/** Pictures in all their colors, but not quite: samples are moved by a few levels where that saves bytes. */
import { NEAR_WINDOW_ROWS, openNearRows } from "../../../../wasm/pixels/near.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { bandsOf } from "../../pixels/bands.ts";
import { firstFrame, mapFrames, type Picture } from "../../pixels/picture.ts";
import { type Rows, rowsOf } from "../../pixels/rows.ts";

/** The filter behind which moved samples take fewer bytes. */
export const NEAR_FILTER = "average";

/** How samples are moved. */
export interface Moving {
  /** Levels between those that are left of what a sample differs by from its prediction, 2 to 63. */
  readonly step: number;
  /** Errors are passed on, so that soft places keep their mean. */
  readonly passes: boolean;
}

/** The picture with samples moved. */
export function nearPicture(picture: Picture, moving: Moving): Picture {
  return mapFrames(picture, (rows) => nearRows(rows, moving));
}

function nearRows(rows: Rows, { step, passes }: Moving): Rows {
  const near = openNearRows(rows.width, step, passes);
  return rowsOf(rows, {
    async read(max) {
      const band = await rows.read(Math.min(max, NEAR_WINDOW_ROWS));
      return band && near.move(band);
    },
    close() {
      near.close();
      rows.close();
    },
  });
}

/** How much of a picture repeats, as parts of its pixels, 0 to 1. */
export interface Evenness {
  /** Those that go on as those around them do, within a level. */
  readonly even: number;
  /** Those that are the same as the one before or above. */
  readonly same: number;
}

/** Pixels that are looked at. */
const LOOKED_AT_PIXELS = 1 << 20;
const NANOSECONDS = 8;

/** Looks at how even a picture is, at its first rows where it is large. */
export async function evennessOf(picture: Picture, timeSlice: TimeSlice): Promise<Evenness> {
  const counted = { even: 0, same: 0, all: 0 };
  const rows = await firstFrame(picture, timeSlice);
  for await (const band of bandsOf(rows, { rows: NEAR_WINDOW_ROWS, nanoseconds: NANOSECONDS, timeSlice })) {
    countEven(band, picture.width, counted);
    if (counted.all >= LOOKED_AT_PIXELS) break;
  }
  const all = Math.max(1, counted.all);
  return { even: counted.even / all, same: counted.same / all };
}

/** Counts the pixels of a band that are seen, but for those of its first row and column. */
function countEven(band: Uint8Array, width: number, counted: { even: number; same: number; all: number }): void {
  const stride = width * 4;
  const pixels = new Uint32Array(band.buffer, band.byteOffset, band.length / 4);
  for (let top = stride; top < band.length; top += stride) {
    for (let at = top + 4; at < top + stride; at += 4) {
      if (band[at + 3] === 0) continue;
      counted.all++;
      const pixel = pixels[at >> 2];
      if (pixel === pixels[(at >> 2) - 1] || pixel === pixels[(at >> 2) - width]) counted.same++;
      if (isAsExpected(band, at, stride) && isAsExpected(band, at + 1, stride) && isAsExpected(band, at + 2, stride)) {
        counted.even++;
      }
    }
  }
}

/** Whether a sample continues the plane through those to its left and above, within a level. */
function isAsExpected(band: Uint8Array, at: number, stride: number): boolean {
  const expected = band[at - 4]! + band[at - stride]! - band[at - stride - 4]!;
  return Math.abs(band[at]! - expected) <= 1;
}

/** The time of `evennessOf`. */
export function evenMs(pixels: number): number {
  return (Math.min(pixels, LOOKED_AT_PIXELS) * NANOSECONDS) / 1e6;
}
