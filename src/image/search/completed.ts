/**
 * Small pictures, continued by their mirror images, which add no edges and no content, so that the metric has all its scales
 * to look at: what it says of fewer, and of tiles with their mirror images, is in src/docs/measured.md ("The score").
 */
import type { Size } from "../pixels/geometry.ts";
import { type Rows, rowsOf } from "../pixels/rows.ts";

/** Pixels of the shorter side from which on a picture has all scales: 1:16 is then 8 pixels, so that 1:32 is made. */
const ALL_SCALES_FROM = 113;
/** Pixels that a shorter side is continued to, at least: the blur of the coarsest scale hardly reaches the edges. */
const CONTINUED_TO = 192;

/** The size of a picture as it is scored. */
export function completedSize({ width, height }: Size): Size {
  return { width: completedSide(width), height: completedSide(height) };
}

function completedSide(side: number): number {
  return side < ALL_SCALES_FROM ? side * Math.ceil(CONTINUED_TO / side) : side;
}

/** Bytes that are kept of a picture while it is continued: all of it where it is continued downwards. */
export function completedBytes({ width, height }: Size): number {
  const size = completedSize({ width, height });
  if (size.width === width && size.height === height) return 0;
  return (size.height > height ? width * height * 4 : 0) + size.width * BAND_ROWS * 4;
}

const BAND_ROWS = 16;

/** A picture as it is scored: a small one beside and above its mirror images, any other one as it is. */
export function completed(rows: Rows): Rows {
  const { width, height } = completedSize(rows);
  if (width === rows.width && height === rows.height) return rows;
  const kept = height > rows.height ? new Uint32Array(rows.width * rows.height) : undefined;
  const band = new Uint32Array(width * BAND_ROWS);
  let y = 0;
  return rowsOf(rows, {
    width,
    height,
    async read(max) {
      if (y >= height) return null;
      const most = Math.min(max, BAND_ROWS);
      const read = y < rows.height ? await rows.read(most) : null;
      if (y < rows.height && !read) return null;
      const count = read ? read.length / (rows.width * 4) : Math.min(most, height - y);
      const pixels = read && new Uint32Array(read.slice().buffer);
      if (pixels) kept?.set(pixels, y * rows.width);
      for (let row = 0; row < count; row++) {
        const from = pixels ? row : mirrored(y + row, rows.height);
        widen((pixels ?? kept)!, from * rows.width, rows.width, band.subarray(row * width, (row + 1) * width));
      }
      y += count;
      return new Uint8Array(band.buffer, 0, count * width * 4);
    },
  });
}

/** The place that is shown at `at` where a side of `side` pixels is followed by its mirror image, and so on. */
function mirrored(at: number, side: number): number {
  const within = at % (2 * side);
  return within < side ? within : 2 * side - 1 - within;
}

/**
 * One row beside its mirror images. Whole stretches are copied: pixel by pixel, in a function that V8 compiles into one that
 * waits for others, this took a third of the time of a look at an icon.
 */
function widen(pixels: Uint32Array, from: number, side: number, row: Uint32Array): void {
  row.set(pixels.subarray(from, from + side));
  if (row.length === side) return;
  row.copyWithin(side, 0, side);
  row.subarray(side, 2 * side).reverse();
  for (let at = 2 * side; at < row.length; at += 2 * side) row.copyWithin(at, 0, 2 * side);
}
