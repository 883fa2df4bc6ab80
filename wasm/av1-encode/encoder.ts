/** Encodes AV1 stills of 8 bits, by libaom: rows go into a row of cells side by side, each of which becomes a picture. */
import { native, NativeError, type NativeExports, type NativeInstance } from "../load.ts";
import module from "./av1-encode.wasm";

type Pointer = number;

interface EncodeExports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
  encoder_open(
    width: number,
    columns: number,
    cellWidth: number,
    cellHeight: number,
    chroma: number,
    alpha: number,
    quantizer: number,
    alphaQuantizer: number,
    speed: number,
    tuning: number,
  ): Pointer;
  encoder_band(encoder: Pointer): Pointer;
  encoder_rows(encoder: Pointer, rows: number): void;
  encoder_complete(encoder: Pointer): number;
  encoder_next(encoder: Pointer): void;
  encoder_cell(encoder: Pointer, column: number, alpha: number): Pointer;
  encoder_bytes(encoder: Pointer): number;
  encoder_close(encoder: Pointer): void;
}

/** Linear memory that the idle instance may keep: that of a row of cells, whatever the size of the picture. */
const KEEP_BYTES = 44 << 20;
const NO_LIMIT = 0xffff_ffff;
/** Rows that are taken at a time; even. */
export const BAND_ROWS = 32;
/** AOM_TUNE_IQ: for the eye. */
const TUNING = 10;

const av1 = native<EncodeExports>(module, { name: "av1-encode", keepBytes: KEEP_BYTES });

/** Luma and chroma by BT.601, or green, blue and red as they are; at full range. */
const CHROMA = { "4:2:0": 0, "4:4:4": 1, rgb: 2 } as const;

export interface CellSettings {
  /** Pixels, of the whole picture. */
  readonly width: number;
  readonly cell: { readonly width: number; readonly height: number };
  readonly chroma: keyof typeof CHROMA;
  readonly opaque: boolean;
  /** 1 (best) to 63; 0 is lossless. */
  readonly quantizer: number;
  readonly alphaQuantizer: number;
  /** 0 to 9. */
  readonly speed: number;
}

/** Bytes that libaom holds for each pixel of a cell at most, measured on noise: it notes more where it looks closer. */
const BYTES_PER_PIXEL = { close: { half: 32, full: 50 }, fast: { half: 22, full: 39 } } as const;
const FIRST_FAST_SPEED = 7;
const ENCODER_BYTES = 3 << 20;
/** libaom works on whole blocks of this side, and on some beyond the edges of a cell. */
const BLOCK = 64;

/** What encoding holds at most, the results not included. */
export function cellsPeakBytes({ width, cell, chroma, opaque, speed }: CellSettings): number {
  const half = chroma === "4:2:0";
  const columns = Math.ceil(width / cell.width);
  const planes = columns * cell.width * cell.height * ((half ? 1.5 : 3) + (opaque ? 0 : 1));
  const perPixel = BYTES_PER_PIXEL[speed < FIRST_FAST_SPEED ? "close" : "fast"][half ? "half" : "full"];
  const padded = (side: number) => (Math.ceil(side / BLOCK) + 1) * BLOCK;
  const coded = padded(cell.width) * padded(cell.height) * perPixel;
  return planes + coded + width * 4 * BAND_ROWS + ENCODER_BYTES;
}

export class Av1Cells {
  readonly columns: number;
  private readonly instance: NativeInstance<EncodeExports> = av1.acquire();
  private readonly peakBytes: number;
  private readonly width: number;
  private readonly pointer: Pointer = 0;
  private heldBytes = 0;
  private closed = false;

  /** @throws NativeError when memory does not suffice */
  constructor(settings: CellSettings) {
    const { width, cell, chroma, opaque, quantizer, alphaQuantizer, speed } = settings;
    this.width = width;
    this.columns = Math.ceil(width / cell.width);
    this.peakBytes = cellsPeakBytes(settings);
    try {
      this.pointer = this.call((exports) =>
        exports.encoder_open(
          width,
          this.columns,
          cell.width,
          cell.height,
          CHROMA[chroma],
          opaque ? 0 : 1,
          quantizer,
          alphaQuantizer,
          speed,
          TUNING,
        ),
      );
      if (this.pointer === 0) throw new NativeError("out of memory");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Where up to 32 rows go, RGBA; valid until the next call. */
  band(): Uint8Array {
    const address = this.call((exports) => exports.encoder_band(this.pointer));
    return this.instance.bytes(address, BAND_ROWS * this.width * 4);
  }

  /** Takes the first rows of the band: an even number, except at the bottom of the picture. */
  push(rows: number): void {
    this.call((exports) => exports.encoder_rows(this.pointer, rows));
  }

  /** No more rows follow in these cells. Returns whether a pixel has an alpha below 255. */
  complete(): boolean {
    return this.call((exports) => exports.encoder_complete(this.pointer)) !== 0;
  }

  /** The next row of cells begins. */
  next(): void {
    this.call((exports) => exports.encoder_next(this.pointer));
  }

  /**
   * Encodes the colors of a cell, or its alpha as a picture without chroma.
   * @returns the units of the bitstream, a temporal delimiter first
   * @throws NativeError when memory does not suffice
   */
  encode(column: number, plane: "color" | "alpha"): Uint8Array {
    try {
      return this.call((exports) => {
        const from = exports.encoder_cell(this.pointer, column, plane === "alpha" ? 1 : 0);
        if (from === 0) throw new NativeError("out of memory");
        return this.instance.bytes(from, exports.encoder_bytes(this.pointer)).slice();
      });
    } catch (error) {
      // What libaom held is lost.
      this.instance.broken = true;
      throw error;
    }
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    if (this.closed) return;
    try {
      if (!this.instance.broken && this.pointer !== 0) this.call((exports) => exports.encoder_close(this.pointer));
    } finally {
      this.closed = true;
      av1.release(this.instance);
    }
  }

  /** Calls C within the declared memory. */
  private call<T>(work: (exports: EncodeExports) => T): T {
    if (this.closed) throw new NativeError("the cells are closed");
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

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function av1EncodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  const instance = av1.acquire();
  try {
    const { exports } = instance;
    const heap = { used: exports.heap_used(), peak: exports.heap_peak() };
    if (mark) exports.heap_mark();
    return heap;
  } finally {
    av1.release(instance);
  }
}
