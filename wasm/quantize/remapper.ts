/** Pixels to the colors of a palette; see remap.c. */
import { type Estimate, estimated } from "../estimate.ts";
import { Handle, inRoom, QUANTIZE_WINDOW_ROWS } from "./instance.ts";
import type { HistogramOptions } from "./palette.ts";

/** Finding the color of a palette for a pixel of a photograph, with dithering, and for one whose color is known. */
const MAP_NANOSECONDS = { photograph: 75, flat: 14 };

export interface RemapperOptions extends HistogramOptions {
  /** RGBA of 1 to 256 colors. */
  readonly palette: Uint8Array;
  /** How much of the error is diffused: 0 to 1. */
  readonly dither: number;
  /**
   * How much farther than the nearest color that of a neighbor may be, where the picture is busy and dithered, as a part of the
   * distance between colors, squared: 0 to 1, by default 0.
   */
  readonly coherence?: number | undefined;
  /**
   * The height of the frames of an animation, in which pixels that do not change keep their indices; 0 for a still
   * picture.
   */
  readonly height: number;
}

/** Maps pixels to the colors of a palette. */
export class Remapper {
  private readonly handle: Handle;
  private readonly width: number;
  private readonly window: number;
  private readonly output: number;

  /** @throws NativeError when memory does not suffice */
  constructor({ width, height, sharp, dither, coherence = 0, palette }: RemapperOptions) {
    this.width = width;
    this.handle = new Handle(
      (exports) => exports.remapper_open(width, height, sharp ? 1 : 0, dither, coherence),
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

  /**
   * Puts rows into the colors of the palette, RGBA; a view valid until the next call. Also writes `indices`, if given.
   */
  colors(rows: Uint8Array, indices?: Uint8Array): Uint8Array {
    const count = this.map(rows);
    indices?.set(this.handle.bytes(this.output, count * this.width));
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
  return inRoom(count * 16, (room) => {
    room.bytes(room.pointer, palette.length).set(palette);
    room.call((exports, pointer) => exports.coordinates(pointer, count, pointer + count * 4));
    return new Float32Array(room.bytes(room.pointer + count * 4, count * 12).slice().buffer);
  });
}

/** Bytes of native memory that a remapper holds; `height` as in its options. */
export function remapperBytes({ width, height }: Pick<RemapperOptions, "width" | "height">): number {
  return 512 * 1024 + width * (5 * QUANTIZE_WINDOW_ROWS + 1 + 3 * 4 + 3 * 16) + width * height * 5;
}

/**
 * The estimate of finding colors for so many pixels; the memory of the remapper is left out.
 * @param detail 1 of a photograph, less of what is simpler
 */
export function mapEstimate(pixels: number, detail = 1): Estimate {
  const { photograph, flat } = MAP_NANOSECONDS;
  return estimated(0, pixels, flat + (photograph - flat) * detail);
}
