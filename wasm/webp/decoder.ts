/** Decodes one WebP bitstream in bands of rows: whole or a region, at its size or smaller. */
import { parallel, held, type Estimate, estimated } from "../estimate.ts";
import { fuelFor } from "../fuel/fuel.ts";
import { allocated, NativeError } from "../load.ts";
import { Job, type WebpInstance } from "./instance.ts";

/** The payloads of the chunks that hold one picture. */
export interface Bitstream {
  /** The payload of the `VP8 ` or `VP8L` chunk. */
  readonly data: Uint8Array;
  readonly lossless: boolean;
  /** Its alpha counts, if it is coded without loss. */
  readonly translucent: boolean;
  /** The payload of the `ALPH` chunk, which only a lossy picture can have. */
  readonly alpha?: Uint8Array | undefined;
  /** Pixels, as the container says; the bitstream must agree. */
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels of the picture and the size it is decoded to. */
export interface Region {
  /** Even in a lossy picture. */
  readonly x: number;
  /** Even in a lossy picture. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** At most `width`; averages areas. */
  readonly scaledWidth: number;
  /** At most `height`. */
  readonly scaledHeight: number;
}

export interface WebpDecoder {
  /**
   * Decodes a step further, unless there are rows already. Returns the milliseconds that it took; 0 once there are
   * rows, or when all were read.
   */
  advance(): number;
  /**
   * The next rows, at most `max` and at most 32, straight RGBA; a view valid until the next call; null when there are
   * none.
   */
  read(max: number): Uint8Array | null;
  /** The next rows as a place in linear memory, for `Canvas.draw`. */
  readBand(): { readonly address: number; readonly rows: number } | null;
  /** Frees everything. May be called twice and at any time. */
  close(): void;
}

const STATUS_OUT_OF_MEMORY = 1;

/** Nanoseconds that a pixel takes, and a byte that pixels are coded in, lossy and lossless; and a pixel of alpha. */
const NANOSECONDS = { lossy: { pixel: 4, byte: 60 }, lossless: { pixel: 3, byte: 17 }, alpha: 10 } as const;
/** Bytes for a pixel of photographs at quality 80 and without loss, where a file is not known. */
const USUAL_BYTES = { lossy: 0.1, lossless: 1 } as const;
/** Rows of the picture that are decoded in a step. */
const STEP_ROWS = 16;

/** Pixels that are held of a lossless picture, and of an alpha channel: as far back as these can refer, and half as many beyond. */
const WINDOW_PIXELS = (1 << 20) + (1 << 19);
/** Rows beside them; of alpha, rows as they are shown as well, those before them that an eighth of the size needs included. */
const WINDOW_ROWS = 16;
const ALPHA_ROWS = 80;

/** Bytes that are held of a picture of 32 bits a pixel for its later pixels to refer to. */
function windowBytes({ width, height }: { readonly width: number; readonly height: number }): number {
  return 4 * Math.min(width * height, WINDOW_PIXELS + width * WINDOW_ROWS);
}

/**
 * The estimate of decoding, the compressed bytes included. A lossy picture needs a few rows; its alpha channel and a
 * lossless picture can refer back to any of a million pixels.
 * @param codedBytes of the file that pixels are coded in, where it is known
 */
export function decodeEstimate(
  picture: {
    readonly width: number;
    readonly height: number;
    readonly lossless: boolean;
    readonly alpha: boolean;
    readonly bytes: number;
  },
  codedBytes?: number,
): Estimate {
  const pixels = picture.width * picture.height;
  const kind = picture.lossless ? "lossless" : "lossy";
  const { pixel, byte } = NANOSECONDS[kind];
  const nanoseconds = pixels * pixel + (codedBytes ?? pixels * USUAL_BYTES[kind]) * byte;
  const rows = estimated(320 * picture.width + (64 << 10) + picture.bytes, nanoseconds, 1);
  const tables = USUAL_TABLES_BYTES + pixels / 2;
  const window = windowBytes(picture) + tables;
  if (picture.lossless) return parallel(rows, held(window));
  if (!picture.alpha) return rows;
  return parallel(rows, estimated(window + ALPHA_ROWS * picture.width, pixels, NANOSECONDS.alpha));
}

/**
 * Bytes of Huffman tables, beside half a byte for each pixel: encoders make a few dozen groups of about 12 KB, more of
 * them in larger pictures. A file may have more of them than is usual; what they take is charged as they are read.
 */
const USUAL_TABLES_BYTES = 512 << 10;
const MOST_TABLES_BYTES = 2 << 20;

/**
 * Starts decoding.
 * @throws NativeError when the stream is damaged or not of the declared size, or memory does not suffice
 */
export function openDecoder(bitstream: Bitstream, region: Region, instance?: WebpInstance): WebpDecoder {
  const { data, alpha, lossless, translucent, width, height } = bitstream;
  const bytes = data.length + (alpha?.length ?? 0);
  const estimate = decodeEstimate({ width, height, lossless, alpha: alpha !== undefined, bytes }, bytes);
  const mostBytes = estimate.bytes + MOST_TABLES_BYTES - USUAL_TABLES_BYTES;
  const job = new Job(mostBytes, instance, fuelFor(estimate));
  try {
    const decoder = job.call((exports) => {
      const input = allocated(exports.malloc(bytes));
      if (alpha) job.instance.bytes(input, alpha.length).set(alpha);
      job.instance.bytes(input + bytes - data.length, data.length).set(data);
      return exports.decoder_open(input, bytes - data.length, data.length, lossless ? 1 : 0, translucent ? 0 : 1);
    });
    job.own(decoder, (exports, pointer) => exports.decoder_close(pointer));
    const { x, y, scaledWidth, scaledHeight } = region;
    job.call((exports) => {
      check(exports.decoder_headers(decoder));
      if (exports.decoder_width(decoder) !== width || exports.decoder_height(decoder) !== height) {
        throw new NativeError("the bitstream has another size than its container");
      }
      check(exports.decoder_start(decoder, x, y, region.width, region.height, scaledWidth, scaledHeight));
    });
    return handle(job, decoder, scaledWidth, region.scaledHeight, (estimate.ms / height) * STEP_ROWS);
  } catch (error) {
    job.close();
    throw error;
  }
}

function handle(job: Job, decoder: number, width: number, height: number, stepMs: number): WebpDecoder {
  const stride = width * 4;
  const band = job.call((exports) => exports.decoder_band(decoder));
  /** Rows in the band, the first that was not read, and rows that came before them. */
  let rows = 0;
  let first = 0;
  let before = 0;
  const readBand = () => {
    if (first === rows) return null;
    const found = { address: band + first * stride, rows: rows - first };
    first = rows;
    return found;
  };
  return {
    advance() {
      if (first < rows || before + rows === height) return 0;
      before += rows;
      first = 0;
      rows = 0;
      const found = job.call((exports) => exports.decoder_step(decoder));
      if (found < 0) throw new NativeError(found === -2 ? "out of memory" : "the bitstream is damaged or cut short");
      rows = found;
      return stepMs;
    },
    readBand,
    read(max) {
      if (first === rows) return null;
      const count = Math.min(max, rows - first);
      const view = job.instance.bytes(band + first * stride, count * stride);
      first += count;
      return view;
    },
    close: () => job.close(),
  };
}

/** @param status a VP8StatusCode */
function check(status: number): void {
  if (status === 0) return;
  throw new NativeError(status === STATUS_OUT_OF_MEMORY ? "out of memory" : "the bitstream is damaged or cut short");
}
