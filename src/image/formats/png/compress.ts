/** From rows to what IDAT and fdAT hold. */
import { type Estimate, serial } from "../../../../wasm/estimate.ts";
import {
  filterEstimate,
  type FilterStrategy,
  openPngWriter,
  PNG_WINDOW_ROWS,
  type PngInput,
} from "../../../../wasm/pixels/png-writer.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { bandsOf } from "../../pixels/bands.ts";
import type { Size } from "../../pixels/geometry.ts";
import { bytesPerPixel, type Rows } from "../../pixels/rows.ts";
import { type Compression, deflateEstimate } from "./levels.ts";
import type { Representation } from "./representation.ts";

/** How the pixels of a picture become bytes. */
export interface Choice extends Compression {
  readonly representation: Representation;
  /** How a filter is chosen for each row. */
  readonly strategy: FilterStrategy;
}

/**
 * Bytes of pixels that are handed over in one call, but for the widest rows. Deflate gathers about as many before it
 * compresses them together: a call with more would compress twice.
 */
const CALL_BYTES = 1 << 18;

/** Rows that are handed over at a time. */
function rowsPerCall({ width, sixteenBit }: Pick<Rows, "width" | "sixteenBit">): number {
  return Math.max(1, Math.min(PNG_WINDOW_ROWS, Math.floor(CALL_BYTES / (width * bytesPerPixel({ sixteenBit })))));
}

/** All rows, as many at a time as are compressed in one call; closes them at the end. */
export function pngBands(rows: Rows, timeSlice: TimeSlice): AsyncGenerator<Uint8Array, void> {
  return bandsOf(rows, { rows: rowsPerCall(rows), timeSlice });
}

/** All rows of pixels in memory, as many at a time as are compressed in one call. */
export function* pngBandsOfPixels(pixels: Uint8Array, width: number): Generator<Uint8Array, void> {
  const step = width * 4 * rowsPerCall({ width });
  for (let from = 0; from < pixels.length; from += step) yield pixels.subarray(from, from + step);
}

export interface Source extends Size {
  /** Whole rows, as many at a time as one call takes; each band is used before the next is asked for. */
  readonly bands: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** What they hold; RGBA by default. */
  readonly input?: PngInput;
}

/** Of a pixel, as estimates have it. */
const RAW_BYTES = 3;

/** A piece of what pixels are compressed to. */
interface Piece {
  readonly piece: Uint8Array;
  /** The part of the rows that is compressed with it, above 0 and at most 1. */
  readonly part: number;
}

/** The compressed pixels, in pieces as they come. */
export async function* compressed(
  choice: Choice,
  { width, height, bands, input = "rgba" }: Source,
  timeSlice: TimeSlice,
): AsyncGenerator<Piece, void> {
  const { representation, strategy, level } = choice;
  const writer = openPngWriter({ ...representation, width, height, strategy, level, input });
  let rows = 0;
  let bytes = 0;
  try {
    for await (const band of bands) {
      const count = band.length / writer.rowBytes;
      rows += count;
      const piece = writer.write(band, rows === height);
      if (piece.length > 0) yield { piece, part: rows / height };
      bytes += piece.length;
      await timeSlice.spend(compressEstimate(choice, width * count, bytes / (width * rows * RAW_BYTES)).ms);
    }
  } finally {
    writer.close();
  }
}

/** The compressed pixels, in pieces. */
export async function compress(choice: Choice, source: Source, timeSlice: TimeSlice): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const { piece } of compressed(choice, source, timeSlice)) pieces.push(piece);
  return pieces;
}

/**
 * The estimate of compressing so many pixels; the memory of the writer is left out.
 * @param ratio how small they become, of their raw size, where that is known
 */
export function compressEstimate(
  { strategy, ...compression }: Compression & Pick<Choice, "strategy">,
  pixels: number,
  ratio?: number,
): Estimate {
  return serial(filterEstimate(strategy, pixels), deflateEstimate(compression, pixels, ratio));
}

/** Bytes that the pieces have together. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
