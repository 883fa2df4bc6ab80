/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface SuperresExports extends NativeExports {
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
  /**
   * Twice the size; `forms`, 1 or 2, is how many forms of the network luma is the mean of, `slack` how many levels what a network
   * makes may leave the range of the pixels around by, and `strength` how much of luma is the network's, in 256ths.
   */
  superres_open(
    width: number,
    height: number,
    opaque: number,
    kind: number,
    forms: number,
    slack: number,
    strength: number,
  ): Pointer;
}
