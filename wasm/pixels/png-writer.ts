/** PNG rows into a file: the smallest representation, filters and compression. */
import { type Estimate, estimated } from "../estimate.ts";
import { OutOfMemory } from "../load.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";
import { type ColorType, SAMPLES } from "./png-header.ts";

/** Filters for all rows, or how to choose one for each row, in the order of png-filter.h. */
const STRATEGIES = ["none", "sub", "up", "average", "paeth", "sum", "entropy", "bigrams"] as const;
export type FilterStrategy = (typeof STRATEGIES)[number];

const INPUTS = ["rgba", "indices", "stored", "sixteenBit"] as const;
export type PngInput = (typeof INPUTS)[number];

export interface PngWriterOptions {
  readonly width: number;
  /** Rows of the whole picture. */
  readonly height: number;
  readonly depth: number;
  readonly type: ColorType;
  /** RGBA of each palette index. */
  readonly palette?: Uint8Array;
  /** The color that stands for transparent pixels in types without alpha. */
  readonly key?: readonly [red: number, green: number, blue: number];
  /**
   * What rows hold: `rgba` (the default), palette `indices` of a byte each, bytes as they are `stored`, or `sixteenBit`
   * RGBA16.
   */
  readonly input?: PngInput;
  readonly strategy: FilterStrategy;
  /** 1 (for photographs) or 2 (fast) to 12 (near-optimal parsing, slow). */
  readonly level: number;
}

export interface PngWriter {
  /** The bytes of each row that it takes. */
  readonly rowBytes: number;
  /**
   * Takes at most `PNG_WINDOW_ROWS` whole rows, and `last` with the last ones; returns compressed bytes, perhaps none.
   */
  write(rows: Uint8Array, last: boolean): Uint8Array;
  close(): void;
}

/** Rows that a surveyor and a writer take at a time. */
export const PNG_WINDOW_ROWS = WINDOW_ROWS;

export function openPngWriter(options: PngWriterOptions): PngWriter {
  const { width, height, depth, type, palette, key, input = "rgba", level } = options;
  const strategy = STRATEGIES.indexOf(options.strategy);
  const handle = new Handle(
    (exports) => exports.writer_open(width, height, type, depth, INPUTS.indexOf(input), strategy, level),
    (exports, pointer) => exports.writer_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.writer_window(pointer));
  const stored = Math.ceil((width * depth * SAMPLES[type]) / 8);
  const stride = { rgba: width * 4, indices: width, stored, sixteenBit: width * 8 }[input];
  const colorAt = (bytes: ArrayLike<number>, at: number, alpha: number) =>
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (alpha << 24)) >>> 0;
  handle.call((exports, pointer) => {
    for (let at = 0; palette && at < palette.length; at += 4) {
      exports.writer_set_color(pointer, colorAt(palette, at, palette[at + 3]!), at / 4);
    }
    if (key) exports.writer_set_key(pointer, colorAt(key, 0, 0));
  });
  return {
    rowBytes: stride,
    write(rows, last) {
      handle.bytes(window, rows.length).set(rows);
      const count = rows.length / stride;
      const bytes = handle.call((exports, pointer) => exports.writer_commit(pointer, count, last ? 1 : 0));
      if (bytes < 0) throw new OutOfMemory();
      const address = handle.call((exports, pointer) => exports.writer_output(pointer));
      return bytes === 0 ? EMPTY : handle.bytes(address, bytes).slice();
    },
    close: () => handle.close(),
  };
}

const EMPTY = new Uint8Array(0);

/** Bytes that are compressed together, and what the compressor holds for few and for so many; the first row that applies. */
const COMPRESSORS = [
  // The matches of some icons take twice the room.
  { fromLevel: 11, together: 128 << 10, leastBytes: 2 << 20, mostBytes: 10 << 20 },
  { fromLevel: 10, together: 192 << 10, leastBytes: 2 << 20, mostBytes: 10 << 20 },
  { fromLevel: 1, together: 512 << 10, leastBytes: 1 << 20, mostBytes: 3 << 20 },
] as const;

/**
 * Bytes of memory that a writer holds at most.
 * @param raw bytes of the whole picture before it is compressed
 */
export function pngWriterBytes(width: number, level: number, raw: number): number {
  const compressor = COMPRESSORS.find(({ fromLevel }) => level >= fromLevel) ?? COMPRESSORS[0];
  const { together, leastBytes, mostBytes } = compressor;
  const compressorBytes = leastBytes + Math.ceil((mostBytes - leastBytes) * Math.min(1, raw / together));
  return width * 4 * (WINDOW_ROWS + 9) + compressorBytes;
}

/** Packing and filtering a pixel of a photograph, by how filters are chosen. */
const FILTER_NANOSECONDS: Readonly<Record<FilterStrategy, number>> = {
  none: 3,
  sub: 4,
  up: 4,
  average: 6,
  paeth: 6,
  sum: 10,
  entropy: 28,
  bigrams: 25,
};

/** The estimate of filtering so many pixels; what deflate makes of them is apart, and so is the writer's memory. */
export function filterEstimate(strategy: FilterStrategy, pixels: number): Estimate {
  return estimated(0, pixels, FILTER_NANOSECONDS[strategy]);
}
