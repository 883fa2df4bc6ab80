/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface PixelsExports extends NativeExports {
  /** The reverse: from colors to opaque pixels; the last first, as pixels take more room. */
  add_alpha(p: Pointer, count: number): void;
  /**
   * color' = m[0..2] . color + m[3] for red, and so on for green and blue: 12 factors, row by row; offsets in levels.
   */
  apply_matrix(p: Pointer, count: number, m: Pointer): void;
  /** Replaces each sample by its entry: 256 for red, then green, blue, alpha. */
  apply_tables(p: Pointer, count: number, table: Pointer): void;
  /** Makes what cannot be seen the same everywhere: fully transparent pixels become 0. */
  clear_hidden(pixel: Pointer, count: number): void;
  /**
   * Lays `over` on `base` (Porter and Duff 1984, source over) with its alpha times `opacity`, 0 to 255; the result is in
   * `base`.
   */
  composite_pixels(base: Pointer, over: Pointer, count: number, opacity: number): void;
  deep_band(r: Pointer): Pointer;
  deep_close(r: Pointer): void;
  /** Takes the first `count` rows of the window. */
  deep_commit(r: Pointer, count: number): void;
  /**
   * Opens a resampler for the box [x, x + width) x [y, y + height) (fractions allowed) of a source_width x source_height
   * picture, opaque or with straight alpha. Returns 0 when memory ran out.
   */
  deep_open(
    sourceWidth: number,
    sourceHeight: number,
    x: number,
    y: number,
    width: number,
    height: number,
    resultWidth: number,
    resultHeight: number,
    kernel: number,
    alpha: number,
    linear: number,
  ): Pointer;
  /** Writes at most `most` result rows to the band, as many as the committed rows allow; returns how many. */
  deep_read(r: Pointer, most: number): number;
  /**
   * Source rows that may be written now; 0 when result rows have to be read first or no further source row is needed.
   */
  deep_room(r: Pointer): number;
  /** Where the caller writes source rows, tightly packed; the same place for the life of the resampler. */
  deep_window(r: Pointer): Pointer;
  /** Packs the colors of the pixels, three bytes each, from the start on. */
  drop_alpha(p: Pointer, count: number): void;
  /** Puts the pixels on an opaque color. */
  flatten_pixels(p: Pointer, count: number, red: number, green: number, blue: number): void;
  /** Mirrors each of `rows` rows of `width` pixels. */
  flip_rows(pixel: Pointer, width: number, rows: number): void;
  inflater_close(i: Pointer): void;
  inflater_feed(i: Pointer, count: number, last: number): void;
  /** Where compressed bytes go, and how many; the place moves with each call. */
  inflater_input(i: Pointer): Pointer;
  /** Returns 0 when memory ran out. */
  inflater_open(): Pointer;
  inflater_output(i: Pointer): Pointer;
  inflater_room(i: Pointer): number;
  /** Makes the next piece and gives up the one before. Returns how many bytes it has, or why it has none. */
  inflater_run(i: Pointer): number;
  near_close(n: Pointer): void;
  /** Moves the samples of the first `rows` rows of the window, in place. */
  near_move(n: Pointer, rows: number): void;
  /**
   * step: between the levels that are left, 2 to 63; rows: that the window holds; passes: errors on. Returns 0 when memory ran out.
   */
  near_open(width: number, step: number, rows: number, passes: number): Pointer;
  near_window(n: Pointer): Pointer;
  png_band(r: Pointer): Pointer;
  png_close(r: Pointer): void;
  /** Whether all 16-bit samples so far were twice the same byte, so that 8 bits hold them exactly. */
  png_exact(r: Pointer): number;
  png_feed(r: Pointer, count: number, last: number): void;
  /** Where compressed bytes go, and how many; the place moves with each call. */
  png_input(r: Pointer): Pointer;
  /**
   * A table for the caller to fill: the value of each sample as rows are to have it, 65536 of them for 16 bits, else 256.
   */
  png_levels(r: Pointer): Pointer;
  /** Opens a reader for a picture as its IHDR describes it (checked by the caller). Returns 0 when memory ran out. */
  png_open(width: number, height: number, depth: number, type: number, interlaced: number, form: number): Pointer;
  /** Rows written to the band, at most `max`; 0: more input is needed; negative: why there are none. */
  png_read(r: Pointer, max: number): number;
  png_room(r: Pointer): number;
  /** Makes one stored color transparent (tRNS of types 0 and 2). Gray of at most 8 bits has it in the table. */
  png_set_key(r: Pointer, red: number, green: number, blue: number): void;
  /** 256 RGBA entries: the color of each palette index, or of each gray level as it is stored. */
  png_table(r: Pointer): Pointer;
  /** Color times alpha, rounded; and back (a pixel without alpha becomes 0). */
  premultiply_pixels(p: Pointer, count: number): void;
  resampler_band(r: Pointer): Pointer;
  resampler_close(r: Pointer): void;
  /** Takes the first `count` rows of the window; at most resampler_room. */
  resampler_commit(r: Pointer, count: number): void;
  /**
   * Opens a resampler for the box [x, x + width) x [y, y + height) (fractions allowed) of a source_width x source_height
   * picture, of which no result sample is centered beyond (last_x, last_y). channels: 1 (one byte a pixel), 3 (RGBA,
   * opaque), 4 (RGBA with straight alpha). sigma: of a Gaussian, in source pixels. Returns 0 when memory ran out.
   */
  resampler_open(
    sourceWidth: number,
    sourceHeight: number,
    x: number,
    y: number,
    width: number,
    height: number,
    lastX: number,
    lastY: number,
    resultWidth: number,
    resultHeight: number,
    kernel: number,
    sigma: number,
    channels: number,
    linear: number,
  ): Pointer;
  /**
   * Writes at most `max` result rows to the band, as many as the committed rows allow, or fewer while more source rows
   * can be written; returns how many.
   */
  resampler_read(r: Pointer, max: number): number;
  /**
   * Source rows that may be written now; 0 when result rows have to be read first or no further source row is needed.
   */
  resampler_room(r: Pointer): number;
  /** Where the caller writes source rows, tightly packed; the same place for the life of the resampler. */
  resampler_window(r: Pointer): Pointer;
  survey_close(s: Pointer): void;
  survey_colored(s: Pointer): number;
  survey_colors(s: Pointer): number;
  /**
   * Takes the first `rows` rows of the window; returns 1 while there is something left to learn, -1 when memory ran out.
   */
  survey_commit(s: Pointer, rows: number): number;
  survey_gray_depth(s: Pointer): number;
  /**
   * A color that no opaque pixel has, so that it can stand for transparent ones: a gray level if `gray`; the color that
   * they have if `exact`. -1 if there is none, or some pixel is half transparent.
   */
  survey_key(s: Pointer, gray: number, exact: number): number;
  /**
   * keyed: a color is wanted that can stand for transparency (up to 2 MiB of memory). Returns 0 when memory ran out.
   */
  survey_open(width: number, opaque: number, keyed: number): Pointer;
  survey_palette(s: Pointer): Pointer;
  survey_translucent(s: Pointer): number;
  survey_window(s: Pointer): Pointer;
  unpremultiply_pixels(p: Pointer, count: number): void;
  writer_close(w: Pointer): void;
  /**
   * Takes the first `rows` rows of the window; `last` ends the picture. Returns the number of compressed bytes at
   * writer_output, which are valid until the next call, or -1 when memory ran out.
   */
  writer_commit(w: Pointer, rows: number, last: number): number;
  /**
   * rows: of the whole picture; strategy: a filter type for all rows, or BY_SUM, BY_ENTROPY, BY_BIGRAMS. Returns 0 when
   * memory ran out.
   */
  writer_open(
    width: number,
    rows: number,
    type: number,
    depth: number,
    input: number,
    strategy: number,
    level: number,
  ): Pointer;
  writer_output(w: Pointer): Pointer;
  /** A palette entry, as the bytes R, G, B, A in memory. */
  writer_set_color(w: Pointer, color: number, index: number): void;
  /** Transparent pixels are written as this color (which tRNS declares), in types 0 and 2. */
  writer_set_key(w: Pointer, color: number): void;
  writer_window(w: Pointer): Pointer;
}
