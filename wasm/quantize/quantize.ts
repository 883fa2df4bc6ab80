/** Palettes: counting the colors of a picture, choosing the best few, and mapping pixels to them. See the C files. */
import { NativeError } from "../load.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";

/** Rows that a histogram and a remapper take at a time. */
export const QUANTIZE_WINDOW_ROWS = WINDOW_ROWS;

/** Rounds of k-means; they stop earlier when they no longer help. */
const ROUNDS = 12;

export interface HistogramOptions {
  /** Of the rows, in pixels. */
  readonly width: number;
  /** Alpha is all or nothing: 128 and more is opaque. */
  readonly sharp: boolean;
}

/** The colors of a picture, weighted by how much they show; bounded memory however many there are. */
export class Histogram {
  private readonly handle: Handle;
  private readonly width: number;
  private readonly window: number;

  /** @throws NativeError when memory does not suffice */
  constructor({ width, sharp }: HistogramOptions) {
    this.width = width;
    this.handle = new Handle(
      (exports) => exports.histogram_open(width, sharp ? 1 : 0),
      (exports, pointer) => exports.histogram_close(pointer),
    );
    this.window = this.handle.call((exports, pointer) => exports.histogram_window(pointer));
  }

  /** Takes at most `QUANTIZE_WINDOW_ROWS` whole rows: RGBA8, straight alpha, sRGB. */
  add(rows: Uint8Array): void {
    this.handle.bytes(this.window, rows.length).set(rows);
    this.handle.call((exports, pointer) => exports.histogram_add(pointer, rows.length / (this.width * 4)));
  }

  /** How many colors there are, full transparency among them; Infinity when they were too many to be told apart. */
  get colors(): number {
    return this.handle.call((exports, pointer) => {
      const solid = exports.histogram_colors(pointer);
      return solid < 0 ? Infinity : solid + exports.histogram_transparent(pointer);
    });
  }

  /**
   * The best palette of at most `colors` (1 to 256) colors, RGBA: exact when there are no more. Full transparency is the
   * first if the picture has it. `error` is the root of the mean squared distance of the colors from it, in the unit of
   * Oklab's lightness.
   * @throws NativeError when memory does not suffice
   */
  palette(colors: number): { readonly palette: Uint8Array; readonly error: number } {
    const room = new Handle(
      (exports) => exports.malloc(1024),
      (exports, pointer) => exports.free(pointer),
    );
    try {
      const count = this.handle.call((exports, pointer) => exports.choose(pointer, colors, ROUNDS, room.pointer));
      if (count < 0) throw new NativeError("out of memory");
      const error = Math.sqrt(this.handle.call((exports) => exports.choose_error()));
      return { palette: room.bytes(room.pointer, count * 4).slice(), error };
    } finally {
      room.close();
    }
  }

  /** Frees everything. May be called twice. */
  close(): void {
    this.handle.close();
  }
}

export interface RemapperOptions extends HistogramOptions {
  /** RGBA of 1 to 256 colors. */
  readonly palette: Uint8Array;
  /** How much of the error is diffused: 0 to 1. */
  readonly dither: number;
  /** Of the frames of an animation: what does not change from one to the next keeps its indices. 0 for a still picture. */
  readonly height: number;
}

/** Maps pixels to the colors of a palette. */
export class Remapper {
  private readonly handle: Handle;
  private readonly width: number;
  private readonly window: number;
  private readonly output: number;

  /** @throws NativeError when memory does not suffice */
  constructor({ width, height, sharp, dither, palette }: RemapperOptions) {
    this.width = width;
    this.handle = new Handle(
      (exports) => exports.remapper_open(width, height, sharp ? 1 : 0, dither),
      (exports, pointer) => exports.remapper_close(pointer),
    );
    this.window = this.handle.call((exports, pointer) => exports.remapper_window(pointer));
    this.output = this.handle.call((exports, pointer) => exports.remapper_indices(pointer));
    const colors = this.handle.call((exports, pointer) => exports.remapper_palette(pointer));
    this.handle.bytes(colors, palette.length).set(palette);
    this.handle.call((exports, pointer) => exports.remapper_set(pointer, palette.length / 4));
  }

  /** Begins the next frame of an animation. */
  restart(): void {
    this.handle.call((exports, pointer) => exports.remapper_restart(pointer));
  }

  /** The palette indices of at most `QUANTIZE_WINDOW_ROWS` whole rows; a view valid until the next call. */
  indices(rows: Uint8Array): Uint8Array {
    const count = this.map(rows);
    return this.handle.bytes(this.output, count * this.width);
  }

  /** The same rows in the colors of the palette, RGBA; a view valid until the next call. */
  colors(rows: Uint8Array): Uint8Array {
    const count = this.map(rows);
    this.handle.call((exports, pointer) => exports.remapper_paint(pointer, count));
    return this.handle.bytes(this.window, rows.length);
  }

  private map(rows: Uint8Array): number {
    const count = rows.length / (this.width * 4);
    this.handle.bytes(this.window, rows.length).set(rows);
    this.handle.call((exports, pointer) => exports.remapper_map(pointer, count));
    return count;
  }

  /** Frees everything. May be called twice. */
  close(): void {
    this.handle.close();
  }
}

/** Where opaque colors (RGBA) lie in the space in which they are compared: three coordinates each. */
export function coordinatesOf(palette: Uint8Array): Float32Array {
  const count = palette.length / 4;
  const room = new Handle(
    (exports) => exports.malloc(count * 16),
    (exports, pointer) => exports.free(pointer),
  );
  try {
    room.bytes(room.pointer, palette.length).set(palette);
    room.call((exports, pointer) => exports.coordinates(pointer, count, pointer + count * 4));
    return new Float32Array(room.bytes(room.pointer + count * 4, count * 12).slice().buffer);
  } finally {
    room.close();
  }
}

/** Bytes of a histogram (bins, slots) and of the choice that is made from it (points, cells). */
const HISTOGRAM_BYTES = (1 << 16) * 24 + (1 << 17) * 4;
const CHOICE_BYTES = (1 << 16) * 33 + 512 * 1024;

/** Bytes of native memory that a histogram and choosing from it hold at most. */
export function histogramPeakBytes(width: number): number {
  return HISTOGRAM_BYTES + CHOICE_BYTES + width * 4 * (WINDOW_ROWS + 1);
}

/** Bytes of native memory that a remapper holds; `height` as in its options. */
export function remapperPeakBytes({ width, height }: Pick<RemapperOptions, "width" | "height">): number {
  return 512 * 1024 + width * (5 * WINDOW_ROWS + 4 + 2 * 16) + width * height * 5;
}
