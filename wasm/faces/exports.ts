/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface FacesExports extends NativeExports {
  look_close(look: Pointer): void;
  look_count(look: Pointer): number;
  look_hits(look: Pointer): Pointer;
  /**
   * Looks for faces whose score is more than `least` in the part at x, y, of `across` x `down` pixels, in the size of
   * `width` x `height`.
   */
  look_open(
    picture: Pointer,
    x: number,
    y: number,
    across: number,
    down: number,
    width: number,
    height: number,
    least: number,
  ): Pointer;
  /**
   * The score of a square with its corner at x, y: above 0 its middle is a face, about 80 pixels in the network's own size,
   * below 0 none; mirrored where `across` is negative. Not a number when memory ran out.
   */
  mmod_score(picture: Pointer, x: number, y: number, across: number, down: number): number;
  picture_close(picture: Pointer): void;
  /** Takes rows out of the window; with the last one, the halves are made. */
  picture_commit(picture: Pointer, rows: number): void;
  picture_open(width: number, height: number): Pointer;
  picture_window(picture: Pointer): Pointer;
  search_close(s: Pointer): void;
  search_count(s: Pointer): number;
  search_hits(s: Pointer): Pointer;
  /**
   * Begins to look for faces whose score is more than `least` in the part at x, y, of `across` x `down` pixels, in the size
   * of `width` x `height`.
   */
  search_open(
    picture: Pointer,
    x: number,
    y: number,
    across: number,
    down: number,
    width: number,
    height: number,
    least: number,
  ): Pointer;
  /** Makes the next row of the last layer; whether there are more. */
  search_row(s: Pointer): number;
  weights_known(network: number): number;
  /** Room for the weights of a network, once; NULL when memory ran out. */
  weights_room(network: number, bytes: number): Pointer;
}
