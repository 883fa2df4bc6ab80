/** Rows into JP2 files: a codestream of tiles, so that only one row of them is held, in its boxes. */
import { parallel, held, type Estimate, estimated } from "../../../../wasm/estimate.ts";
import { BAND_ROWS, CodestreamWriter, type WriterSettings } from "../../../../wasm/jpeg2000/encoder.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { lessWhereFlat } from "../../codec/complexity.ts";
import { guarded, guardedAsync } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import type { Space } from "../../color/space.ts";
import type { Size } from "../../pixels/geometry.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import { ENUMERATED } from "./boxes.ts";
import type { Codestream } from "./codestream.ts";
import { stepsFor } from "./quality.ts";

type Shape = Size & { readonly opaque: boolean };

/** Sides of tiles: wavelets reach far enough in them, and one can be encoded in the memory there is. */
const TILE_SIDE = 1_024;
const MIN_TILE_ROWS = 128;
/** Samples of a row of tiles that wait to be encoded. */
const ROW_BYTES = 16 << 20;
/** Tiles of one picture share its sides evenly, in units that code blocks of two levels fill. */
const TILE_UNIT = 128;

const BLOCK_SAMPLES = 64 * 64;
/** What the decoder keeps of a code block. */
const BLOCK_RECORD_BYTES = 700;

/** Measured: coefficients, what they are coded to, and the tile as it is written. */
const SAMPLE_BYTES = 11;
const FIXED_BYTES = 2 << 20;
/**
 * Photographs take 0.1 to 0.4 bytes per pixel at usual qualities, 0.7 to 1.3 without loss; pieces and the whole exist
 * at once.
 */
const FILE_BYTES = { lossy: 0.8, lossless: 2.5 } as const;
/** Bytes per pixel of most files with a loss. */
const USUAL_FILE_BYTES = 0.3;
/**
 * Nanoseconds for a sample of a photograph: at quality 80, of which high qualities take twice as much, and without
 * loss.
 */
const SAMPLE_NANOSECONDS = { lossy: 20, lossless: 60 } as const;

/** @throws ApiError 422 when the picture has no frame, or takes more memory than there is */
export async function encode(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const rows = await firstFrame(picture, timeSlice);
  try {
    return await encodeRows(rows, picture.space, settings, timeSlice);
  } finally {
    rows.close();
  }
}

/** The part of the time that flat pictures take: without loss every bit is coded, of which they have few. */
const FLAT_SHARE = { lossy: 0.6, lossless: 0.4 } as const;

/** The estimate of encoding, the file included. */
export function encodeEstimate(picture: Omit<Extent, "frames">, settings: EncodeSettings): Estimate {
  const { width, height, opaque } = picture;
  const kind = settings.lossless ? "lossless" : "lossy";
  const bytes = writerBytes(writerSettings(picture, settings));
  const work = estimated(bytes, width * height * (opaque ? 3 : 4), SAMPLE_NANOSECONDS[kind]);
  return parallel(lessWhereFlat(work, picture, FLAT_SHARE[kind]), held(fileBytes(picture, settings.lossless)));
}

/** Bytes of a file, and of the pieces that it is put together from. */
function fileBytes({ width, height }: Size, lossless: boolean): number {
  return width * height * (lossless ? FILE_BYTES.lossless : FILE_BYTES.lossy);
}

/** Bytes of the codestream of a usual file with a loss. */
export function usualBytes({ width, height }: Size): number {
  return width * height * USUAL_FILE_BYTES;
}

/** What decoding a file of this size will find. */
export function tiledStream(shape: Shape): Codestream {
  const { width, height } = shape;
  const { components, tileWidth, tileHeight } = tiling(shape);
  const samples = components * tileWidth * tileHeight;
  return {
    image: { x0: 0, y0: 0, x1: width, y1: height },
    tile: { x: 0, y: 0, width: tileWidth, height: tileHeight },
    components: Array.from({ length: components }, () => ({ depth: 8, signed: false, stepX: 1, stepY: 1 })),
    tiles: Math.ceil(width / tileWidth) * Math.ceil(height / tileHeight),
    tileBytes: samples,
    recordBytes: (samples / BLOCK_SAMPLES) * BLOCK_RECORD_BYTES,
    levels: 5,
    lossy: true,
    progressive: true,
    finestStep: 1,
  };
}

/** The tiles that a picture of this size is divided into, and its components. */
function tiling({ width, height, opaque }: Shape) {
  const components = opaque ? 3 : 4;
  const rows = Math.max(MIN_TILE_ROWS, Math.min(TILE_SIDE, Math.floor(ROW_BYTES / (width * components))));
  return { components, tileWidth: tileSide(width, TILE_SIDE), tileHeight: tileSide(height, rows) } as const;
}

function writerSettings(shape: Shape, settings: EncodeSettings): WriterSettings {
  return {
    width: shape.width,
    height: shape.height,
    ...tiling(shape),
    lossless: settings.lossless,
    byPosition: !settings.progressive,
    steps: stepsFor(settings.quality),
  };
}

/** The side of tiles of which as few as possible, none much smaller than the others, cover `length`. */
function tileSide(length: number, most: number): number {
  const count = Math.ceil(length / most);
  return count === 1 ? length : Math.min(most, Math.ceil(length / count / TILE_UNIT) * TILE_UNIT);
}

function writerBytes({ width, height, components, tileWidth, tileHeight }: WriterSettings): number {
  const rows = Math.min(height, tileHeight);
  const samples = components * tileWidth * rows;
  return FIXED_BYTES + components * width * rows + samples * SAMPLE_BYTES + width * 4 * BAND_ROWS + tileWidth * 64;
}

async function encodeRows(
  rows: Rows,
  space: Space | undefined,
  settings: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const wanted = writerSettings(rows, settings);
  const writer = guarded(() => new CodestreamWriter(wanted, writerBytes(wanted)), tooLarge);
  try {
    for (let read = await rows.read(BAND_ROWS); read; read = await rows.read(BAND_ROWS)) {
      const band = read;
      await guardedAsync(() => writer.write(band, timeSlice), tooLarge);
    }
    return jp2File(
      rows,
      space,
      guarded(() => writer.finish(), tooLarge),
    );
  } finally {
    writer.close();
  }
}

/** A profile in its box, in that of the header, and in the file. */
export const PROFILE_COPIES = 3;

/** Signature, file type, header and codestream (ITU-T T.800, I.5). */
function jp2File(
  { width, height, opaque }: Shape,
  space: Space | undefined,
  codestream: readonly Uint8Array[],
): Uint8Array {
  const length = codestream.reduce((sum, piece) => sum + piece.length, 0);
  const header = [
    box("ihdr", number32(height), number32(width), [0, opaque ? 3 : 4, 7, 7, 0, 0]),
    // By its number, or by a profile (table I.9), which readers take whatever it is made of.
    space ? box("colr", [2, 0, 0], space.profile) : box("colr", [1, 0, 0], number32(ENUMERATED.srgb)),
    ...(opaque ? [] : [box("cdef", CHANNELS.flatMap(number16))]),
  ];
  return joined([
    box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
    box("ftyp", letters("jp2 "), [0, 0, 0, 0], letters("jp2 ")),
    box("jp2h", ...header),
    Uint8Array.from([...number32(length + 8), ...letters("jp2c")]),
    ...codestream,
  ]);
}

/** Four definitions of channel, kind and association: red, green, blue, and the opacity of all. */
const CHANNELS = [4, 0, 0, 1, 1, 0, 2, 2, 0, 3, 3, 1, 0];

function box(type: string, ...content: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return joined([number32(length + 8), letters(type), ...content].map(bytesOf));
}

function bytesOf(part: Uint8Array | readonly number[]): Uint8Array {
  return part instanceof Uint8Array ? part : Uint8Array.from(part);
}

function letters(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function number16(value: number): number[] {
  return [value >>> 8, value & 255];
}

function number32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

function tooLarge(cause: unknown): ApiError {
  return new ApiError(422, "The image cannot be written as JPEG 2000: it takes more memory than there is", { cause });
}
