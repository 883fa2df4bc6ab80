/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface Av1EncodeExports extends NativeExports {
  encoder_band(encoder: Pointer): Pointer;
  /** The sizes of blocks of the cell that was encoded last, or of the next one. Those of alpha are not kept. */
  encoder_blocks(encoder: Pointer): Pointer;
  encoder_bytes(encoder: Pointer): number;
  /**
   * Encodes a cell of the row, its colors or its alpha, which takes `nanoseconds` for a pixel, with the sizes of blocks of an
   * earlier encoding if these are `known`. Pauses. Returns the bitstream, valid until the next call; NULL on failure.
   */
  encoder_cell(encoder: Pointer, column: number, alpha: number, known: number, nanoseconds: number): Pointer;
  encoder_close(encoder: Pointer): void;
  /** The rows that follow are those of the next row of cells. */
  encoder_next(encoder: Pointer): void;
  /**
   * Cells at the right and the bottom end where the picture does. Quantizers are 0 to 63, 0 being lossless; `speed` is 0 to 9.
   * Of a picture that is `drawn` most is of one tone, as letters and logos are. Rows that are `sixteenBit` have 16 bits a sample,
   * and are coded in 10. `primaries` and `transfer` are those of ISO/IEC 23091-2. Returns NULL when memory does not suffice.
   */
  encoder_open(
    width: number,
    height: number,
    cellWidth: number,
    cellHeight: number,
    tiled: number,
    chroma: number,
    alpha: number,
    quantizer: number,
    alphaQuantizer: number,
    speed: number,
    drawn: number,
    sixteenBit: number,
    bits: number,
    primaries: number,
    transfer: number,
  ): Pointer;
  /** Takes the first `rows` rows of the band: an even number, but at the bottom of the picture. */
  encoder_rows(encoder: Pointer, rows: number): void;
  /** Returns whether any pixel of the row of cells is translucent. */
  encoder_translucent(encoder: Pointer): number;
  /** From now on `quantizer` stands for `index`, until another one does; with 0 all stand for what libaom says. */
  exact_quantizer(quantizer: number, index: number): void;
  frames_band(encoder: Pointer): Pointer;
  frames_bytes(encoder: Pointer): number;
  frames_close(encoder: Pointer): void;
  /**
   * Takes the frame whose rows are there, or with `last` says that there are no more, after which it is called until no packet
   * comes of it. What is coded takes `nanoseconds` for a pixel. Pauses. Returns 0 where memory does not suffice.
   */
  frames_encode(encoder: Pointer, last: number, nanoseconds: number): number;
  frames_is_key(encoder: Pointer): number;
  /** The rows that follow are those of the next frame. Returns whether any pixel of this one is translucent. */
  frames_next(encoder: Pointer): number;
  /**
   * Quantizers are 0 to 63, 0 being lossless; `speed` is 0 to 9; `lag` frames are seen before one is coded, none in
   * `realtime`. The track is that of `alpha`, or of colors. Returns NULL when memory does not suffice.
   */
  frames_open(
    width: number,
    height: number,
    chroma: number,
    alpha: number,
    frames: number,
    quantizer: number,
    speed: number,
    lag: number,
    realtime: number,
  ): Pointer;
  /**
   * The next packet, which is one picture that is shown with what it needs; valid until the next frame is taken. NULL when more
   * frames are needed.
   */
  frames_packet(encoder: Pointer): Pointer;
  /** Takes the first `rows` rows of the band: an even number, but at the bottom of a frame. */
  frames_rows(encoder: Pointer, rows: number): void;
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
}
