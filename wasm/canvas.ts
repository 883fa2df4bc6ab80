/** A band of RGBA rows and the decoded pictures that are drawn into it, in the modules that decode stills. */
import { NativeError, type NativeExports, type NativeInstance, type NativeModule } from "./load.ts";

type Pointer = number;

export interface CanvasExports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
  canvas_open(width: number, rows: number): Pointer;
  canvas_band(canvas: Pointer): Pointer;
  canvas_unpremultiply(canvas: Pointer, rows: number): void;
  canvas_close(canvas: Pointer): void;
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

const NO_LIMIT = 0xffff_ffff;

/** What samples mean, where the container says it. */
export interface SampleMeaning {
  /** ISO/IEC 23091-2, section 8.3. */
  readonly matrix: number;
  readonly fullRange: boolean;
}

/** Which part of a decoded picture is drawn, in its own pixels, and from which column of the band on. */
export interface CanvasPart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly rows: number;
  readonly toX: number;
}

/** Its allocations fail beyond what it declared. */
export class NativeCanvas<Exports extends CanvasExports> {
  private readonly module: NativeModule<Exports>;
  private readonly instance: NativeInstance<Exports>;
  private readonly pictures = new Set<Pointer>();
  private readonly width: number;
  private readonly peakBytes: number;
  private heldBytes = 0;
  private pointer = 0;
  private closed = false;

  /** @throws NativeError when memory does not suffice */
  constructor(module: NativeModule<Exports>, width: number, rows: number, peakBytes: number) {
    this.module = module;
    this.instance = module.acquire();
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

  /**
   * Decodes a picture from `size` bytes of the module's memory, which `write` fills and `decode` frees.
   * @throws NativeError when the picture is damaged or of another size, or memory does not suffice
   */
  protected decode(
    size: number,
    write: (copy: Uint8Array) => void,
    decode: (exports: Exports, copy: Pointer) => Pointer,
    colors: SampleMeaning | undefined,
  ): number {
    const decoded = this.call((exports) => {
      const copy = exports.malloc(size);
      if (copy === 0) throw new NativeError("out of memory");
      write(this.instance.bytes(copy, size));
      const pointer = decode(exports, copy);
      if (pointer === 0) throw new NativeError("out of memory");
      if (colors) exports.picture_colors(pointer, colors.matrix, colors.fullRange ? 1 : 0);
      return pointer;
    });
    this.pictures.add(decoded);
    return decoded;
  }

  draw(picture: number, { x, y, width, rows, toX }: CanvasPart): void {
    this.call((exports) => exports.picture_draw(picture, this.pointer, x, y, width, rows, toX));
  }

  drawAlpha(picture: number, { x, y, width, rows, toX }: CanvasPart): void {
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
      this.module.release(this.instance);
    }
  }

  /** Calls C within the declared memory. */
  private call<T>(work: (exports: Exports) => T): T {
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

/** Bytes allocated in a module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function nativeHeap<Exports extends CanvasExports>(
  module: NativeModule<Exports>,
  mark: boolean,
): { readonly used: number; readonly peak: number } {
  const instance = module.acquire();
  try {
    const { exports } = instance;
    const heap = { used: exports.heap_used(), peak: exports.heap_peak() };
    if (mark) exports.heap_mark();
    return heap;
  } finally {
    module.release(instance);
  }
}
