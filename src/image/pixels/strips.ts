/** Strips of a large picture that stand for it where looking at all of it would take too long. */
import type { Size } from "./geometry.ts";
import { type Rows, rowsOf, skipRows } from "./rows.ts";

export interface Strip {
  readonly y: number;
  readonly rows: number;
}

/** Pixels from which on only strips of a picture are compared, about as many, evenly spread from top to bottom. */
const MAX_COMPARED_PIXELS = 4_000_000;
/** Some of a strip is away from its edges even at the coarsest scale that counts for the score. */
export const STRIP_ROWS = 192;
/** More and lower strips scatter less: with 6 of 192 rows, scores of photographs of 8 to 24 megapixels are 0.1 off. */
const MIN_STRIPS = 6;
/** Chroma of JPEG files is stored in cells of up to as many rows and columns. */
export const GRID = 32;

/** The rows to compare: all of a small picture, strips of a large one. */
export function stripsOf({ width, height }: Size): readonly Strip[] {
  const count = Math.max(MIN_STRIPS, Math.floor(MAX_COMPARED_PIXELS / (width * STRIP_ROWS)));
  if (width * height <= MAX_COMPARED_PIXELS || count * STRIP_ROWS >= height) return [{ y: 0, rows: height }];
  const gap = (height - count * STRIP_ROWS) / count;
  return Array.from({ length: count }, (_, index) => ({
    y: Math.floor((gap / 2 + index * (gap + STRIP_ROWS)) / GRID) * GRID,
    rows: STRIP_ROWS,
  }));
}

/** Rows of what is compared of a picture. */
export function comparedRows(size: Size): number {
  return stripsOf(size).reduce((sum, { rows }) => sum + rows, 0);
}

/** Points by which strips may score higher than the whole of a picture of which they are next to nothing. */
const MOST_UNCERTAIN = 0.8;

/**
 * Points by which strips of a picture of this size may score higher than all of it: what is aimed at has to be higher by as
 * much. Of 119 renditions of photographs of 5 to 24 megapixels nine in ten scored higher by less, the worst by 1. Half of
 * that is what the strips happen to show; the other is rounding errors of the blur, which grow with the rows.
 */
export function uncertainty(size: Size): number {
  return MOST_UNCERTAIN * (1 - comparedRows(size) / size.height);
}

/** The strips of a picture, one below the other. */
export function onlyStrips(rows: Rows, strips: readonly Strip[]): Rows {
  const ends = strips.map((strip) => strip.y + strip.rows);
  let index = 0;
  let y = 0;
  return rowsOf(rows, {
    height: strips.reduce((sum, strip) => sum + strip.rows, 0),
    async read(max) {
      while (index < strips.length && y === ends[index]) index++;
      const strip = strips[index];
      if (!strip) return null;
      if (y < strip.y) {
        await skipRows(rows, strip.y - y);
        y = strip.y;
      }
      const band = await rows.read(Math.min(max, strip.y + strip.rows - y));
      if (band) y += band.length / (rows.width * 4);
      return band;
    },
  });
}
