/** The canvas of an animation in linear memory: straight RGBA, drawn on by frames or filled from rows. */
import { held, type Estimate, estimated } from "../estimate.ts";
import { Job, type WebpInstance } from "./instance.ts";

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Nanoseconds that a pixel takes to be drawn, compared or copied. */
const NANOSECONDS = 2;

/** What a canvas holds besides its pixels. */
const CANVAS_BYTES = 64 << 10;

/** The estimate of a canvas that is held, or of several, one below the other. */
export function canvasEstimate(width: number, height: number): Estimate {
  return held(4 * width * height + CANVAS_BYTES);
}

/** The estimate of going over so many pixels of a canvas once. */
export function canvasWork(pixels: number): Estimate {
  return estimated(0, pixels, NANOSECONDS);
}

export class Canvas {
  readonly width: number;
  readonly height: number;
  /** In whose memory it lies, for what is drawn on it or encoded from it. */
  readonly instance: WebpInstance;
  private readonly job: Job;
  private readonly address: number;
  /** Where C writes a rectangle. */
  private readonly box: number;

  /**
   * Transparent at first.
   * @param instance of a job that has one alone; the shared one by default
   * @throws NativeError when memory does not suffice
   */
  constructor(width: number, height: number, instance?: WebpInstance) {
    this.width = width;
    this.height = height;
    this.job = new Job(canvasEstimate(width, height).bytes, instance);
    this.instance = this.job.instance;
    try {
      const address = this.job.call((exports) => exports.canvas_open(width, height));
      this.address = this.job.own(address, (exports, pointer) => exports.canvas_close(pointer));
      const box = this.job.call((exports) => exports.malloc(16));
      this.box = this.job.own(box, (exports, pointer) => exports.free(pointer));
    } catch (error) {
      this.job.close();
      throw error;
    }
  }

  /** A view of rows, valid until the next call into the module. */
  rows(y: number, count: number): Uint8Array {
    return this.instance.bytes(this.address + y * this.width * 4, count * this.width * 4);
  }

  /**
   * Lays rows that lie in linear memory at (x, y), over what is there or in its place. The rectangle must lie within
   * the canvas.
   */
  draw(rectangle: Rectangle, from: number, blend: boolean): void {
    const { x, y, width, height } = rectangle;
    this.job.call((exports) => exports.canvas_draw(this.address, this.width, x, y, width, height, from, blend ? 1 : 0));
  }

  /** Makes a rectangle transparent. */
  clear({ x, y, width, height }: Rectangle): void {
    this.job.call((exports) => exports.canvas_clear(this.address, this.width, x, y, width, height));
  }

  /**
   * The smallest rectangle with even x and y that holds every pixel in which this canvas, of the same size, looks
   * different from `before`; null when none does.
   */
  difference(before: Canvas): Rectangle | null {
    this.job.call((exports) =>
      exports.canvas_difference(before.address, this.address, this.width, this.height, this.box),
    );
    const [x = 0, y = 0, width = 0, height = 0] = new Int32Array(this.instance.exports.memory.buffer, this.box, 4);
    return width === 0 ? null : { x, y, width, height };
  }

  /** Whether every pixel of the rectangle that differs from `before` is opaque, so that it can be drawn by blending. */
  blendable(before: Canvas, { x, y, width, height }: Rectangle): boolean {
    const drawable = this.job.call((exports) =>
      exports.canvas_blendable(before.address, this.address, this.width, x, y, width, height),
    );
    return drawable !== 0;
  }

  /** Copies a rectangle to linear memory; with `before`, pixels that look the same there become transparent. */
  copy({ x, y, width, height }: Rectangle, to: number, before?: Canvas): void {
    this.job.call((exports) =>
      exports.canvas_copy(before?.address ?? 0, this.address, this.width, x, y, width, height, to),
    );
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    this.job.close();
  }
}
