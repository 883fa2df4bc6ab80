/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface JpegExports extends NativeExports {
  decoder_close(d: Pointer): void;
  /**
   * The part that the rows of chroma read so far have in the mean square of what all of the region would lose of its
   * colors if chroma were halved both ways, of a sample of it.
   */
  decoder_color_loss(d: Pointer): number;
  decoder_facts(d: Pointer): Pointer;
  decoder_new(source: number): Pointer;
  /** Does about `blocks` blocks of what comes before the first row. Returns whether there is more of that. */
  decoder_prepare(d: Pointer, blocks: number): number;
  /** Decodes the next rows into the band, at most `most`; returns their number, 0 at the end. */
  decoder_read(d: Pointer, most: number): number;
  /**
   * Decodes the next rows of MCUs into the planes: as many as give the rows of the first that one gives at full size.
   * Returns 0 at the end.
   */
  decoder_read_planes(d: Pointer): number;
  /** To be called first: scans that are damaged or cut short are decoded all the same, as libjpeg shows them. */
  decoder_show_damage(d: Pointer): void;
  /** Goes past the next rows, at most `count`, for less than what decoding them takes. */
  decoder_skip(d: Pointer, count: number): void;
  /**
   * Reads the header. `numerator` eighths of the size; the region counts pixels of that size, and a region of width 0
   * means all of it. `decoder_prepare` has to be called before anything else.
   */
  decoder_start(
    d: Pointer,
    output: number,
    numerator: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void;
  /**
   * Reads the header for planes, each at `sizes` eighths of the size at which it is stored. The region counts pixels as
   * stored; of it, whole MCUs are delivered. A width of 0 means all of the picture. `decoder_prepare` as above.
   */
  decoder_start_planes(
    d: Pointer,
    size0: number,
    size1: number,
    size2: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void;
  encoder_close(e: Pointer): void;
  /**
   * The mean square of what the pixels written so far lose of their color when chroma is halved both ways, of a sample of
   * them.
   */
  encoder_color_loss(e: Pointer): number;
  /**
   * Writes the file, about `blocks` blocks at a time, each counted once for every scan. Returns whether there is more.
   */
  encoder_finish(e: Pointer, blocks: number): number;
  encoder_new(sink: number): Pointer;
  /** Space for an ICC profile of that length, to be filled before `encoder_start`. */
  encoder_profile(e: Pointer, length: number): Pointer;
  /**
   * Coefficients may take at most `limit` bytes. `distance` is butteraugli's; `h` and `v` are luma's sampling factors
   * against chroma's of 1. Returns the address at which up to `rows` rows, or the planes of one row of MCUs one behind
   * the other, are to be put for each write.
   */
  encoder_start(
    e: Pointer,
    width: number,
    height: number,
    distance: number,
    h: number,
    v: number,
    progressive: number,
    gray: number,
    weighs: number,
    input: number,
    rows: number,
    limit: number,
  ): Pointer;
  encoder_write(e: Pointer, count: number): void;
  encoder_write_planes(e: Pointer): void;
  /** Allocations that would bring the use above `bytes` fail until the limit is set again. */
  heap_limit(bytes: number): void;
  heap_mark(): void;
  /** The most that was in use since the last `heap_mark`. */
  heap_peak(): number;
  heap_used(): number;
  recompressor_close(r: Pointer): void;
  recompressor_new(sink: number): Pointer;
  recompressor_profile(r: Pointer, length: number): Pointer;
  /**
   * Begins to read the file, from `source`, for what pass number `pass` is about. Returns the number of passes that the
   * whole takes: more than one if the file comes in several scans and its coefficients exceed `most` bytes.
   */
  recompressor_read(r: Pointer, source: number, pass: number, distance: number, most: number): number;
  /**
   * Does about `blocks` blocks of the pass that was begun. Returns 0 when it is done; or else what was done: 1 where
   * scans of several were read, 2 where blocks were packed.
   */
  recompressor_step(r: Pointer, blocks: number): number;
  /**
   * Does what `recompressor_read` and `recompressor_write` do without holding more than a window of coefficients: the
   * first pass counts, a part of the picture if there are to be several others; those write, to this sink and the
   * `SCANS_MOST` behind it.
   */
  recompressor_stream(
    r: Pointer,
    source: number,
    pass: number,
    distance: number,
    most: number,
    progressive: number,
  ): number;
  /** The result consists of tiles of the picture; returns where their places are to be written, x and y of each. */
  recompressor_tiles(r: Pointer, count: number, across: number, side: number): Pointer;
  /**
   * Turns what was read, about `blocks` blocks at a time: transposed, then mirrored left to right and top to bottom,
   * where partial MCUs allow it. Returns whether there is more.
   */
  recompressor_turn(r: Pointer, transpose: number, flipX: number, flipY: number, blocks: number): number;
  /**
   * Writes the file, about `blocks` blocks at a time, each counted once for every scan. Returns whether there is more.
   */
  recompressor_write(r: Pointer, progressive: number, blocks: number): number;
}
