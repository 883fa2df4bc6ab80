/** Pointwise work on a few rows at a time, in place. */
import type { PixelsExports } from "./exports.ts";
import { Handle } from "./instance.ts";

/** Room in the native module for some RGBA pixels, and the kernels that work on them. */
export class Band {
  private readonly handle: Handle;
  private readonly capacity: number;
  private count = 0;

  /** @throws NativeError when memory ran out */
  constructor(pixels: number) {
    this.capacity = pixels * 4;
    this.handle = new Handle(
      (exports) => exports.malloc(this.capacity),
      (exports, pointer) => exports.free(pointer),
    );
  }

  /** Takes over pixels, at most as many as there is room for. */
  load(pixels: Uint8Array): this {
    if (pixels.length > this.capacity) throw new RangeError("more pixels than the band holds");
    this.handle.bytes(this.handle.pointer, pixels.length).set(pixels);
    this.count = pixels.length / 4;
    return this;
  }

  /** Loads opaque pixels of three bytes, without alpha. */
  loadOpaque(colors: Uint8Array): this {
    this.count = colors.length / 3;
    if (this.count * 4 > this.capacity) throw new RangeError("more pixels than the band holds");
    this.handle.bytes(this.handle.pointer, colors.length).set(colors);
    return this.work((exports, pointer) => exports.add_alpha(pointer, this.count));
  }

  /** Gives the pixels away as three bytes each, without alpha: a view valid until the next call. */
  takeColors(): Uint8Array {
    const { count } = this;
    this.work((exports, pointer) => exports.drop_alpha(pointer, count));
    this.count = 0;
    return this.handle.bytes(this.handle.pointer, count * 3);
  }

  /** The pixels as they are now; a view valid until the next call. */
  get pixels(): Uint8Array {
    return this.handle.bytes(this.handle.pointer, this.count * 4);
  }

  /** Mirrors every row. */
  flip(width: number): this {
    return this.work((exports, pointer) => exports.flip_rows(pointer, width, this.count / width));
  }

  /** Takes the color from fully transparent pixels. */
  clearHidden(): this {
    return this.work((exports, pointer) => exports.clear_hidden(pointer, this.count));
  }

  /** Puts the pixels on an opaque color. */
  flatten(red: number, green: number, blue: number): this {
    return this.work((exports, pointer) => exports.flatten_pixels(pointer, this.count, red, green, blue));
  }

  premultiply(): this {
    return this.work((exports, pointer) => exports.premultiply_pixels(pointer, this.count));
  }

  unpremultiply(): this {
    return this.work((exports, pointer) => exports.unpremultiply_pixels(pointer, this.count));
  }

  /**
   * Each color as a weighted sum of the three, plus an offset in levels: `matrix` holds a table of the native module.
   */
  multiply(matrix: BandTable): this {
    return this.work((exports, pointer) => exports.apply_matrix(pointer, this.count, matrix.pointer));
  }

  /** Each sample replaced by its entry of four tables of 256 bytes: red, green, blue, alpha. */
  map(tables: BandTable): this {
    return this.work((exports, pointer) => exports.apply_tables(pointer, this.count, tables.pointer));
  }

  /** Lays the pixels of another band on these, with their alpha times `opacity`, 0 to 255. */
  composite(over: Band, opacity: number): this {
    return this.work((exports, pointer) =>
      exports.composite_pixels(pointer, over.handle.pointer, Math.min(this.count, over.count), opacity),
    );
  }

  close(): void {
    this.handle.close();
  }

  private work(kernel: (exports: PixelsExports, pointer: number) => void): this {
    this.handle.call(kernel);
    return this;
  }
}

/** Constants of a kernel, kept in the native module. */
export class BandTable {
  readonly pointer: number;
  private readonly handle: Handle;

  constructor(values: Uint8Array | Float32Array) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.handle = new Handle(
      (exports) => exports.malloc(bytes.length),
      (exports, pointer) => exports.free(pointer),
    );
    this.pointer = this.handle.pointer;
    this.handle.bytes(this.pointer, bytes.length).set(bytes);
  }

  close(): void {
    this.handle.close();
  }
}
