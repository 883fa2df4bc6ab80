/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface Av1DecodeExports extends NativeExports {
  canvas_band(canvas: Pointer): Pointer;
  canvas_close(canvas: Pointer): void;
  canvas_open(width: number, rows: number, sixteenBit: number): Pointer;
  canvas_unpremultiply(canvas: Pointer, rows: number): void;
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  picture_close(picture: Pointer): void;
  /** What the container says of the samples. */
  picture_colors(picture: Pointer, matrix: number, fullRange: number): void;
  /**
   * Decodes the picture of `size` bytes from malloc, which are freed. It must have `width` x `height` pixels of `bits`.
   * `layer` is the spatial one that is wanted; -1 for the last of the operating point. `byRows` leaves its rows to `picture_reach`, which is to be called before they are drawn, from top to bottom. Returns
   * NULL where memory does not suffice.
   */
  picture_decode(
    bytes: Pointer,
    size: number,
    width: number,
    height: number,
    bits: number,
    mostPixels: number,
    operatingPoint: number,
    byRows: number,
    layer: number,
  ): Pointer;
  picture_draw(picture: Pointer, canvas: Pointer, x: number, y: number, width: number, rows: number, toX: number): void;
  picture_draw_alpha(
    picture: Pointer,
    canvas: Pointer,
    x: number,
    y: number,
    width: number,
    rows: number,
    toX: number,
  ): void;
  /**
   * Decodes the rows from `y` to `y + rows`, 16 at most, if that was not done; rows above are not there any more. May
   * pause.
   */
  picture_reach(picture: Pointer, y: number, rows: number): void;
  sequence_close(sequence: Pointer): void;
  /** The next picture of a sequence. Returns NULL where memory does not suffice. */
  sequence_next(sequence: Pointer, bytes: Pointer, size: number): Pointer;
  sequence_open(width: number, height: number, bits: number, mostPixels: number, operatingPoint: number): Pointer;
}
