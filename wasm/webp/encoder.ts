/** Encodes a WebP picture that arrives in bands of rows. */
import { type Estimate, estimated } from "../estimate.ts";
import { NativeError } from "../load.ts";
import type { Turns } from "../pausing.ts";
import { acquireAlone, closeSink, fileOf, Job, openSink, release, type WebpInstance } from "./instance.ts";

/** Pixels of one side that a WebP bitstream can hold: 14 bits, 0 not used (RFC 9649, section 2.5). */
const MAX_SIDE = 16_383;

export interface EncoderSettings {
  readonly width: number;
  readonly height: number;
  /** No pixel has an alpha below 255. */
  readonly opaque: boolean;
  readonly lossless: boolean;
  /** Lossy: 1 to 100, how good. Lossless: 0 to 100, how much work beyond that of the method. */
  readonly quality: number;
  /** 0 (fast) to 6 (small) if lossy; at most 2 if lossless: more wins 2 percent and takes up to 50 MB besides. */
  readonly method: number;
  /** 0 to 100, for the alpha channel of a lossy picture; 100, lossless, by default. */
  readonly alphaQuality?: number;
  /** 0 (strongest) to 100 (off, the default): how much a lossless coder may touch pixels to make them compress. */
  readonly nearLossless?: number;
  /** In a lossless picture: a coder that needs little memory beside the pixels; `quality` and `method` mean nothing. */
  readonly lean?: boolean;
  /** In a lossless picture: what its work takes, as a part of what it takes of photographs; all of it by default. */
  readonly share?: number;
  /** Keep the color under full transparency, in a lossless picture. */
  readonly exact?: boolean;
}

export interface WebpEncoder {
  /** Where the next rows go: RGBA, straight alpha, room for `BAND_ROWS` of them. A view valid until the next call. */
  band(): Uint8Array;
  /** The address of the band in linear memory. */
  readonly bandAddress: number;
  /** Takes rows from the band: `BAND_ROWS` of them, fewer only at the bottom of the picture. */
  push(rows: number): void;
  /** Milliseconds that a row takes to be taken. */
  readonly rowMs: number;
  /**
   * The file: RIFF header, and a VP8X header when a lossy picture has alpha.
   * @throws NativeError when memory does not suffice
   */
  finish(timeSlice: Turns): Promise<Uint8Array>;
  /** Frees everything. May be called twice and at any time. */
  close(): void;
}

export const BAND_ROWS = 32;

/** A lossy encoder is always given this much, so that it can keep its symbols, which halves its time. */
const SYMBOLS_BYTES = 48 << 20;
/** Above this many pixels alpha is coded by the lean coder. */
const LEAN_ALPHA_PIXELS = 2 << 20;
/** What the lean coder holds besides samples: tables, the end of the file. */
const LEAN_BYTES = 1 << 20;

const MAX_LOSSLESS_METHOD = 2;

/**
 * Bytes per pixel and bytes besides, of a lossless encoder by method: measured on photographs, noise and drawings.
 * `usual` is what a pixel of photographs and pages takes, with all that is taken besides.
 */
const LOSSLESS_BYTES = [
  { perPixel: 29, fixed: 4 << 20, usual: 29 },
  { perPixel: 42, fixed: 6 << 20, usual: 39 },
  { perPixel: 49, fixed: 9 << 20, usual: 44 },
] as const;

/**
 * Nanoseconds that a pixel takes to be converted and put into the planes of the picture: of photographs. Of pages of saturated
 * letters (`saturated.c`) it takes up to 50.
 */
const IMPORT_NANOSECONDS = 5;
/**
 * Nanoseconds of a unit of work that the coder declares (`pauses.c`), by its method, of photographs at quality 80: a
 * pixel in one pass of the lossy coder, in one of the passes of the lean one, in what the lossless one calls its
 * progress.
 */
const LOSSY_NANOSECONDS = [8, 10, 12, 20, 26, 34, 60] as const;
const LOSSLESS_NANOSECONDS = [250, 250, 190] as const;
const LEAN_NANOSECONDS = 16;
/** Units for each pixel: the lossy coder with room for symbols, without, and with an alpha channel besides. */
const LOSSY_UNITS = { symbols: 3, lean: 4, alpha: 4 };
const LOSSLESS_UNITS = [2.3, 2.3, 3.6] as const;
const LEAN_UNITS = 5;

/** Milliseconds that a file takes however small its picture is: tables are made anew for each. */
export const START_MS = { lossless: 0.55, lossy: 0.25 } as const;

/**
 * The estimate of encoding, in linear memory: what photographs and pages take. What takes more, up to `peakBytes`, is
 * charged as it grows. The result, which is copied out, comes on top.
 */
export function encodeEstimate(settings: EncoderSettings): Estimate {
  const { width, height } = settings;
  const pixels = width * height;
  return estimated(
    settings.lossless ? usualExactBytes(settings) : lossyPeak(settings).usual,
    pixels,
    IMPORT_NANOSECONDS + unitsPerPixel(settings) * unitNanoseconds(settings),
  );
}

function unitNanoseconds({ lossless, lean = false, method, share = 1 }: EncoderSettings): number {
  if (!lossless) return LOSSY_NANOSECONDS[method] ?? 0;
  const photograph = lean ? LEAN_NANOSECONDS : (LOSSLESS_NANOSECONDS[Math.min(method, MAX_LOSSLESS_METHOD)] ?? 0);
  return photograph * share;
}

function unitsPerPixel(settings: EncoderSettings): number {
  const { lossless, lean = false, method, opaque } = settings;
  if (lossless) return lean ? LEAN_UNITS : (LOSSLESS_UNITS[Math.min(method, MAX_LOSSLESS_METHOD)] ?? 0);
  const colors = lossyPeak(settings).keepSymbols ? LOSSY_UNITS.symbols : LOSSY_UNITS.lean;
  return colors + (opaque ? 0 : LOSSY_UNITS.alpha);
}

/** Bytes that an encoder is given, whatever the picture is: what it needs beyond them it does without, or it fails. */
export function peakBytes(settings: EncoderSettings): number {
  const { width, height, lossless, method, lean = false } = settings;
  const pixels = width * height;
  if (!lossless) return lossyPeak(settings).bytes;
  if (lean) return 4.1 * pixels + rowsBytes(width) + LEAN_BYTES;
  const { perPixel, fixed } = LOSSLESS_BYTES[Math.min(method, MAX_LOSSLESS_METHOD)]!;
  return perPixel * pixels + rowsBytes(width) + fixed;
}

/** What a lossless encoder begins with, however small the picture is. */
const EXACT_START_BYTES = 784 << 10;

function usualExactBytes(settings: EncoderSettings): number {
  const { width, height, method, lean = false } = settings;
  if (lean) return peakBytes(settings);
  const { usual } = LOSSLESS_BYTES[Math.min(method, MAX_LOSSLESS_METHOD)]!;
  return usual * width * height + rowsBytes(width) + EXACT_START_BYTES;
}

function rowsBytes(width: number): number {
  return 160 * width + (256 << 10);
}

/**
 * What a lossy encoder is given, and whether it should keep its symbols. What they take is known only afterward, 2 to
 * 3 bytes per pixel in photographs at quality 80, 15 in noise: when they do not fit, the encoder starts over without.
 * Without symbols, what remains is the compressed file itself, in memory that doubles: 0.6 bytes per pixel are enough
 * for a file of 0.37. Photographs take up to 0.13 at quality 80 and 0.21 at 90; noise takes 0.7 and 0.84, for which
 * there is no memory in pictures of more than 17 megapixels.
 */
function lossyPeak({ width, height, opaque, quality, alphaQuality = 100 }: EncoderSettings) {
  const pixels = width * height;
  const planes = (opaque ? 1.7 : 2.7) * pixels + 160 * width + (256 << 10);
  // While rows come, before anything is coded.
  const taking = (opaque ? 1.5 : 2.5) * pixels + 400 * width + (256 << 10);
  const symbols = planes + (quality > 90 ? 10 : 6) * pixels;
  const file = planes + (quality > 90 ? 2.6 : quality > 80 ? 1.2 : 0.6) * pixels;
  const bytes = Math.max(taking, file, Math.min(symbols, SYMBOLS_BYTES));
  const keepSymbols = planes + (quality > 90 ? 8 : 2.5) * pixels <= bytes;
  const usual = keepSymbols ? Math.min(bytes, planes + usualSymbolBytes(pixels, quality)) : file;
  if (opaque) return { bytes, usual, keepSymbols };
  // The alpha channel is coded before the rest, its result held.
  const leanAlpha = pixels > LEAN_ALPHA_PIXELS && alphaQuality === 100;
  const alpha = leanAlpha ? 2.6 * pixels + LEAN_BYTES : 33.5 * pixels + (4 << 20);
  return {
    bytes: Math.max(bytes + pixels, planes + alpha),
    usual: Math.max(usual + pixels, planes + alpha),
    keepSymbols,
  };
}

/** Bytes of symbols of a pixel, as photographs and pages have them: of the first megapixel, and of larger pictures. */
const USUAL_SYMBOLS = { fine: 8, usual: { first: 2.8, others: 2.1 } };

function usualSymbolBytes(pixels: number, quality: number): number {
  if (quality > 90) return USUAL_SYMBOLS.fine * pixels;
  const { first, others } = USUAL_SYMBOLS.usual;
  const small = Math.min(pixels, 1e6);
  return first * small + others * (pixels - small);
}

/**
 * Starts encoding.
 * @param belonging an instance that the caller has alone; one of its own by default
 * @throws NativeError when the size is beyond the format, a setting out of range, or memory does not suffice
 */
export function openEncoder(settings: EncoderSettings, belonging?: WebpInstance): WebpEncoder {
  const { width, height } = settings;
  if (!(width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE)) {
    throw new NativeError("a WebP picture has at most 16383 pixels a side");
  }
  const instance = belonging ?? acquireAlone();
  const job = new Job(peakBytes(settings), instance);
  // The job holds it from here on.
  if (!belonging) release(instance);
  const sink = openSink(instance);
  try {
    const encoder = job.call((exports) => open(exports, settings, sink));
    job.own(encoder, (exports, pointer) => exports.encoder_close(pointer));
    return handle(job, encoder, settings, sink);
  } catch (error) {
    closeSink(instance, sink);
    job.close();
    throw error;
  }
}

function open(exports: WebpInstance["exports"], settings: EncoderSettings, sink: number): number {
  const { width, height, opaque, lossless, quality, method } = settings;
  const { alphaQuality = 100, nearLossless = 100, exact = false } = settings;
  return exports.encoder_open(
    width,
    height,
    opaque ? 1 : 0,
    lossless ? 1 : 0,
    quality,
    lossless ? Math.min(method, MAX_LOSSLESS_METHOD) : method,
    alphaQuality,
    nearLossless,
    exact ? 1 : 0,
    sink,
  );
}

function handle(job: Job, encoder: number, settings: EncoderSettings, sink: number): WebpEncoder {
  const stride = settings.width * 4;
  const lean = settings.lossless ? (settings.lean ?? false) : !lossyPeak(settings).keepSymbols;
  const bandAddress = job.call((exports) => exports.encoder_band(encoder));
  return {
    bandAddress,
    band: () => job.instance.bytes(bandAddress, BAND_ROWS * stride),
    push: (rows) => job.call((exports) => exports.encoder_rows(encoder, rows)),
    rowMs: (settings.width * IMPORT_NANOSECONDS) / 1e6,
    async finish(timeSlice) {
      const error = await job.finish({ timeSlice, nanoseconds: unitNanoseconds(settings) }, encoder, lean);
      if (error !== 0) throw new NativeError(ERRORS[error] ?? "the encoder failed");
      return fileOf(job.instance, sink);
    },
    close() {
      closeSink(job.instance, sink);
      job.close();
    },
  };
}

/** By WebPEncodingError. */
const ERRORS: Readonly<Record<number, string>> = {
  1: "out of memory",
  2: "out of memory",
  5: "the picture is not complete",
  6: "the picture is too complex for a WebP bitstream",
  7: "the picture is too complex for a WebP bitstream",
};
