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

/**
 * The part of a picture's pixels that go on as those around them do, within a level, from which on it is even: drawn
 * slopes are, all of them, and photographs of the softest things are by 0.8.
 */
const EVEN_PART = 0.85;
/** Pixels that are looked at. */
const LOOKED_AT_PIXELS = 1 << 19;
const NANOSECONDS = 8;

/** Whether a picture has next to no grain: errors that are passed on would be all the grain that it has to pay for. */
export async function isEven(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  const counted = { even: 0, all: 0 };
  const rows = await firstFrame(picture, timeSlice);
  for await (const band of bandsOf(rows, { rows: NEAR_WINDOW_ROWS, nanoseconds: NANOSECONDS, timeSlice })) {
    countEven(band, picture.width, counted);
    if (counted.all >= LOOKED_AT_PIXELS) break;
  }
  return counted.even >= EVEN_PART * counted.all;
}

/** Counts the pixels of a band that are seen, but for those of its first row and column. */
function countEven(band: Uint8Array, width: number, counted: { even: number; all: number }): void {
  const stride = width * 4;
  for (let top = stride; top < band.length; top += stride) {
    for (let at = top + 4; at < top + stride; at += 4) {
      if (band[at + 3] === 0) continue;
      counted.all++;
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

/** The time of looking whether a picture is even. */
export function evenMs(pixels: number): number {
  return (Math.min(pixels, LOOKED_AT_PIXELS) * NANOSECONDS) / 1e6;
}
