/** Encodes still HEVC pictures, 4:2:0, 8 bits: rows go into a row of tiles side by side, each of which becomes a picture. */
import { native, NativeError, type NativeExports, type NativeInstance } from "../load.ts";
import module from "./hevc-encode.wasm";

type Pointer = number;

interface EncodeExports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
  tiles_open(pictureWidth: number, width: number, height: number, opaque: number): Pointer;
  tiles_band(tiles: Pointer): Pointer;
  tiles_columns(tiles: Pointer): number;
  tiles_translucent(tiles: Pointer, column: number): number;
  tiles_rows(tiles: Pointer, count: number): void;
  tiles_complete(tiles: Pointer): void;
  tiles_next(tiles: Pointer): void;
  tiles_encode(
    tiles: Pointer,
    column: number,
    gray: number,
    quantizer: number,
    lossless: number,
    preset: Pointer,
  ): number;
  tiles_close(tiles: Pointer): void;
}

/** Linear memory that the idle instance may keep: that of a row of tiles, whatever the size of the picture. */
const KEEP_BYTES = 24 << 20;
const NO_LIMIT = 0xffff_ffff;
/** Rows that are taken at a time; even. */
export const BAND_ROWS = 16;

let written: Uint8Array[] = [];

const hevc = native<EncodeExports>(module, {
  name: "hevc-encode",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    write: (from = 0, length = 0) => void written.push(instance.bytes(from, length).slice()),
  }),
});

/** Kvazaar's, by the time they take. */
export type Preset = "ultrafast" | "superfast" | "veryfast" | "faster" | "fast" | "medium" | "slow" | "slower";

export interface TileSettings {
  /** 0 to 51. */
  readonly quantizer: number;
  /** Of samples: those of color are still rounded, and halved in size. */
  readonly lossless: boolean;
  readonly preset: Preset;
}

/** What tiles hold at most, the results not included. */
export function tilesPeakBytes(pictureWidth: number, tile: { width: number; height: number }, opaque: boolean): number {
  const columns = Math.ceil(pictureWidth / tile.width);
  const pixels = (tile.width + 8) * (tile.height + 8);
  const planes = columns * pixels * (opaque ? 1.5 : 2.5);
  return planes + pictureWidth * 4 * BAND_ROWS + encoderBytes(pixels);
}

/** What kvazaar holds while it encodes one tile. */
function encoderBytes(pixels: number): number {
  return (2 << 20) + pixels * 6;
}

export class HevcTiles {
  readonly columns: number;
  private readonly instance: NativeInstance<EncodeExports> = hevc.acquire();
  private readonly peakBytes: number;
  private heldBytes = 0;
  private readonly pointer: Pointer = 0;
  private readonly width: number;
  private closed = false;

  /** @throws NativeError when memory does not suffice */
  constructor(pictureWidth: number, tile: { width: number; height: number }, opaque: boolean) {
    this.width = pictureWidth;
    this.peakBytes = tilesPeakBytes(pictureWidth, tile, opaque);
    try {
      this.pointer = this.call((exports) => exports.tiles_open(pictureWidth, tile.width, tile.height, opaque ? 1 : 0));
      if (this.pointer === 0) throw new NativeError("out of memory");
      this.columns = this.call((exports) => exports.tiles_columns(this.pointer));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Where up to 16 rows go, RGBA; valid until the next call. */
  band(): Uint8Array {
    const address = this.call((exports) => exports.tiles_band(this.pointer));
    return this.instance.bytes(address, BAND_ROWS * this.width * 4);
  }

  /** Takes the first rows of the band: an even number, except at the bottom of the picture. */
  push(rows: number): void {
    this.call((exports) => exports.tiles_rows(this.pointer, rows));
  }

  /** No more rows follow in these tiles. */
  complete(): void {
    this.call((exports) => exports.tiles_complete(this.pointer));
  }

  /** The next row of tiles begins. */
  next(): void {
    this.call((exports) => exports.tiles_next(this.pointer));
  }

  /** Whether a pixel of a tile has an alpha below 255. */
  translucent(column: number): boolean {
    return this.call((exports) => exports.tiles_translucent(this.pointer, column)) !== 0;
  }

  /**
   * Encodes the color of a tile, or its alpha as a picture without chroma.
   * @returns the units of the bitstream behind start codes, parameter sets among them
   * @throws NativeError when memory does not suffice
   */
  encode(column: number, plane: "color" | "alpha", { quantizer, lossless, preset }: TileSettings): Uint8Array {
    written = [];
    try {
      const done = this.call((exports) => {
        const name = this.text(exports, preset);
        const gray = plane === "alpha" ? 1 : 0;
        const ok = exports.tiles_encode(this.pointer, column, gray, quantizer, lossless ? 1 : 0, name);
        exports.free(name);
        return ok;
      });
      if (done === 0) throw new NativeError("out of memory");
      return joined(written);
    } catch (error) {
      // What kvazaar held is lost.
      this.instance.broken = true;
      throw error;
    } finally {
      written = [];
    }
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    if (this.closed) return;
    try {
      if (!this.instance.broken) this.call((exports) => exports.tiles_close(this.pointer));
    } finally {
      this.closed = true;
      hevc.release(this.instance);
    }
  }

  private text(exports: EncodeExports, text: string): Pointer {
    const pointer = exports.malloc(text.length + 1);
    if (pointer === 0) throw new NativeError("out of memory");
    const bytes = this.instance.bytes(pointer, text.length + 1);
    bytes.set(new TextEncoder().encode(text));
    bytes[text.length] = 0;
    return pointer;
  }

  /** Calls C within the declared memory. */
  private call<T>(work: (exports: EncodeExports) => T): T {
    if (this.closed) throw new NativeError("the tiles are closed");
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

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function hevcEncodeHeap(mark = false): { readonly used: number; readonly peak: number } {
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
