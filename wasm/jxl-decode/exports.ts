/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface JxlDecodeExports extends NativeExports {
  /** The alpha of all pixels of a frame of inks, one byte each, once rows of it are ready. */
  decoder_alpha(decoder: Pointer): Pointer;
  decoder_close(decoder: Pointer): void;
  /** How long the frame is shown, in ticks of the animation. */
  decoder_duration(decoder: Pointer): number;
  /** Decodes on: until rows are complete, a frame begins, its pixels have all come, or there is no further frame. */
  decoder_next(decoder: Pointer): number;
  /**
   * A decoder of the codestream `source` of `size` bytes, whose canvas has `width` x `height` pixels. `black` is the number
   * of the extra channel with black ink, if the output is to have it. Rows are of RGBA16 where they are to have 16 bits a
   * sample, as those of inks are not. NULL where memory does not suffice.
   */
  decoder_open(
    source: number,
    size: number,
    output: number,
    isGray: number,
    width: number,
    height: number,
    black: number,
    isSixteenBit: number,
  ): Pointer;
  /** Complete rows from the first unread one on, at most `most`; `decoder_rows` says where they lie. */
  decoder_ready(decoder: Pointer, most: number): number;
  /** The rows that are ready; they count as read and stay until this is called again or a frame begins. */
  decoder_rows(decoder: Pointer, rows: number): Pointer;
  facts_close(facts: Pointer): void;
  facts_numbers(facts: Pointer): Pointer;
  /**
   * Reads what the codestream `source` of `size` bytes says, no further than to one frame more than `mostFrames`. It stays
   * until it is closed.
   */
  facts_open(source: number, size: number, mostFrames: number): Pointer;
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  original_bytes(original: Pointer): Pointer;
  original_close(original: Pointer): void;
  original_open(): Pointer;
  /** Reads the file `source` of `size` bytes, its boxes included. Returns the length of the JPEG file. */
  original_read(original: Pointer, source: number, size: number): number;
}
