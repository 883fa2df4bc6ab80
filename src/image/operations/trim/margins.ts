/**
 * Margins of one color around a picture, found while its rows go by.
 *
 * A pixel is a part of the margin while it is within a threshold of the margin's color, in every channel, after a
 * median of 3 x 3 pixels has taken specks away (as `vips find_trim` and the tools built on it do). A median takes thin
 * lines away as well, so a pixel that stands out clearly counts where one of the eight around it does too.
 */
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Rgba } from "../../color/rgba.ts";
import { bandsOf } from "../../pixels/bands.ts";
import type { Box } from "../../pixels/geometry.ts";
import { enclosing } from "../../pixels/gravity.ts";
import type { Rows } from "../../pixels/rows.ts";
import { type Extent, FINDER_COLUMN_BYTES, MarginFinder } from "./margin-finder.ts";

/** What counts as margin. */
export interface Margin {
  /** Levels of 255 by which a channel may differ. */
  readonly threshold: number;
  /** Absent: the color of the corners. */
  readonly color?: Rgba | undefined;
}

/** Nanoseconds that it takes to look at a pixel. */
export const MARGIN_NANOSECONDS = 5;
/** Rows that are looked at together. */
const ROWS = 16;
/** Bytes of pixels in each column: a band, the two rows before it, and one after the last. */
const PIXEL_COLUMN_BYTES = (ROWS + 3) * 4;
/** Bytes that are held for each column: pixels, and finders for two colors. */
export const MARGIN_COLUMN_BYTES = PIXEL_COLUMN_BYTES + 2 * FINDER_COLUMN_BYTES;

/**
 * The smallest box around all that is not margin, in any frame; undefined where there is nothing else. The color of the
 * corners is that of the first frame's corners at the top, of the one that more corners have where they differ.
 */
export async function contentBox(
  frames: AsyncIterable<Rows>,
  { threshold, color }: Margin,
  timeSlice: TimeSlice,
): Promise<Box | undefined> {
  const boxes: Box[] = [];
  let margin = color;
  for await (const rows of frames) {
    const { box, color: found } = await boxOfFrame(rows, threshold, margin, timeSlice);
    margin ??= found;
    if (box) boxes.push(box);
  }
  return enclosing(boxes);
}

interface Found {
  readonly box: Box | undefined;
  readonly color: Rgba;
}

async function boxOfFrame(
  rows: Rows,
  threshold: number,
  color: Rgba | undefined,
  timeSlice: TimeSlice,
): Promise<Found> {
  const { width, height } = rows;
  const bytes = new Uint8Array(width * PIXEL_COLUMN_BYTES);
  const pixels = new Int32Array(bytes.buffer);
  // The last two rows of the band before come first, so that a row is looked at beside both of its neighbors.
  const first = 2 * width;
  let finders: MarginFinder[] = [];
  let y = 0;
  let count = 0;
  for await (const band of bandsOf(rows, { rows: ROWS, nanoseconds: MARGIN_NANOSECONDS, timeSlice })) {
    bytes.copyWithin(0, count * width * 4, (count + 2) * width * 4);
    bytes.set(band, first * 4);
    count = band.length / (width * 4);
    if (y === 0) {
      const extent = { pixels, width, height, threshold };
      finders = color ? [new MarginFinder(extent, color)] : cornerFinders(extent);
      bytes.copyWithin(width * 4, first * 4, first * 4 + width * 4);
    }
    for (const finder of finders) {
      for (let row = y === 0 ? 1 : 0; row < count; row++) finder.look(y + row - 1, (row + 1) * width);
    }
    y += count;
  }
  const last = (count + 1) * width;
  pixels.copyWithin(last + width, last, last + width);
  for (const finder of finders) finder.look(height - 1, last);
  const [left, right] = finders;
  if (!left) throw new Error("a picture without rows");
  return right && right.corners(last) > left.corners(last) ? right : left;
}

/** One for each color that the corners at the top have. */
function cornerFinders(extent: Extent): MarginFinder[] {
  const { pixels, width } = extent;
  const first = 2 * width;
  const [left, right] = [pixels[first]!, pixels[first + width - 1]!].map((corner) => {
    const finder = new MarginFinder(extent, rgbaOf(corner));
    finder.count(first);
    return { finder, corner };
  }) as [Corner, Corner];
  return left.finder.isLikeMargin(right.corner) ? [left.finder] : [left.finder, right.finder];
}

function rgbaOf(pixel: number): Rgba {
  return [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255, pixel >>> 24];
}

interface Corner {
  readonly finder: MarginFinder;
  readonly corner: number;
}
