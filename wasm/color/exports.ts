/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface ColorExports extends NativeExports {
  color_close(transform: Pointer): void;
  /** Converts a run of pixels; `output` keeps its fourth samples. It may be the input for layouts of four samples. */
  color_convert(transform: Pointer, input: Pointer, output: Pointer, pixels: number): void;
  /**
   * A transform from a profile to another one, of RGB; either is sRGB where its length is 0. 0: a profile is damaged or
   * for other pixels; 1: nothing to do, for both are one under two names, and converting would only add rounding. `sixteenBit`: of
   * samples of 16 bits, not of inks.
   */
  color_open(
    profile: Pointer,
    length: number,
    layout: number,
    target: Pointer,
    targetLength: number,
    sixteenBit: number,
  ): Pointer;
}
