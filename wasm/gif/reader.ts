/** Frames of GIF files as RGBA: onto a canvas, or a single one in bands. */
import { type Estimate, estimated } from "../estimate.ts";
import { NativeError, OutOfMemory } from "../load.ts";
import type { Turns } from "../pausing.ts";
import { Handle } from "./instance.ts";

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface FrameOptions extends Rectangle {
  readonly interlaced: boolean;
  /** The index that is not drawn, or -1. */
  readonly transparent: number;
  /** Bits of the LZW codes that stand for indices: 1 to 11. */
  readonly minSize: number;
  /** RGB of each index; what is missing is black. */
  readonly palette: Uint8Array;
  /** The next piece of image data, at most `max` bytes; null at its end. */
  readonly input: (max: number) => Uint8Array | null;
}

/** What C says of a step. */
const NOTHING = 0;
const DONE = 1;
const PAUSED = 2;
const DAMAGED = -1;

const DAMAGE = "the image data is damaged or cut short";

/** Taking up a byte of input with all the codes in it, and a pixel out of its code and onto the canvas. */
const NANOSECONDS = { byte: 10, pixel: 0.8 } as const;
/** Bytes for a pixel of a photograph, where a file is not known. */
const USUAL_BYTES = 0.25;
/** Clearing, remembering or restoring a pixel of a canvas. */
const COPY_NANOSECONDS = 0.4;
/** Pixels that are drawn in one call: a few milliseconds. */
const CALL_PIXELS = 1 << 19;

class Reader {
  protected readonly handle: Handle;
  private readonly inputAddress: number;
  private readonly inputBytes: number;
  private input: FrameOptions["input"] = () => null;

  constructor(width: number, height: number, bandRows: number) {
    this.handle = new Handle(
      (exports) => exports.reader_open(width, height, bandRows),
      (exports, pointer) => exports.reader_close(pointer),
    );
    this.inputAddress = this.handle.call((exports, pointer) => exports.reader_input(pointer));
    this.inputBytes = this.handle.call((exports) => exports.reader_input_bytes());
  }

  protected start(frame: FrameOptions): void {
    const address = this.handle.call((exports, pointer) => exports.reader_palette(pointer));
    const colors = this.handle.bytes(address, 1024);
    for (let index = 0; index < 256; index++) {
      const from = frame.palette.subarray(index * 3, index * 3 + 3);
      colors.set(from.length === 3 ? from : [0, 0, 0], index * 4);
      colors[index * 4 + 3] = 255;
    }
    const { x, y, width, height, interlaced, transparent, minSize } = frame;
    this.handle.call((exports, pointer) =>
      exports.reader_start(pointer, x, y, width, height, interlaced ? 1 : 0, transparent, minSize),
    );
    this.input = frame.input;
  }

  /** Repeats `step` with more input until it makes something. */
  protected drive(step: () => number): number {
    for (;;) {
      const made = step();
      if (made === DAMAGED) throw new NativeError(DAMAGE);
      if (made !== NOTHING) return made;
      this.feed();
    }
  }

  /** The bytes that it took up. */
  protected feed(): number {
    const to = this.handle.bytes(this.inputAddress, this.inputBytes);
    let filled = 0;
    let last = false;
    while (filled < to.length && !last) {
      const piece = this.input(to.length - filled);
      if (piece) to.set(piece, filled);
      else last = true;
      filled += piece?.length ?? 0;
    }
    this.handle.call((exports, pointer) => exports.reader_feed(pointer, filled, last ? 1 : 0));
    return filled;
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    this.handle.close();
  }
}

/** The canvas that the frames of an animation are drawn on, transparent at first. */
export class FrameCanvas extends Reader {
  readonly width: number;
  readonly height: number;
  private readonly pixels: number;

  /** @throws NativeError when memory does not suffice */
  constructor(width: number, height: number) {
    super(width, height, 0);
    this.width = width;
    this.height = height;
    this.pixels = this.handle.call((exports, pointer) => exports.reader_pixels(pointer));
  }

  /** A view of rows, valid until the next call. */
  rows(y: number, count: number): Uint8Array {
    return this.handle.bytes(this.pixels + y * this.width * 4, count * this.width * 4);
  }

  /**
   * Draws a frame; what lies outside the canvas is not drawn.
   * @throws NativeError when its data is damaged or cut short
   */
  async draw(frame: FrameOptions, timeSlice: Turns): Promise<void> {
    this.start(frame);
    const rows = Math.ceil(CALL_PIXELS / Math.max(1, frame.width));
    let drawn = 0;
    for (let state = PAUSED; state !== DONE;) {
      state = this.handle.call((exports, pointer) => exports.reader_draw(pointer, rows));
      if (state === DAMAGED) throw new NativeError(DAMAGE);
      const fed = state === NOTHING ? this.feed() : 0;
      const before = drawn;
      drawn = this.handle.call((exports, pointer) => exports.reader_drawn(pointer));
      await timeSlice.spend(drawEstimate(frame.width * (drawn - before), fed).ms);
    }
  }

  /** Makes a rectangle within the canvas transparent. */
  clear({ x, y, width, height }: Rectangle): void {
    this.handle.call((exports, pointer) => exports.reader_clear(pointer, x, y, width, height));
  }

  /** Remembers a rectangle within the canvas, until the next time. */
  save({ x, y, width, height }: Rectangle): void {
    const done = this.handle.call((exports, pointer) => exports.reader_save(pointer, x, y, width, height));
    if (!done) throw new OutOfMemory();
  }

  /** Puts back the rectangle that was remembered. */
  restore({ x, y, width, height }: Rectangle): void {
    this.handle.call((exports, pointer) => exports.reader_restore(pointer, x, y, width, height));
  }
}

const BAND_ROWS = 16;

/** The rows of a picture of one frame that is not interlaced; they are never all in memory. */
export class FrameBands extends Reader {
  private readonly width: number;
  private readonly height: number;
  private readonly pixels: number;
  private y = 0;

  /** @throws NativeError when memory does not suffice */
  constructor(width: number, height: number, frame: FrameOptions) {
    super(width, height, BAND_ROWS);
    this.width = width;
    this.height = height;
    this.pixels = this.handle.call((exports, pointer) => exports.reader_pixels(pointer));
    this.start(frame);
  }

  /**
   * The next rows, at most `max`: RGBA, a view valid until the next call; null at the end.
   * @throws NativeError when the data is damaged or cut short
   */
  read(max: number): Uint8Array | null {
    if (this.y === this.height) return null;
    const rows = this.drive(() => this.handle.call((exports, pointer) => exports.reader_rows(pointer, max)));
    this.y += rows;
    return this.handle.bytes(this.pixels, rows * this.width * 4);
  }
}

/** The reader itself: tables, input and a row of indices. */
const READER_BYTES = 256 * 1024;

/**
 * The estimate of drawing so many pixels onto a canvas, or of decoding them in bands; the memory is left out.
 * @param codedBytes that they are coded in; absent: what a photograph takes
 */
export function drawEstimate(pixels: number, codedBytes = pixels * USUAL_BYTES): Estimate {
  return estimated(0, 1, pixels * NANOSECONDS.pixel + codedBytes * NANOSECONDS.byte);
}

/**
 * The estimate of a canvas with room for a rectangle that is remembered, and of one change of it before the next frame.
 * @param remembered pixels of that rectangle; all of the canvas, unless told
 */
export function canvasEstimate(width: number, height: number, remembered = width * height): Estimate {
  return estimated(READER_BYTES + (width * height + remembered) * 4, width * height, COPY_NANOSECONDS);
}

/** Bytes that bands hold. */
export function bandsBytes(width: number): number {
  return READER_BYTES + width * 4 * BAND_ROWS;
}
