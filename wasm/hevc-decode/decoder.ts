/** Decodes still HEVC pictures and draws them into a band of RGBA rows. */
import { native, NativeError, type NativeExports, type NativeInstance } from "../load.ts";
import module from "./hevc-decode.wasm";

type Pointer = number;

interface HevcExports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
  canvas_open(width: number, rows: number): Pointer;
  canvas_band(canvas: Pointer): Pointer;
  canvas_unpremultiply(canvas: Pointer, rows: number): void;
  canvas_close(canvas: Pointer): void;
  picture_decode(
    bytes: Pointer,
    size: number,
    width: number,
    height: number,
    bits: number,
    codedPixels: number,
  ): Pointer;
  picture_colors(picture: Pointer, matrix: number, fullRange: number): void;
  picture_draw(picture: Pointer, canvas: Pointer, x: number, y: number, width: number, rows: number, toX: number): void;
  picture_draw_alpha(
    picture: Pointer,
    canvas: Pointer,
    x: number,
    y: number,
    width: number,
    rows: number,
    toX: number,
  ): void;
  picture_close(picture: Pointer): void;
}

/** Linear memory that the idle instance may keep: what grids of any size and single pictures of 4 megapixels need. */
const KEEP_BYTES = 24 << 20;
const NO_LIMIT = 0xffff_ffff;

const hevc = native<HevcExports>(module, { name: "hevc-decode", keepBytes: KEEP_BYTES });

/** One picture, as its container and its headers describe it. */
export interface HevcPicture {
  /** Parameter sets and slices, without start codes and lengths. */
  readonly units: readonly Uint8Array[];
  /** Pixels that are shown. */
  readonly width: number;
  readonly height: number;
  /** Per sample. */
  readonly bits: number;
  /** Pixels that are coded: whole blocks. */
  readonly codedPixels: number;
}

export interface HevcColors {
  /** ISO/IEC 23091-2, section 8.3. */
  readonly matrix: number;
  readonly fullRange: boolean;
}

/** Which part of a decoded picture is drawn, in its own pixels, and from which column of the band on. */
export interface HevcPart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly rows: number;
  readonly toX: number;
}

/** A band of rows and the decoded pictures that are drawn into it. Its allocations fail beyond what it declared. */
export class HevcCanvas {
  private readonly instance: NativeInstance<HevcExports> = hevc.acquire();
  private readonly pictures = new Set<Pointer>();
  private readonly width: number;
  private readonly peakBytes: number;
  private heldBytes = 0;
  private pointer = 0;
  private closed = false;

  /** @throws NativeError when memory does not suffice */
  constructor(width: number, rows: number, peakBytes: number) {
    this.width = width;
    this.peakBytes = peakBytes;
    try {
      this.pointer = this.call((exports) => exports.canvas_open(width, rows));
      if (this.pointer === 0) throw new NativeError("out of memory");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @throws NativeError when the picture is damaged or of another size, or memory does not suffice */
  decode(picture: HevcPicture, colors: HevcColors | undefined): number {
    const { units, width, height, bits, codedPixels } = picture;
    const size = units.reduce((sum, unit) => sum + 4 + unit.length, 0);
    const decoded = this.call((exports) => {
      const bytes = exports.malloc(size);
      if (bytes === 0) throw new NativeError("out of memory");
      writeUnits(this.instance.bytes(bytes, size), units);
      const pointer = exports.picture_decode(bytes, size, width, height, bits, codedPixels);
      if (pointer === 0) throw new NativeError("out of memory");
      if (colors) exports.picture_colors(pointer, colors.matrix, colors.fullRange ? 1 : 0);
      return pointer;
    });
    this.pictures.add(decoded);
    return decoded;
  }

  draw(picture: number, { x, y, width, rows, toX }: HevcPart): void {
    this.call((exports) => exports.picture_draw(picture, this.pointer, x, y, width, rows, toX));
  }

  drawAlpha(picture: number, { x, y, width, rows, toX }: HevcPart): void {
    this.call((exports) => exports.picture_draw_alpha(picture, this.pointer, x, y, width, rows, toX));
  }

  unpremultiply(rows: number): void {
    this.call((exports) => exports.canvas_unpremultiply(this.pointer, rows));
  }

  /** The first rows; a view valid until the next call. */
  band(rows: number): Uint8Array {
    const address = this.call((exports) => exports.canvas_band(this.pointer));
    return this.instance.bytes(address, rows * this.width * 4);
  }

  free(picture: number): void {
    if (this.pictures.delete(picture)) this.call((exports) => exports.picture_close(picture));
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    if (this.closed) return;
    try {
      if (!this.instance.broken && this.pointer !== 0) {
        for (const picture of this.pictures) this.free(picture);
        this.call((exports) => exports.canvas_close(this.pointer));
      }
    } finally {
      this.closed = true;
      hevc.release(this.instance);
    }
  }

  /** Calls C within the declared memory. */
  private call<T>(work: (exports: HevcExports) => T): T {
    if (this.closed) throw new NativeError("the canvas is closed");
    return this.instance.run((exports) => {
      const before = exports.heap_used();
      exports.heap_limit(Math.min(NO_LIMIT, before - this.heldBytes + this.peakBytes));
      try {
        return work(exports);
      } finally {
        exports.heap_limit(NO_LIMIT);
        this.heldBytes += exports.heap_used() - before;
      }
    });
  }
}

function writeUnits(target: Uint8Array, units: readonly Uint8Array[]): void {
  const view = new DataView(target.buffer, target.byteOffset, target.length);
  let at = 0;
  for (const unit of units) {
    view.setUint32(at, unit.length);
    target.set(unit, at + 4);
    at += 4 + unit.length;
  }
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function hevcDecodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  const instance = hevc.acquire();
  try {
    const { exports } = instance;
    const heap = { used: exports.heap_used(), peak: exports.heap_peak() };
    if (mark) exports.heap_mark();
    return heap;
  } finally {
    hevc.release(instance);
  }
}
