/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface JxlEncodeExports extends NativeExports {
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  /** Where the rows that are wanted go. */
  jxl_band(encoder: Pointer): Pointer;
  jxl_close(encoder: Pointer): void;
  /** Writes the frame. May pause. Returns 0 where memory does not suffice. */
  jxl_finish(encoder: Pointer, last: number): number;
  /** Begins a frame. Returns 0 where memory does not suffice. */
  jxl_frame(encoder: Pointer, duration: number): number;
  /**
   * `ticks` a second, of an animation; 0 in a still picture. Distance is 0 where nothing may be lost; tiers are libjxl's.
   * Colors are those of Display P3 where they are `wide`. Rows are of RGBA16 where samples have more than 8 `bits`.
   */
  jxl_open(
    width: number,
    height: number,
    alpha: number,
    distance: number,
    tier: number,
    ticks: number,
    loops: number,
    wide: number,
    bits: number,
  ): Pointer;
  /** Takes the rows that were wanted. May pause. Returns 0 where memory does not suffice. */
  jxl_rows(encoder: Pointer, count: number): number;
  /** How many rows are taken next; 0 when there are none left. */
  jxl_wanted(encoder: Pointer): number;
  /** Where the file goes. */
  pack_bytes(packer: Pointer): Pointer;
  pack_close(packer: Pointer): void;
  /** A packer of a file of `size` bytes, whose picture is known to have `width` x `height` pixels. */
  pack_open(size: number, width: number, height: number): Pointer;
  /** What is apart from the codestream: 0 is how the file is written, 1 and 2 are what EXIF and XMP say. */
  pack_part(packer: Pointer, part: number): Pointer;
  pack_part_size(packer: Pointer, part: number): number;
  /** Reads the file. May pause. Returns 0 where it is none that can be packed. */
  pack_read(packer: Pointer): number;
  /** Writes the codestream. May pause. Returns 0 where that cannot be done. */
  pack_write(packer: Pointer, orientation: number): number;
}
