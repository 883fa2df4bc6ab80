/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface TiffExports extends NativeExports {
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  /** Where the alpha of these rows of inks is, a byte for each pixel; NULL where they have none. */
  reader_alphas(reader: Pointer, count: number): Pointer;
  reader_close(reader: Pointer): void;
  reader_facts(reader: Pointer): Pointer;
  reader_new(source: number, size: number): Pointer;
  /**
   * Reads the directory at a place of the file, or the first one where that is 0. `most` is the memory that libtiff may hold.
   */
  reader_open(reader: Pointer, most: number, directory: number): void;
  /**
   * The next rows, at most `most`; returns how many, or PAUSED when it wants to be called again for them. `reader_rows`
   * says where they are.
   */
  reader_read(reader: Pointer, most: number): number;
  /** Where the rows are that were read last, `count` of them. */
  reader_rows(reader: Pointer, count: number): Pointer;
  /** Prepares to read from row `first`. Nothing is allocated before. */
  reader_start(reader: Pointer, first: number, most: number, output: number): void;
}
