/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface HevcEncodeExports extends NativeExports {
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  tiles_band(tiles: Pointer): Pointer;
  tiles_close(tiles: Pointer): void;
  tiles_columns(tiles: Pointer): number;
  /** No more rows follow in these tiles; they can be encoded. */
  tiles_complete(tiles: Pointer): void;
  /** Encodes one tile; the result is kept for `tiles_take`. May pause. Returns 0 where memory does not suffice. */
  tiles_encode(
    tiles: Pointer,
    column: number,
    gray: number,
    quantizer: number,
    lossless: number,
    preset: Pointer,
  ): number;
  /** The next row of tiles begins. */
  tiles_next(tiles: Pointer): void;
  /**
   * Tiles of `width` x `height` pixels, both even, side by side for rows of `pictureWidth`. Returns NULL where memory
   * does not suffice.
   */
  tiles_open(pictureWidth: number, width: number, height: number, opaque: number): Pointer;
  /** Takes the first `count` rows of the band; an odd last row stands for the one below it. */
  tiles_rows(tiles: Pointer, count: number): void;
  /** Writes the units of the tile that was encoded, with start codes, parameter sets among them, and frees them. */
  tiles_take(tiles: Pointer): void;
  tiles_translucent(tiles: Pointer, column: number): number;
}
