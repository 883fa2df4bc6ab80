/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface Jpeg2000Exports extends NativeExports {
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  /** Where the alpha of the band is, one byte a pixel, if the pixels are four inks. */
  reader_alpha(reader: Pointer): Pointer;
  /**
   * Decodes what lies in x0, y0 to x1, y1 of the reference grid and writes the pixels from `left`, `top` to `right`,
   * `bottom` to the band, from its pixel `at` on. Pauses.
   */
  reader_area(
    reader: Pointer,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    at: number,
    stride: number,
  ): void;
  /** Room for `pixels` pixels, which the next areas are written to. */
  reader_band(reader: Pointer, pixels: number): Pointer;
  reader_close(reader: Pointer): void;
  /** Where decoder.ts writes how components become pixels. */
  reader_layout(reader: Pointer): Pointer;
  reader_new(source: number, size: number, reduce: number): Pointer;
  writer_band(writer: Pointer): Pointer;
  writer_close(writer: Pointer): void;
  writer_finish(writer: Pointer): void;
  /** How often the wavelet transform is applied: there are three bands for each time and one more. */
  writer_levels(writer: Pointer): number;
  writer_new(
    sink: number,
    width: number,
    height: number,
    components: number,
    tileWidth: number,
    tileHeight: number,
  ): Pointer;
  /** Takes `count` rows from the band. Pauses while tiles are encoded. */
  writer_rows(writer: Pointer, count: number): void;
  writer_start(writer: Pointer, lossless: number, byPosition: number, steps: Pointer): void;
}
