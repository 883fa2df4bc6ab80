/** Streaming JPEG encoder: jpegli's quantization, optimal Huffman codes; rows or planes in, a whole file out. */
import type { Pieces } from "../pieces.ts";
import { packedLimit, takingEstimate } from "./encoder-estimate.ts";
import { type EncoderOptions, FACTORS } from "./encoder-options.ts";
import { closeSink, jpegModule, openSink, type JpegInstance } from "./instance.ts";
import { WRITTEN_BLOCKS, writtenMs } from "./writing.ts";

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

const INPUTS = { rgba: 0, planes: 1 } as const;
/** Rows that are taken at a time; half as many of a picture so wide that these would take long. */
const ROWS = 32;
const WIDE_ROWS = 16;
const WIDE = 16_384;

/**
 * How much coarser than jpegli divides for the same quality. It adapts to each block by dropping small coefficients; we
 * do without (`encode.c`), and reach the same score of SSIMULACRA 2 with larger divisors: with a little less of that
 * where we drop coefficients for their bits.
 */
const COARSER = { weighed: 1.33, fast: 1.465 };

/**
 * The butteraugli distance for which jpegli makes its tables, by quality (`jpegli_quality_to_distance`, for fractions
 * too).
 */
export function qualityToDistance(quality: number, mode: keyof typeof COARSER = "weighed"): number {
  if (quality >= 100) return 0.01;
  if (quality >= 30) return COARSER[mode] * (0.1 + (100 - quality) * 0.09);
  return COARSER[mode] * ((53 / 3000) * quality * quality - (23 / 20) * quality + 25);
}

class EncoderHandle {
  readonly input: number;
  private readonly instance: JpegInstance = jpegModule.acquire();
  private readonly sink = openSink(this.instance);
  private readonly writtenMs: number;
  private pointer = 0;
  private closed = false;

  constructor(options: EncoderOptions, input: keyof typeof INPUTS) {
    const { width, height, quality, subsampling = "4:2:0", progressive = false, gray = false, profile } = options;
    const { fast = false } = options;
    this.writtenMs = writtenMs(options.blockBytes);
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
    while (this.call((exports, pointer) => exports.encoder_finish(pointer, WRITTEN_BLOCKS)) !== 0) yield this.writtenMs;
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
    rowMs: takingEstimate(options).ms / options.height,
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
    rowMs: takingEstimate(options).ms / options.height,
    planes,
    put: (plane, at, rows) => handle.put(rows, starts[plane]! + at * planes[plane]!.stride),
    write: () => handle.call((exports, pointer) => exports.encoder_write_planes(pointer)),
    finish: () => handle.finish(),
    close: () => handle.close(),
  };
}
