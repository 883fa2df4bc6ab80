/** Streaming JPEG decoder: bands of rows, whole or a region, at full size or an eighth of it. */
import { parallel, held, type Estimate, estimated } from "../estimate.ts";
import type { Pieces } from "../pieces.ts";
import type { Layout } from "./blocks.ts";
import { codedEstimate, DECODER_BYTES, DecoderHandle, FACT, type Region, storeBytes, WHOLE } from "./decoder-handle.ts";

export interface DecoderOptions {
  /** Eighths of the size, 1 to 8; 8, the full size, by default. Lossless JPEG is always decoded at full size. */
  readonly eighths?: number;
  /** The whole picture by default. Its pixels are the same as those of a full decode that is cropped later. */
  readonly region?: Region;
  /**
   * `rgba` by default: straight alpha, always 255; CMYK is converted without its profile. `cmyk`: four bytes per pixel
   * as stored, which in a file with an Adobe marker is 255 - ink.
   */
  readonly output?: "rgba" | "cmyk";
  /** Scans that are damaged or cut short are decoded as far as they go, and gray from there on; by default they are refused. */
  readonly showsDamage?: boolean;
  /** Bytes that a block is coded in, by which work is declared; those of a photograph by default. */
  readonly blockBytes?: number;
}

export interface Decoder {
  readonly width: number;
  readonly height: number;
  /** The next rows, at most `max`, four bytes per pixel; a view valid until the next call; null at the end. */
  read(max: number): Uint8Array | null;
  /** Goes past the next rows, at most `count`, for less than what decoding them takes. */
  skip(count: number): void;
  /** Frees everything. May be called twice and at any time. */
  close(): void;
}

const OUTPUTS = { rgba: 0, cmyk: 1 } as const;
/** Nanoseconds of the inverse transform and of all that makes pixels of its samples, for each pixel of the result. */
const PIXEL_NANOSECONDS = 2;
/** libjpeg pads rows of samples. */
const ROW_PADDING = 128;
const BAND_BYTES = 262_144;
const BAND_ROWS_MIN = 8;

/**
 * Work of which NativeError is thrown when the bytes are damaged, cut short or not supported, here or in a later
 * `read`.
 */
export function* openDecoder(bytes: Uint8Array, options: DecoderOptions = {}): Pieces<Decoder> {
  const { eighths = 8, output = "rgba", region = WHOLE, showsDamage = false } = options;
  const handle = new DecoderHandle(bytes, (exports, pointer) => {
    if (showsDamage) exports.decoder_show_damage(pointer);
    exports.decoder_start(pointer, OUTPUTS[output], eighths, region.x, region.y, region.width, region.height);
  });
  return yield* handle.prepared(() => decoderOf(handle), options.blockBytes);
}

function decoderOf(handle: DecoderHandle): Decoder {
  const facts = handle.facts();
  const width = facts[FACT.width]!;
  const band = facts[FACT.band]!;
  const rowBytes = facts[FACT.rowBytes]!;
  return {
    width,
    height: facts[FACT.height]!,
    read(max) {
      const rows = handle.call((exports, pointer) => exports.decoder_read(pointer, max));
      return rows === 0 ? null : handle.bytes(band, rows * rowBytes);
    },
    skip: (count) => handle.call((exports, pointer) => exports.decoder_skip(pointer, count)),
    close: () => handle.close(),
  };
}

/**
 * The estimate of decoding at `eighths` of the size. Single-scan files need a few rows; files of several scans hold the
 * coefficients that the scale needs.
 */
export function decodeEstimate(header: Layout, eighths = 8): Estimate {
  const { width, height, precision, components, multipleScans } = header;
  const sampleBytes = precision > 8 ? 2 : 1;
  const maxV = Math.max(...components.map(({ v }) => v));
  const maxH = Math.max(...components.map(({ h }) => h));
  const outputWidth = Math.ceil((width * eighths) / 8);
  const row = (Math.ceil(width / (8 * maxH)) * maxH * eighths + ROW_PADDING) * sampleBytes;
  // Rows in a row of MCUs, and those above and below; then upsampled rows, and the rows that are handed out.
  const planes = components.length * row * (maxV * eighths + 2 * maxV + maxV);
  const bandRows = Math.max(BAND_BYTES, BAND_ROWS_MIN * outputWidth * 4);
  const scratch = outputWidth * 4 * sampleBytes;
  const sizes = components.map(({ h, v }) => scaledSize(eighths, maxH / h, maxV / v));
  const stored = multipleScans ? storeBytes({ width, height, components }, sizes, eighths) : 0;
  const pixels = outputWidth * Math.ceil((height * eighths) / 8);
  return parallel(
    held(DECODER_BYTES + planes + bandRows + scratch + stored),
    codedEstimate(header),
    estimated(0, pixels * (components.length / 3), PIXEL_NANOSECONDS),
  );
}

/** libjpeg's inverse transform of a subsampled component makes up for subsampling while it can (jdmaster.c). */
function scaledSize(eighths: number, ratioH: number, ratioV: number): number {
  let size = eighths;
  while (size < 8 && (ratioH * eighths) % (size * 2) === 0 && (ratioV * eighths) % (size * 2) === 0) size *= 2;
  return Math.min(8, size);
}
