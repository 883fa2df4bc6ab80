/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface WebpExports extends NativeExports {
  /** Whether the rectangle can be drawn by blending: every pixel that differs is opaque in `after`. */
  canvas_blendable(
    before: Pointer,
    after: Pointer,
    width: number,
    x: number,
    y: number,
    boxWidth: number,
    boxHeight: number,
  ): number;
  canvas_clear(canvas: Pointer, canvasWidth: number, x: number, y: number, width: number, height: number): void;
  canvas_close(canvas: Pointer): void;
  /** Copies rows of the rectangle out of `after`; with `before`, pixels that do not differ become transparent. */
  canvas_copy(
    before: Pointer,
    after: Pointer,
    width: number,
    x: number,
    y: number,
    boxWidth: number,
    rows: number,
    to: Pointer,
  ): void;
  /**
   * Writes to `box` the smallest rectangle x, y, width, height that holds all pixels of `after` that differ from
   * `before`; x and y are even. Width and height are 0 when nothing differs.
   */
  canvas_difference(before: Pointer, after: Pointer, width: number, height: number, box: Pointer): void;
  /** Lays `rows` rows of `width` pixels at (x, y); with `blend` over what is there, otherwise in its place. */
  canvas_draw(
    canvas: Pointer,
    canvasWidth: number,
    x: number,
    y: number,
    width: number,
    rows: number,
    from: Pointer,
    blend: number,
  ): void;
  /** A transparent canvas, or NULL when memory does not suffice. */
  canvas_open(width: number, height: number): Pointer;
  decoder_band(decoder: Pointer): Pointer;
  decoder_close(decoder: Pointer): void;
  /** Reads the headers; after that `decoder_width` and `decoder_height` are known. Returns a VP8StatusCode. */
  decoder_headers(decoder: Pointer): number;
  decoder_height(decoder: Pointer): number;
  /**
   * Takes ownership of `bytes`: `alphaSize` bytes of ALPH payload followed by `size` bytes of VP8 or VP8L payload.
   * Alpha that is coded in an `opaque` picture counts for nothing.
   */
  decoder_open(bytes: Pointer, alphaSize: number, size: number, lossless: number, opaque: number): Pointer;
  /**
   * Chooses the region (in source pixels; left and top are even in a lossy picture) and the size it is scaled to, which
   * may not be larger. Allocates what decoding needs. Returns a VP8StatusCode.
   */
  decoder_start(
    decoder: Pointer,
    left: number,
    top: number,
    width: number,
    height: number,
    scaledWidth: number,
    scaledHeight: number,
  ): number;
  /**
   * Decodes a row of macroblocks, or sixteen rows of a lossless picture. Returns the number of rows that are in the band
   * now, which may be none; -1 for a damaged or truncated stream, -2 when memory ran out.
   */
  decoder_step(decoder: Pointer): number;
  decoder_width(decoder: Pointer): number;
  encoder_band(encoder: Pointer): Pointer;
  encoder_close(encoder: Pointer): void;
  /**
   * Encodes and writes the file, and pauses now and then; the heap may not grow beyond `limit` bytes. Returns a
   * WebPEncodingError.
   *
   * `lean` asks for the way that needs less memory. A lossless picture goes through a coder of our own. A lossy encoder
   * goes over the picture several times instead of keeping its symbols until the end, which takes twice the time; that
   * is also tried where memory ran out. Partition 0 holds 512 KB; where the modes of a large
   * picture do not fit, they are coded anew with fewer small blocks.
   */
  encoder_finish(encoder: Pointer, limit: number, lean: number): number;
  /**
   * `nearLossless` is 0 to 100, 100 being off. Returns NULL when memory does not suffice or a value is out of range.
   */
  encoder_open(
    width: number,
    height: number,
    opaque: number,
    lossless: number,
    quality: number,
    method: number,
    alphaQuality: number,
    nearLossless: number,
    exact: number,
    sink: number,
  ): Pointer;
  /** Takes the first `rows` rows of the band: all 32 of them except at the bottom of the picture. */
  encoder_rows(encoder: Pointer, rows: number): void;
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
}
