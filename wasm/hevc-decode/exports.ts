/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface HevcDecodeExports extends NativeExports {
  canvas_band(canvas: Pointer): Pointer;
  canvas_close(canvas: Pointer): void;
  canvas_open(width: number, rows: number): Pointer;
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
   * Decodes the first picture of the units in `bytes`, which are freed. It must have `width` x `height` pixels within the
   * conformance window. `codedPixels` bounds what libde265 allocates for. `alphaRange` is one of ALPHA_*, for pictures of
   * alpha. Returns NULL where memory does not suffice.
   */
  picture_decode(
    bytes: Pointer,
    size: number,
    width: number,
    height: number,
    bits: number,
    codedPixels: number,
    alphaRange: number,
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
}
