/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface ScoreExports extends NativeExports {
  comparison_close(comparison: Pointer): void;
  /** A comparison with a reference, which has to stay open. */
  comparison_open(reference: Pointer): Pointer;
  /** Takes the next rows of both pictures: RGBA8, straight alpha, sRGB. */
  comparison_push(comparison: Pointer, first: Pointer, second: Pointer, rows: number): void;
  /** The score once all rows are in. */
  comparison_result(comparison: Pointer): number;
  reference_close(reference: Pointer): void;
  /**
   * A reference of this size, at least 8 x 8. `background` (0 to 1, sRGB) lies under transparent pixels. The picture
   * consists of tiles of this size, multiples of 32; 0 where it is not cut that way. No more is kept than a comparison needs
   * whose rows come in at the same time.
   */
  reference_open(width: number, height: number, background: number, tileColumns: number, tileRows: number): Pointer;
  visible_close(v: Pointer): void;
  /**
   * A comparison of two pictures of this size, or of sheets of tiles of so many columns and rows, multiples of 4 (0: one tile across,
   * or down), by the rules for small ones or not, where the second may have stripes or not; 0 when memory does not suffice.
   */
  visible_open(
    width: number,
    height: number,
    isOpaque: number,
    isSmall: number,
    mayStripe: number,
    tileColumns: number,
    tileRows: number,
  ): Pointer;
  /** Takes the next rows of both pictures: RGBA8, straight alpha, sRGB. */
  visible_push(v: Pointer, first: Pointer, second: Pointer, rows: number): void;
  /**
   * The mean error of the worst cells once all rows are in: 0 for identical pictures, 1 is hardly to be seen; infinite without any
   * cell. Ends it.
   */
  visible_result(v: Pointer): number;
}
