/** The canvases of an animation that is being written: opaque or transparent pixels; see canvas.c. */
import { type Estimate, estimated } from "../estimate.ts";
import { Handle } from "./instance.ts";
import type { Rectangle } from "./reader.ts";
import type { FrameWriter } from "./writer.ts";

/** How a canvas differs from what is to come after it. */
export interface Comparison {
  /** Pixels. */
  readonly changed: number;
  /** Around what changes. */
  readonly box: Rectangle;
  /** Around what would have to become transparent, which drawing cannot do. */
  readonly lost: Rectangle;
}

export interface Colors {
  /** RGBA of each; null if there are more than 256. */
  readonly palette: Uint8Array | null;
  /** Some pixel of the rectangle does not change. */
  readonly unchanged: boolean;
}

export interface CutColors {
  /** RGBA. */
  readonly palette: Uint8Array;
  /** The transparent index, or -1. */
  readonly transparent: number;
  readonly solid: boolean;
}

/** A look at a pixel of two canvases, and counting its color. */
const LOOK_NANOSECONDS = 0.9;
const COLOR_NANOSECONDS = 8;

const MAX_COLORS = 256;
const RESULT_BYTES = 1024 + 16;

export class Canvas {
  readonly width: number;
  readonly height: number;
  private readonly handle: Handle;
  /** Where C writes what it found. */
  private readonly result: Handle;

  /**
   * Transparent at first.
   * @throws NativeError when memory does not suffice
   */
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.handle = new Handle(
      (exports) => exports.canvas_open(width, height),
      (exports, pointer) => exports.free(pointer),
    );
    try {
      this.result = new Handle(
        (exports) => exports.malloc(RESULT_BYTES),
        (exports, pointer) => exports.free(pointer),
      );
    } catch (error) {
      this.handle.close();
      throw error;
    }
  }

  /** Takes over rows from `y` on; every pixel becomes opaque or transparent. */
  load(y: number, rows: Uint8Array): void {
    const at = this.address + y * this.width * 4;
    this.handle.bytes(at, rows.length).set(rows);
    this.handle.call((exports) => exports.canvas_sharpen(at, rows.length / 4));
  }

  /** Differences up to `tolerance`, a sum of weighted squares of levels, are none. */
  compare(after: Canvas, tolerance: number): Comparison {
    const { pointer } = this.result;
    this.handle.call((exports) =>
      exports.canvas_compare(this.address, after.address, this.width, this.height, tolerance, pointer),
    );
    const [changed = 0, ...rest] = new Int32Array(this.result.bytes(pointer, 36).slice().buffer);
    return { changed, box: rectangle(rest.slice(0, 4)), lost: rectangle(rest.slice(4)) };
  }

  /** Makes `after` the same as this canvas where it differs by `tolerance` or less. */
  settle(after: Canvas, tolerance: number): void {
    this.handle.call((exports) =>
      exports.canvas_settle(this.address, after.address, this.width * this.height, tolerance),
    );
  }

  /** Takes over all pixels of a canvas of the same size. */
  copy(other: Canvas): void {
    const bytes = this.width * this.height * 4;
    this.handle.bytes(this.address, bytes).set(other.handle.bytes(other.address, bytes));
  }

  clear({ x, y, width, height }: Rectangle): void {
    this.handle.call((exports) => exports.canvas_clear(this.address, this.width, x, y, width, height));
  }

  /** The colors of a rectangle of this canvas: of all pixels, or of those that are different in `before`. */
  colors({ x, y, width, height }: Rectangle, before?: Canvas): Colors {
    const { pointer } = this.result;
    const from = before?.address ?? 0;
    const flag = pointer + MAX_COLORS * 4;
    const count = this.handle.call((exports) =>
      exports.canvas_colors(from, this.address, this.width, x, y, width, height, pointer, flag),
    );
    const palette = count > MAX_COLORS ? null : this.result.bytes(pointer, count * 4).slice();
    return { palette, unchanged: this.result.bytes(flag, 1)[0] === 1 };
  }

  /**
   * Puts a rectangle of `after` into a writer, as indices of `palette` (RGBA); what does not change may be left
   * transparent if there is a transparent index, and is at first unless it is to be `solid`. Returns how many of the
   * colors are used, counted from the first; 0 if one is missing.
   */
  cut(
    after: Canvas,
    { x, y, width, height }: Rectangle,
    { palette, transparent, solid }: CutColors,
    to: FrameWriter,
  ): number {
    const { pointer } = this.result;
    this.result.bytes(pointer, palette.length).set(palette);
    return this.handle.call((exports) =>
      exports.canvas_cut(
        this.address,
        after.address,
        this.width,
        x,
        y,
        width,
        height,
        pointer,
        palette.length / 4,
        transparent,
        solid ? 1 : 0,
        to.indicesAddress,
        to.othersAddress,
      ),
    );
  }

  /** Frees everything. May be called twice. */
  close(): void {
    this.result.close();
    this.handle.close();
  }

  private get address(): number {
    return this.handle.pointer;
  }
}

function rectangle([x = 0, y = 0, width = 0, height = 0]: number[]): Rectangle {
  return { x, y, width, height };
}

/** Bytes that a canvas holds. */
export function canvasBytes(width: number, height: number): number {
  return width * height * 4 + RESULT_BYTES + 1024;
}

/** The estimate of one way through all pixels of a canvas, which no pause interrupts; its memory is left out. */
export function lookEstimate(width: number, height: number): Estimate {
  return estimated(0, width * height, LOOK_NANOSECONDS);
}

/** The estimate of counting the colors of so many pixels, without a pause. */
export function colorsEstimate(width: number, height: number): Estimate {
  return estimated(0, width * height, COLOR_NANOSECONDS);
}
