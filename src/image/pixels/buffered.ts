/** Pixels that are needed several times, computed once. */
import { type Estimate, estimated } from "../../../wasm/estimate.ts";
import { Band } from "../../../wasm/pixels/band.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { BAND_ROWS, bandBytes, isOpaque } from "./bands.ts";
import { type Picture, firstFrame } from "./picture.ts";
import { type Rows, rowsOver } from "./rows.ts";

/** The size of a picture, and whether it has alpha. */
type Extent = Pick<Rows, "width" | "height" | "opaque">;

export interface Pixels extends Extent {
  /** Every pixel has three bytes without alpha, four with it. */
  readonly bytes: Uint8Array;
}

/** To collect a pixel, and to hand it out again as a row, whichever takes longer. */
const NANOSECONDS_PER_PIXEL = 2;

/** Bytes that the collected pixels of a picture take. */
export function pixelBytes({ width, height, opaque }: Extent): number {
  return width * height * bytesOf(opaque);
}

function bytesOf(opaque: boolean): number {
  return opaque ? 3 : 4;
}

/** The estimate of collecting a picture's pixels, which stay. */
export function collectEstimate(extent: Extent): Estimate {
  const { width, height } = extent;
  return estimated(pixelBytes(extent) + bandBytes(width), width * height, NANOSECONDS_PER_PIXEL);
}

/** The pixels of rows, which are read to their end and closed. */
export async function collectPixels(rows: Rows, timeSlice: TimeSlice): Promise<Pixels> {
  const { width, height, opaque } = rows;
  let band: Band | undefined;
  try {
    const bytes = new Uint8Array(pixelBytes(rows));
    band = new Band(width * BAND_ROWS);
    const bandMs = (width * BAND_ROWS * NANOSECONDS_PER_PIXEL) / 1e6;
    let at = 0;
    for (let read = await rows.read(BAND_ROWS); read; read = await rows.read(BAND_ROWS)) {
      const pixels = opaque ? band.load(read).takeColors() : read;
      bytes.set(pixels, at);
      at += pixels.length;
      await timeSlice.spend(bandMs);
    }
    return { width, height, opaque, bytes };
  } finally {
    band?.close();
    rows.close();
  }
}

/** The first frame of a picture, its pixels collected. */
export interface Collected {
  /** It is opaque where nothing shows through: files with alpha often make no use of it. */
  readonly size: Extent;
  readonly bytes: Uint8Array;
  /** May be called again and again. */
  readonly open: () => Rows;
}

export async function collectFirst(picture: Picture, timeSlice: TimeSlice): Promise<Collected> {
  const pixels = await collectPixels(await firstFrame(picture, timeSlice), timeSlice);
  const { width, height, bytes } = pixels;
  const opaque = pixels.opaque || (await isOpaque(rowsOfPixels(pixels)));
  return { size: { width, height, opaque }, bytes, open: () => ({ ...rowsOfPixels(pixels), opaque }) };
}

/** Collected pixels as rows; may be called again and again. */
export function rowsOfPixels(pixels: Pixels): Rows & Required<Pick<Rows, "skip">> {
  return pixels.opaque ? opaqueRows(pixels) : rowsOver(pixels.bytes, pixels);
}

/** Opaque pixels of three bytes each, as rows. */
function opaqueRows({ bytes, ...extent }: Pixels): Rows & Required<Pick<Rows, "skip">> {
  const colors = rowsOver(bytes, extent, bytesOf(true));
  const band = new Band(extent.width * BAND_ROWS);
  return {
    ...colors,
    async read(max) {
      const read = await colors.read(Math.min(max, BAND_ROWS));
      return read && band.loadOpaque(read).pixels;
    },
    close: () => band.close(),
  };
}
