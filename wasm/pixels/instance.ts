/** The native module of this folder. */
import { Handle as NativeHandle } from "../handle.ts";
import { native, type NativeExports } from "../load.ts";
import module from "./pixels.wasm";

type Pointer = number;

export interface PixelsExports extends NativeExports {
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
  resampler_window(resampler: Pointer): Pointer;
  resampler_band(resampler: Pointer): Pointer;
  resampler_room(resampler: Pointer): number;
  resampler_commit(resampler: Pointer, rows: number): void;
  resampler_read(resampler: Pointer, max: number): number;
  resampler_close(resampler: Pointer): void;

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
  deep_window(resampler: Pointer): Pointer;
  deep_band(resampler: Pointer): Pointer;
  deep_room(resampler: Pointer): number;
  deep_commit(resampler: Pointer, rows: number): void;
  deep_read(resampler: Pointer, max: number): number;
  deep_close(resampler: Pointer): void;

  png_open(width: number, height: number, depth: number, type: number, interlaced: number, form: number): Pointer;
  png_exact(reader: Pointer): number;
  png_table(reader: Pointer): Pointer;
  png_set_key(reader: Pointer, red: number, green: number, blue: number): void;
  png_levels(reader: Pointer): Pointer;
  png_input(reader: Pointer): Pointer;
  png_room(reader: Pointer): number;
  png_feed(reader: Pointer, bytes: number, last: number): void;
  png_band(reader: Pointer): Pointer;
  png_read(reader: Pointer, max: number): number;
  png_close(reader: Pointer): void;

  inflater_open(): Pointer;
  inflater_input(inflater: Pointer): Pointer;
  inflater_room(inflater: Pointer): number;
  inflater_feed(inflater: Pointer, bytes: number, last: number): void;
  inflater_run(inflater: Pointer): number;
  inflater_output(inflater: Pointer): Pointer;
  inflater_close(inflater: Pointer): void;

  survey_open(width: number, opaque: number, keyed: number): Pointer;
  survey_key(survey: Pointer, gray: number, exact: number): number;
  survey_window(survey: Pointer): Pointer;
  survey_commit(survey: Pointer, rows: number): number;
  survey_colored(survey: Pointer): number;
  survey_translucent(survey: Pointer): number;
  survey_gray_depth(survey: Pointer): number;
  survey_colors(survey: Pointer): number;
  survey_palette(survey: Pointer): Pointer;
  survey_close(survey: Pointer): void;

  writer_open(width: number, type: number, depth: number, input: number, strategy: number, level: number): Pointer;
  writer_window(writer: Pointer): Pointer;
  writer_set_color(writer: Pointer, color: number, index: number): void;
  writer_set_key(writer: Pointer, color: number): void;
  writer_commit(writer: Pointer, rows: number, last: number): number;
  writer_output(writer: Pointer): Pointer;
  writer_close(writer: Pointer): void;

  near_open(width: number, step: number, rows: number, passes: number): Pointer;
  near_window(near: Pointer): Pointer;
  near_move(near: Pointer, rows: number): void;
  near_close(near: Pointer): void;

  flip_rows(pixels: Pointer, width: number, rows: number): void;
  clear_hidden(pixels: Pointer, count: number): void;
  flatten_pixels(pixels: Pointer, count: number, red: number, green: number, blue: number): void;
  apply_matrix(pixels: Pointer, count: number, matrix: Pointer): void;
  apply_tables(pixels: Pointer, count: number, tables: Pointer): void;
  composite_pixels(base: Pointer, over: Pointer, count: number, opacity: number): void;
  premultiply_pixels(pixels: Pointer, count: number): void;
  unpremultiply_pixels(pixels: Pointer, count: number): void;
  drop_alpha(pixels: Pointer, count: number): void;
  add_alpha(pixels: Pointer, count: number): void;
}

/** Rows that the windows of this module hold. */
export const WINDOW_ROWS = 16;

/** Linear memory that the idle instance may keep: what resampling a 50-megapixel picture needs. */
const KEEP_BYTES = 16 << 20;

const pixels = native<PixelsExports>(module, { name: "pixels", keepBytes: KEEP_BYTES, isCommon: true });

/** Something opened in this module. */
export class Handle extends NativeHandle<PixelsExports> {
  /** @throws NativeError when `open` returns 0, which means that memory ran out */
  constructor(open: (exports: PixelsExports) => Pointer, free: (exports: PixelsExports, pointer: Pointer) => void) {
    super(pixels, open, free);
  }
}
