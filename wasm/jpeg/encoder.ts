/** Streaming JPEG encoder: jpegli's quantization, optimal Huffman codes; rows or planes in, a whole file out. */
import type { Pieces } from "../pieces.ts";
import { beside, type Price, priced } from "../price.ts";
import { closeSink, jpegModule, openSink, type JpegInstance } from "./instance.ts";
import { WRITTEN_BLOCKS, WRITTEN_MS, writingPrice } from "./writing.ts";

/** Chroma resolution: full, half the columns, or half the columns and rows. */
export type Subsampling = "4:4:4" | "4:2:2" | "4:2:0";

export interface EncoderOptions {
  /** Pixels, at most 65535. */
  readonly width: number;
  readonly height: number;
  /** 1 to 100 on jpegli's scale, fractions allowed. */
  readonly quality: number;
  /** 4:2:0 by default. */
  readonly subsampling?: Subsampling;
  /** Several scans, coarse to fine: smaller files that take longer to decode. */
  readonly progressive?: boolean;
  /**
   * Values are rounded to the nearest, which takes less time, in place of weighing their bits against their errors,
   * which gives files 3 % smaller that look the same.
   */
  readonly fast?: boolean;
  /** One component; of RGBA rows the luma. */
  readonly gray?: boolean;
  /** ICC profile to embed; none by default, which means sRGB. No other metadata is written. */
  readonly profile?: Uint8Array;
}

interface Finish {
  /** Milliseconds that taking a row of pixels takes. */
  readonly rowMs: number;
  /** The file. All rows must have been written. Closes the encoder. */
  finish(): Pieces<Uint8Array>;
  /** Frees everything. May be called twice and at any time. */
  close(): void;
}

export interface Encoder extends Finish {
  /** The next `count` rows, RGBA, tightly packed; alpha is ignored. */
  write(rows: Uint8Array, count: number): void;
  /**
   * The mean square of what a sample of the pixels written so far loses of its color, R - G and B - G, when chroma is
   * halved both ways. Photographs have up to 50, fine patterns of pure colors many thousands.
   */
  colorLoss(): number;
}

export interface PlaneEncoder extends Finish {
  /**
   * Layout of each plane, Y, Cb, Cr or Y alone, in a row of MCUs: whole blocks, so edges must be continued up to that.
   */
  readonly planes: readonly { readonly stride: number; readonly rows: number }[];
  /**
   * Puts whole rows of a plane into the next row of MCUs, from row `at` of it on; they stay until others take their
   * place.
   */
  put(plane: number, at: number, rows: Uint8Array): void;
  /** Takes the row of MCUs that was put together. */
  write(): void;
}

/** Sampling factors of luma against chroma. */
export const FACTORS = { "4:4:4": [1, 1], "4:2:2": [2, 1], "4:2:0": [2, 2] } as const;
const INPUTS = { rgba: 0, planes: 1 } as const;
/** Rows that are taken at a time; half as many of a picture so wide that these would take long. */
const ROWS = 32;
const WIDE_ROWS = 16;
const WIDE = 16_384;

/** Structures, and what a row of MCUs takes beside its rows. */
const ENCODER_BYTES = 330_000;
/** Nanoseconds that a block takes up to its coefficients. */
const BLOCK_NANOSECONDS = { weighed: 500, fast: 260 };

/**
 * How much coarser than jpegli divides for the same quality. It adapts to each block by dropping small coefficients; we
 * do without (`encode.c`), and reach the same score of SSIMULACRA 2 with larger divisors: with a little less of that
 * where we drop coefficients for their bits.
 */
const COARSER = { weighed: 1.23, fast: 1.35 };

/**
 * The butteraugli distance for which jpegli makes its tables, by quality (`jpegli_quality_to_distance`, for fractions
 * too).
 */
export function qualityToDistance(quality: number, mode: keyof typeof COARSER = "weighed"): number {
  if (quality >= 100) return 0.01;
  if (quality >= 30) return COARSER[mode] * (0.1 + (100 - quality) * 0.09);
  return COARSER[mode] * ((53 / 3000) * quality * quality - (23 / 20) * quality + 25);
}

type Density = readonly (readonly [quality: number, bytes: number])[];

/**
 * Bytes of packed coefficients per sample, up to a quality, that pictures of more than so many pixels may take. For
 * small ones what noise takes, and half as much again. Of large ones photographs are expected: the sharpest corner of
 * one takes
 * 0.25 at quality 80, 0.32 at 90, 0.42 at 95, 0.84 at 100; whole pictures of 100 megapixels are softer than that.
 */
const DENSITIES: readonly { readonly above: number; readonly bytes: Density }[] = [
  {
    above: 40_000_000,
    bytes: [
      [80, 0.27],
      [90, 0.34],
      [95, 0.45],
      [98, 0.65],
      [100, 0.9],
    ],
  },
  {
    above: 8_000_000,
    bytes: [
      [80, 0.36],
      [90, 0.45],
      [95, 0.6],
      [98, 0.8],
      [100, 1.05],
    ],
  },
  {
    above: 0,
    bytes: [
      [80, 1.0],
      [90, 1.2],
      [95, 1.4],
      [100, 2.1],
    ],
  },
];
/** With full chroma there are more samples of less: 0.25 in place of 0.32. */
const FULL_CHROMA = 0.85;

/**
 * Bytes of coefficients that the encoder may hold. A picture that needs more is refused while it is written: a large
 * one has to be noise for that.
 */
export function packedLimit({ width, height, quality, subsampling = "4:2:0", gray = false }: EncoderOptions): number {
  const [h, v] = gray ? [1, 1] : FACTORS[subsampling];
  const columns = Math.ceil(width / (8 * h)) * 8 * h;
  const lines = Math.ceil(height / (8 * v)) * 8 * v;
  const samples = columns * lines * (gray ? 1 : 1 + 2 / (h * v));
  const found = DENSITIES.find(({ above }) => width * height > above);
  const bytes = found?.bytes.find(([limit]) => quality <= limit)?.[1] ?? 2.1;
  return Math.ceil(samples * bytes * (h * v === 1 && !gray ? FULL_CHROMA : 1));
}

class EncoderHandle {
  readonly input: number;
  private readonly instance: JpegInstance = jpegModule.acquire();
  private readonly sink = openSink(this.instance);
  private pointer = 0;
  private closed = false;

  constructor(options: EncoderOptions, input: keyof typeof INPUTS) {
    const { width, height, quality, subsampling = "4:2:0", progressive = false, gray = false, profile } = options;
    const { fast = false } = options;
    const [h, v] = FACTORS[subsampling];
    this.input = this.call((exports) => {
      this.pointer = exports.encoder_new(this.sink);
      if (profile)
        this.instance.bytes(exports.encoder_profile(this.pointer, profile.length), profile.length).set(profile);
      const distance = qualityToDistance(quality, fast ? "fast" : "weighed");
      const flags = [progressive ? 1 : 0, gray ? 1 : 0, fast ? 0 : 1] as const;
      const rest = [INPUTS[input], ROWS, packedLimit(options)] as const;
      return exports.encoder_start(this.pointer, width, height, distance, h, v, ...flags, ...rest);
    });
  }

  call<T>(work: (exports: JpegInstance["exports"], pointer: number) => T): T {
    if (this.closed) throw new Error("the encoder is closed");
    try {
      return this.instance.run((exports) => work(exports, this.pointer));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  put(bytes: Uint8Array, at = 0): void {
    this.instance.bytes(this.input + at, bytes.length).set(bytes);
  }

  *finish(): Pieces<Uint8Array> {
    while (this.call((exports, pointer) => exports.encoder_finish(pointer, WRITTEN_BLOCKS)) !== 0) yield WRITTEN_MS;
    const file = closeSink(this.instance, this.sink);
    this.close();
    return file;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSink(this.instance, this.sink);
    try {
      if (this.pointer && !this.instance.broken) this.instance.run((exports) => exports.encoder_close(this.pointer));
    } finally {
      jpegModule.release(this.instance);
    }
  }
}

/** Throws NativeError when memory runs out, here or later. */
export function openEncoder(options: EncoderOptions): Encoder {
  const handle = new EncoderHandle(options, "rgba");
  const rowBytes = options.width * 4;
  return {
    rowMs: takingPrice(options).ms / options.height,
    write(rows, count) {
      const most = options.width > WIDE ? WIDE_ROWS : ROWS;
      for (let row = 0; row < count; row += most) {
        const piece = Math.min(most, count - row);
        handle.put(rows.subarray(row * rowBytes, (row + piece) * rowBytes));
        handle.call((exports, pointer) => exports.encoder_write(pointer, piece));
      }
    },
    colorLoss: () => handle.call((exports, pointer) => exports.encoder_color_loss(pointer)),
    finish: () => handle.finish(),
    close: () => handle.close(),
  };
}

/** Opens an encoder of YCbCr planes (JFIF's full range) at the resolution in which they are stored. */
export function openPlaneEncoder(options: EncoderOptions): PlaneEncoder {
  const handle = new EncoderHandle(options, "planes");
  const [h, v] = options.gray ? [1, 1] : FACTORS[options.subsampling ?? "4:2:0"];
  const blocks = (samples: number) => Math.ceil(samples / 8) * 8;
  const luma = { stride: blocks(options.width), rows: v * 8 };
  const chroma = { stride: blocks(Math.ceil(options.width / h)), rows: 8 };
  const planes = options.gray ? [luma] : [luma, chroma, chroma];
  const starts = planes.map((_, index) =>
    planes.slice(0, index).reduce((sum, { stride, rows }) => sum + stride * rows, 0),
  );
  return {
    rowMs: takingPrice(options).ms / options.height,
    planes,
    put: (plane, at, rows) => handle.put(rows, starts[plane]! + at * planes[plane]!.stride),
    write: () => handle.call((exports, pointer) => exports.encoder_write_planes(pointer)),
    finish: () => handle.finish(),
    close: () => handle.close(),
  };
}

/** The price of all that is done before the file is written: transforms, and weighing of coefficients. */
function takingPrice(options: EncoderOptions): Price {
  const { width, profile, fast = false } = options;
  const [h, v] = factorsOf(options);
  const columns = Math.ceil(width / (8 * h)) * 8 * h;
  const fixed = ENCODER_BYTES + columns * (480 + 620 * v) + (profile?.length ?? 0);
  const nanoseconds = BLOCK_NANOSECONDS[fast ? "fast" : "weighed"];
  return priced(fixed + packedLimit(options), blocksOf(options), nanoseconds);
}

/** The price of encoding: rows as 32-bit numbers, packed coefficients. The file itself comes to the caller. */
export function encodePrice(options: EncoderOptions): Price {
  const { gray = false, progressive = false } = options;
  return beside(takingPrice(options), writingPrice(blocksOf(options), gray ? 1 : 3, progressive));
}

function factorsOf({ subsampling = "4:2:0", gray = false }: EncoderOptions): readonly [h: number, v: number] {
  return gray ? [1, 1] : FACTORS[subsampling];
}

function blocksOf(options: EncoderOptions): number {
  const [h, v] = factorsOf(options);
  const chroma = options.gray ? 0 : 2 / (h * v);
  return Math.ceil(options.width / (8 * h)) * h * Math.ceil(options.height / (8 * v)) * v * (1 + chroma);
}
