/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface EffectsExports extends NativeExports {
  /** A radius up to 127 keeps every sum within 32 bits. */
  box_open(width: number, height: number, radius: number): Pointer;
  /** A radius of 1 to MAX_REACH. */
  disc_open(width: number, height: number, radius: number, opaque: number): Pointer;
  /** `values` holds x, y and radius of each eye, in pixels. */
  eyes_open(width: number, height: number, values: Pointer, count: number): Pointer;
  frame_open(width: number, height: number, settings: Pointer): Pointer;
  /** A sigma of up to 6 pixels; cut where a Gaussian falls below half of what 8 bits can show. */
  gaussian_open(width: number, height: number, sigma: number, opaque: number): Pointer;
  halftone_open(width: number, height: number, settings: Pointer): Pointer;
  /** A radius of 1 to 127 keeps the counts of a column within 8 bits, and those of the box within 16. */
  median_open(width: number, height: number, radius: number, opaque: number): Pointer;
  /**
   * Lays rows of `overWidth` pixels on rows of `width` pixels, beginning at pixel x of each, with their alpha times
   * `opacity`, 0 to 1. The overlay must lie inside.
   */
  overlay_rows(
    base: Pointer,
    width: number,
    x: number,
    over: Pointer,
    overWidth: number,
    rows: number,
    opacity: number,
  ): void;
  /** A cell of 2 to 256 pixels. */
  pixellate_open(width: number, height: number, cell: number): Pointer;
  replace_open(width: number, height: number, settings: Pointer): Pointer;
  /** Clockwise, by the angle whose cosine (above 0) and sine are given; `background` is RGBA, 0 to 255. */
  rotate_open(
    width: number,
    height: number,
    resultWidth: number,
    resultHeight: number,
    cosine: number,
    sine: number,
    opaque: number,
    background: Pointer,
  ): Pointer;
  /** A sigma of up to 10 pixels; the Gaussian is cut off at 3 sigma and normalized. */
  sharpen_open(width: number, height: number, sigma: number, amount: number, opaque: number): Pointer;
  stream_band(s: Pointer): Pointer;
  stream_close(s: Pointer): void;
  stream_commit(s: Pointer, rows: number): void;
  /** Makes the next result rows, at most `max`, as far as the source rows allow; returns how many are in the band. */
  stream_read(s: Pointer, max: number): number;
  /**
   * Source rows that may be written to the window; 0 when result rows must be read first, or nothing more is needed.
   */
  stream_room(s: Pointer): number;
  stream_window(s: Pointer): Pointer;
  /** `taps` holds x, y and weight of each of up to 127; the weights are at most 32767 and add up to 32768. */
  taps_open(width: number, height: number, taps: Pointer, count: number, opaque: number): Pointer;
  tone_open(width: number, height: number, settings: Pointer): Pointer;
  /** The mean of four samples, each `ratio`, below 1, times as far from the center as the one before. */
  zoom_open(width: number, height: number, ratio: number, opaque: number): Pointer;
}
