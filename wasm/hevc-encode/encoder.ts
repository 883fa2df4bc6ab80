/**
 * Encodes still HEVC pictures, 4:2:0, 8 bits: rows go into a row of tiles side by side, each of which becomes a
 * picture.
 */
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { LoneJob } from "../handle.ts";
import { allocated, heapOf, native } from "../load.ts";
import type { Turns } from "../pausing.ts";
import type { HevcEncodeExports } from "./exports.ts";
import module from "./hevc-encode.wasm";

type Pointer = number;

/** Linear memory that the idle instance may keep: that of a row of tiles, whatever the size of the picture. */
const KEEP_BYTES = 24 << 20;
/** Rows that are taken at a time; even. */
export const BAND_ROWS = 16;

/** Set and used within one call of `tiles_take`. */
let written: Uint8Array[] = [];

const hevc = native<HevcEncodeExports>(module, {
  name: "hevc-encode",
  keepBytes: KEEP_BYTES,
  forget: () => (written = []),
  imports: (instance) => ({
    write: (from = 0, length = 0) => void written.push(instance.bytes(from, length).slice()),
  }),
});

/** Kvazaar's presets that are used, and what each takes for a pixel of color. Alpha takes about half. */
const PRESET_NANOSECONDS = { ultrafast: 150, medium: 620, slower: 1_300 } as const;

export type Preset = keyof typeof PRESET_NANOSECONDS;

export interface TileSettings {
  /** 0 to 51. */
  readonly quantizer: number;
  /** Samples of luma are exact; those of color are still rounded, and halved in size. */
  readonly lossless: boolean;
  readonly preset: Preset;
}

/** Width and height, pixels. */
interface Sides {
  readonly width: number;
  readonly height: number;
}

/** What taking a pixel into tiles takes. */
const PUSH_NANOSECONDS = 3;
const ALPHA_SHARE = 0.5;

/** The estimate of encoding a picture in tiles, the results not included. */
export function tilesEstimate(picture: Sides, tile: Sides, opaque: boolean, preset: Preset): Estimate {
  const columns = Math.ceil(picture.width / tile.width);
  const tilePixels = (tile.width + 8) * (tile.height + 8);
  const planes = columns * tilePixels * (opaque ? 1.5 : 2.5);
  const pixels = columns * tile.width * Math.ceil(picture.height / tile.height) * tile.height;
  const coding = PRESET_NANOSECONDS[preset] * (opaque ? 1 : 1 + ALPHA_SHARE);
  return parallel(
    estimated(planes + picture.width * 4 * BAND_ROWS, pixels, PUSH_NANOSECONDS),
    estimated(encoderBytes(tilePixels), pixels, coding),
  );
}

/** The milliseconds that it takes to put so many rows into tiles. */
export function pushMs(pictureWidth: number, rows: number): number {
  return estimated(0, pictureWidth * rows, PUSH_NANOSECONDS).ms;
}

/** What kvazaar holds while it encodes one tile. */
function encoderBytes(pixels: number): number {
  return (2 << 20) + pixels * 6;
}

/** A row of tiles, in an instance that its job has alone: encoding may pause. */
export class HevcTiles {
  readonly columns: number;
  private readonly job: LoneJob<HevcEncodeExports>;
  private readonly pointer: Pointer;
  private readonly width: number;

  /**
   * @param peakBytes that may be held, the results not included
   * @throws NativeError when memory does not suffice
   */
  constructor(pictureWidth: number, tile: Sides, opaque: boolean, peakBytes: number) {
    this.width = pictureWidth;
    this.job = new LoneJob(hevc, peakBytes);
    try {
      this.pointer = this.call((exports) => exports.tiles_open(pictureWidth, tile.width, tile.height, opaque ? 1 : 0));
      allocated(this.pointer);
      this.columns = this.call((exports) => exports.tiles_columns(this.pointer));
    } catch (error) {
      this.job.close();
      throw error;
    }
  }

  /** Where up to 16 rows go, RGBA; valid until the next call. */
  band(): Uint8Array {
    const address = this.call((exports) => exports.tiles_band(this.pointer));
    return this.job.bytes(address, BAND_ROWS * this.width * 4);
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
  async encode(
    column: number,
    plane: "color" | "alpha",
    settings: TileSettings,
    timeSlice: Turns,
  ): Promise<Uint8Array> {
    const { quantizer, lossless, preset } = settings;
    const gray = plane === "alpha";
    const nanoseconds = PRESET_NANOSECONDS[preset] * (gray ? ALPHA_SHARE : 1);
    const numbers = [gray ? 1 : 0, quantizer, lossless ? 1 : 0] as const;
    try {
      const name = this.call((exports) => this.text(exports, preset));
      const pace = { timeSlice, nanoseconds };
      const done = await this.job.callPausing(pace, "tiles_encode", this.pointer, column, ...numbers, name);
      allocated(done);
      return this.call((exports) => {
        exports.free(name);
        return this.take(exports);
      });
    } catch (error) {
      // What kvazaar held is lost.
      this.job.giveUp();
      throw error;
    }
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    this.job.close((exports) => exports.tiles_close(this.pointer));
  }

  private take(exports: HevcEncodeExports): Uint8Array {
    written = [];
    try {
      exports.tiles_take(this.pointer);
      return joined(written);
    } finally {
      written = [];
    }
  }

  private text(exports: HevcEncodeExports, text: string): Pointer {
    const pointer = allocated(exports.malloc(text.length + 1));
    const bytes = this.job.bytes(pointer, text.length + 1);
    bytes.set(new TextEncoder().encode(text));
    bytes[text.length] = 0;
    return pointer;
  }

  private call<T>(work: (exports: HevcEncodeExports) => T): T {
    return this.job.call(work);
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
  return heapOf(hevc, mark);
}
