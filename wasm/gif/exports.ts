/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface GifExports extends NativeExports {
  canvas_clear(canvas: Pointer, width: number, x: number, y: number, boxWidth: number, boxHeight: number): void;
  /**
   * Writes the distinct colors of the pixels of a box that change, of all if `before` is 0, at most 256, and returns how
   * many there are; 257 if there are more. `unchanged` becomes 1 when some pixel of the box does not change.
   */
  canvas_colors(
    before: Pointer,
    after: Pointer,
    width: number,
    x: number,
    y: number,
    boxWidth: number,
    boxHeight: number,
    colors: Pointer,
    unchanged: Pointer,
  ): number;
  /**
   * Compares a canvas with what is to come after it. Writes the number of pixels that change, the box of those pixels
   * (x, y, width, height) and the box of those that would have to become transparent, which drawing cannot do.
   */
  canvas_compare(before: Pointer, after: Pointer, width: number, height: number, tolerance: number, out: Pointer): void;
  /**
   * Cuts a box out as palette indices. What does not change is transparent, and `others` says what it is otherwise; for
   * all other pixels that is their index, too. With `solid` the two change places where both are possible. Returns 1 +
   * the highest index, or 0 when a color is missing.
   */
  canvas_cut(
    before: Pointer,
    after: Pointer,
    width: number,
    x: number,
    y: number,
    boxWidth: number,
    boxHeight: number,
    palette: Pointer,
    colors: number,
    transparent: number,
    solid: number,
    indices: Pointer,
    others: Pointer,
  ): number;
  canvas_open(width: number, height: number): Pointer;
  /** Keeps what is there where what is to come looks the same. */
  canvas_settle(before: Pointer, after: Pointer, count: number, tolerance: number): void;
  /** Makes every pixel opaque or nothing. */
  canvas_sharpen(pixels: Pointer, count: number): void;
  reader_clear(r: Pointer, x: number, y: number, width: number, height: number): void;
  reader_close(r: Pointer): void;
  /**
   * Draws at most `rows` more rows of the frame onto the canvas: 1 when it is whole, 2 when there are more rows, 0 when
   * it needs input, -1 when it is damaged or cut short.
   */
  reader_draw(r: Pointer, rows: number): number;
  /** Rows of the frame that were drawn so far. */
  reader_drawn(r: Pointer): number;
  /** The first `bytes` bytes of the input are there to be read; `last`: no more will follow. */
  reader_feed(r: Pointer, bytes: number, last: number): void;
  reader_input(r: Pointer): Pointer;
  reader_input_bytes(): number;
  /**
   * A reader of frames onto a canvas of this size, or of a single frame in bands of `bandRows` rows if that is not 0.
   * 0 when memory does not suffice.
   */
  reader_open(width: number, height: number, bandRows: number): Pointer;
  reader_palette(r: Pointer): Pointer;
  /** The canvas, or the band. */
  reader_pixels(r: Pointer): Pointer;
  /** Puts back the rectangle that was remembered. */
  reader_restore(r: Pointer, x: number, y: number, width: number, height: number): void;
  /** Makes at most `max` rows of the picture in the band. Returns how many, 0 when it needs input, -1 as above. */
  reader_rows(r: Pointer, max: number): number;
  /** Remembers a rectangle; 0 when memory does not suffice. */
  reader_save(r: Pointer, x: number, y: number, width: number, height: number): number;
  /** Begins a frame. Width and height are at most 65535, min_size is from 1 to 11, transparent an index or -1. */
  reader_start(
    r: Pointer,
    x: number,
    y: number,
    width: number,
    height: number,
    interlaced: number,
    transparent: number,
    minSize: number,
  ): void;
  writer_close(w: Pointer): void;
  /** Colors, three floats each, in a space where distances are alike; `transparent` is an index or -1. */
  writer_colors(w: Pointer): Pointer;
  /** Goes on for about `pixels` indices. 1 when all is written. */
  writer_encode(w: Pointer, pixels: number): number;
  writer_indices(w: Pointer): Pointer;
  /**
   * A writer of pictures of at most `pixels` pixels; 0 when memory does not suffice. With `choice` there is a second map.
   */
  writer_open(pixels: number, choice: number): Pointer;
  /** For every pixel another index that it may have instead, or its own. */
  writer_others(w: Pointer): Pointer;
  /**
   * Begins to write the first `count` indices as image data: the code size, sub-blocks, the terminator. Every index is
   * below 2^min_size. `patience`: a full table is kept while it yields at least this share of the pixels per code that it
   * yielded while it grew; 0 clears it at once. `tolerance`: how far a pixel may be from its color; above 0 the indices
   * are changed to what was written.
   */
  writer_start(
    w: Pointer,
    count: number,
    minSize: number,
    patience: number,
    colors: number,
    transparent: number,
    tolerance: number,
  ): void;
}
