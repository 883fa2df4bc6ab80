/** PNG rows: decompression, filters and expansion to RGBA one way; the smallest representation and back the other. */
import type { Turns } from "../instance.ts";
import { NativeError, OutOfMemory } from "../load.ts";
import { type Price, priced } from "../price.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";

/** Color types of IHDR. */
export const COLOR_TYPE = { gray: 0, rgb: 2, palette: 3, grayAlpha: 4, rgba: 6 } as const;
export type ColorType = (typeof COLOR_TYPE)[keyof typeof COLOR_TYPE];

/** Samples per pixel of each color type. */
export const SAMPLES: Readonly<Record<ColorType, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly depth: number;
  readonly type: ColorType;
  readonly interlaced: boolean;
}

export interface PngReaderOptions extends PngHeader {
  /** RGBA of each palette index, or of each gray level of at most 8 bits as it is stored: up to 1024 bytes. */
  readonly table?: Uint8Array;
  /** The stored color that is transparent, for gray of 16 bits and RGB. */
  readonly key?: readonly [red: number, green: number, blue: number];
  /**
   * The 8-bit value of each sample value: 65,536 entries for 16 bits, else 256. Gray of at most 8 bits uses `table`.
   */
  readonly levels?: Uint8Array;
  /** Give rows as they are stored instead of RGBA8; for 16 bits per sample. */
  readonly raw?: boolean;
  /** The next piece of compressed data, at most `max` bytes; null at its end. */
  readonly input: (max: number) => Uint8Array | null;
}

export interface PngReader {
  /** The next rows, at most `max`: RGBA8, straight alpha; a view valid until the next call; null at the end. */
  read(max: number): Promise<Uint8Array | null>;
  /** Whether 8 bits hold all samples so far exactly. */
  isExact(): boolean;
  close(): void;
}

/** What png_read says when a call was long enough and it wants to be called again. */
const PAUSED = -4;
/** Bytes of an interlaced picture that a call unfilters before it pauses. */
const PASS_BYTES = 1 << 20;
/** Bytes of pixels that a byte of a compressed photograph stands for, where the compressed file is not known. */
const PHOTOGRAPH_RATIO = 2;
/** What it says when it cannot go on. */
const FAILURES: Readonly<Record<number, string>> = {
  [-1]: "the compressed data is damaged",
  [-2]: "the compressed data ends too early",
  [-3]: "a row has a filter that does not exist",
};

/** Decompressing a byte of the file, unfiltering a byte of pixels as they are stored, and expanding a pixel. */
const READ_NANOSECONDS = { coded: 6, stored: 0.6, pixel: 0.5 } as const;

/**
 * `read` throws NativeError when the data is damaged.
 * @throws OutOfMemory
 */
export function openPngReader(options: PngReaderOptions, breath: Turns): PngReader {
  const { width, height, depth, type, interlaced, table, key, levels, raw = false, input } = options;
  const handle = new Handle(
    (exports) => exports.png_open(width, height, depth, type, interlaced ? 1 : 0, raw ? 1 : 0),
    (exports, pointer) => exports.png_close(pointer),
  );
  const address = (work: "png_table" | "png_levels" | "png_band" | "png_input") =>
    handle.call((exports, pointer) => exports[work](pointer));
  try {
    if (table) handle.bytes(address("png_table"), table.length).set(table);
    if (key) handle.call((exports, pointer) => exports.png_set_key(pointer, ...key));
    if (levels) handle.bytes(address("png_levels"), levels.length).set(levels);
  } catch (error) {
    handle.close();
    throw error;
  }
  const band = address("png_band");
  const stride = raw ? (width * depth * SAMPLES[type]) / 8 : width * 4;
  let left = height;

  /** Returns how many bytes were fed. */
  function feed(): number {
    const room = handle.call((exports, pointer) => exports.png_room(pointer));
    const to = handle.bytes(address("png_input"), room);
    let filled = 0;
    let last = false;
    while (filled < room && !last) {
      const piece = input(room - filled);
      if (piece) to.set(piece, filled);
      else last = true;
      filled += piece?.length ?? 0;
    }
    handle.call((exports, pointer) => exports.png_feed(pointer, filled, last ? 1 : 0));
    return filled;
  }

  // All passes are read before the first row of an interlaced picture: nobody else declares that meanwhile.
  const passMs = (bytes: number, kind: "coded" | "stored") =>
    interlaced ? priced(0, bytes, READ_NANOSECONDS[kind]).ms : 0;

  return {
    async read(max) {
      while (left > 0) {
        const rows = handle.call((exports, pointer) => exports.png_read(pointer, max));
        if (rows === PAUSED) {
          await breath.spend(passMs(PASS_BYTES, "stored"));
          continue;
        }
        if (rows < 0) throw new NativeError(FAILURES[rows]);
        left -= rows;
        if (rows > 0) return handle.bytes(band, rows * stride);
        await breath.spend(passMs(feed(), "coded"));
      }
      return null;
    },
    isExact: () => handle.call((exports, pointer) => exports.png_exact(pointer)) === 1,
    close: () => handle.close(),
  };
}

interface PngExtent extends Omit<PngHeader, "type"> {
  /** Bytes of the file; absent: what a photograph takes. */
  readonly codedBytes?: number | undefined;
}

/** The price of reading all rows; `depth` is in bits per pixel here. */
export function pngReaderPrice({ width, height, depth, interlaced, codedBytes }: PngExtent): Price {
  const rowBytes = Math.ceil((width * depth) / 8) + 8;
  const passes = interlaced ? rowBytes * height + 8 * height : 0;
  const bytes = passes + 14 * rowBytes + width * 4 * (WINDOW_ROWS + 1) + 300_000;
  const { coded, stored, pixel } = READ_NANOSECONDS;
  const read = codedBytes ?? (rowBytes * height) / PHOTOGRAPH_RATIO;
  return priced(bytes, 1, read * coded + height * (rowBytes * stored + width * pixel));
}

/** What a picture needs of a representation. */
export interface PngSurvey {
  /** Some pixel is not gray. */
  readonly colored: boolean;
  /** Some pixel has an alpha below 255. */
  readonly translucent: boolean;
  /** Bits that hold every gray level exactly; meaningless when `colored`. */
  readonly grayDepth: number;
  /** The distinct pixels, four bytes each, if there are at most 256 of them. */
  readonly palette: Uint8Array | null;
}

export interface PngSurveyor {
  /** Takes at most `PNG_WINDOW_ROWS` whole rows; false when nothing more can be learned. */
  add(rows: Uint8Array): boolean;
  result(): PngSurvey;
  /**
   * A color that no opaque pixel has: gray if so asked, and the color of all transparent pixels if `exact`. Null if
   * there is none, or some pixel is half transparent.
   */
  key(gray: boolean, exact: boolean): readonly [red: number, green: number, blue: number] | null;
  close(): void;
}

/**
 * Looks over a picture. `opaque`: it is known that no pixel is translucent. `keyed`: a color is wanted that can stand
 * for transparent pixels.
 */
export function openPngSurveyor(width: number, opaque: boolean, keyed: boolean): PngSurveyor {
  const handle = new Handle(
    (exports) => exports.survey_open(width, opaque ? 1 : 0, keyed ? 1 : 0),
    (exports, pointer) => exports.survey_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.survey_window(pointer));
  return {
    add(rows) {
      handle.bytes(window, rows.length).set(rows);
      const count = rows.length / (width * 4);
      return handle.call((exports, pointer) => exports.survey_commit(pointer, count)) === 1;
    },
    result: () =>
      handle.call((exports, pointer) => {
        const colors = exports.survey_colors(pointer);
        return {
          colored: exports.survey_colored(pointer) === 1,
          translucent: exports.survey_translucent(pointer) === 1,
          grayDepth: exports.survey_gray_depth(pointer),
          palette: colors > 256 ? null : handle.bytes(exports.survey_palette(pointer), colors * 4).slice(),
        };
      }),
    key(gray, exact) {
      const color = handle.call((exports, pointer) => exports.survey_key(pointer, gray ? 1 : 0, exact ? 1 : 0));
      return color < 0 ? null : [color & 255, (color >> 8) & 255, color >> 16];
    },
    close: () => handle.close(),
  };
}

/** Filters for all rows, or how to choose one for each row, in the order of png-filter.h. */
const STRATEGIES = ["none", "sub", "up", "average", "paeth", "sum", "entropy", "bigrams"] as const;
export type FilterStrategy = (typeof STRATEGIES)[number];

const INPUTS = ["rgba", "indices", "stored"] as const;
export type PngInput = (typeof INPUTS)[number];

export interface PngWriterOptions {
  readonly width: number;
  readonly depth: number;
  readonly type: ColorType;
  /** RGBA of each palette index. */
  readonly palette?: Uint8Array;
  /** The color that stands for transparent pixels in types without alpha. */
  readonly key?: readonly [red: number, green: number, blue: number];
  /** What rows hold: `rgba` (the default), palette `indices` of a byte each, or bytes as they are `stored`. */
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
  const { width, depth, type, palette, key, input = "rgba", level } = options;
  const strategy = STRATEGIES.indexOf(options.strategy);
  const handle = new Handle(
    (exports) => exports.writer_open(width, type, depth, INPUTS.indexOf(input), strategy, level),
    (exports, pointer) => exports.writer_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.writer_window(pointer));
  const stride = { rgba: width * 4, indices: width, stored: Math.ceil((width * depth * SAMPLES[type]) / 8) }[input];
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

/** Bytes of memory that a writer holds at most. */
export function pngWriterBytes(width: number, level: number): number {
  return width * 4 * (WINDOW_ROWS + 9) + (level >= 10 ? 12 : 3) * 1024 * 1024;
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

/** The price of filtering so many pixels; what deflate makes of them is apart, and so is the writer's memory. */
export function filterPrice(strategy: FilterStrategy, pixels: number): Price {
  return priced(0, pixels, FILTER_NANOSECONDS[strategy]);
}

/** The price of looking over so many pixels; the memory of a surveyor is what a writer of the same width has. */
export function surveyPrice(pixels: number): Price {
  return priced(0, pixels, SURVEY_NANOSECONDS);
}

/** Looking over a pixel of a drawing, of which everything is looked at. */
const SURVEY_NANOSECONDS = 3;
