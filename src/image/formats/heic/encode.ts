/** Rows into HEIC files: pictures beyond a size as a grid of tiles, so that memory does not grow with their height. */
import { parallel, held, type Estimate } from "../../../../wasm/estimate.ts";
import {
  BAND_ROWS,
  HevcTiles,
  type Preset,
  pushMs,
  tilesEstimate,
  type TileSettings,
} from "../../../../wasm/hevc-encode/encoder.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { lessWhereFlat } from "../../codec/complexity.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import type { Space } from "../../color/space.ts";
import type { Size } from "../../pixels/geometry.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import { type CodedLayer, colorsIn, writeHeif } from "../heif/write.ts";
import { type Bitstream, splitUnits } from "./bitstream.ts";
import { quantizerOf } from "./quality.ts";

/** Up to this, a picture is coded whole, which is 2 percent smaller than a grid. */
const WHOLE_PIXELS = 2_097_152;
const WHOLE_SIDE = 4_096;
/** Sides of tiles are multiples of this (ISO/IEC 23000-22, 7.3.11.4). */
const TILE_STEP = 64;
/** A row of tiles is held at a time: of wide pictures they are smaller. */
const TILE_SIDE = 1_024;
const WIDE_TILE_SIDE = 512;
const WIDE = 8_192;

interface Layout {
  readonly tile: Size;
  readonly grid: boolean;
}

/** How a picture is cut. Chroma is halved both ways, so sides are even. */
export function layoutOf({ width, height }: Size): Layout {
  const grid = width * height > WHOLE_PIXELS || Math.max(width, height) > WHOLE_SIDE;
  if (!grid) return { tile: { width: width + (width & 1), height: height + (height & 1) }, grid };
  const most = width > WIDE ? WIDE_TILE_SIDE : TILE_SIDE;
  return { tile: { width: tileSide(width, most), height: tileSide(height, most) }, grid };
}

/** The least side with which as few tiles as can be cover a length. */
function tileSide(length: number, most: number): number {
  return Math.ceil(length / Math.ceil(length / most) / TILE_STEP) * TILE_STEP;
}

/** Flat pictures are coded in large blocks, which take less. */
const FLAT_SHARE = 0.55;

/** The estimate of encoding a picture, the file included. */
export function encodeEstimate(picture: Omit<Extent, "frames">, settings: EncodeSettings): Estimate {
  const { width, height, opaque } = picture;
  const file = held(width * height * FILE_BYTES);
  const work = tilesEstimate(picture, layoutOf(picture).tile, opaque, presetOf(settings, width * height));
  return parallel(lessWhereFlat(work, picture, FLAT_SHARE), file);
}

/**
 * Bytes of a pixel in its file: photographs take 0.1 to 0.4 at usual qualities, and pieces and file are there at once.
 */
const FILE_BYTES = 0.8;

/** @throws ApiError 422 when the picture has no frame, or is too large for the memory that was declared */
export async function encodeHeic(
  picture: Picture,
  settings: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const rows = await firstFrame(picture, timeSlice);
  try {
    return await guardedAsync(
      () => encodeRows(rows, picture.space, settings, timeSlice),
      (cause) => new ApiError(422, "The image cannot be written as HEIC: it is too large or too complex", { cause }),
    );
  } finally {
    rows.close();
  }
}

async function encodeRows(
  rows: Rows,
  space: Space | undefined,
  settings: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height, opaque } = rows;
  const { tile, grid } = layoutOf(rows);
  const coding = codingOf(settings, width * height);
  const tiles = new HevcTiles(width, tile, opaque, tilesEstimate(rows, tile, opaque, coding.color.preset).bytes);
  const color: Bitstream[] = [];
  const alpha: Bitstream[] = [];
  let translucent = false;
  let solid: Bitstream | undefined;
  const encodeAlpha = async (column: number) =>
    splitUnits(await tiles.encode(column, "alpha", coding.alpha, timeSlice));
  try {
    for (let top = 0; top < height; top += tile.height) {
      await fill(tiles, rows, Math.min(tile.height, height - top), timeSlice);
      for (let column = 0; column < tiles.columns; column++) {
        color.push(splitUnits(await tiles.encode(column, "color", coding.color, timeSlice)));
        if (opaque) continue;
        const holes = tiles.translucent(column);
        translucent ||= holes;
        // Tiles without holes are all the same.
        if (!holes) solid ??= await encodeAlpha(column);
        alpha.push(holes || !solid ? await encodeAlpha(column) : solid);
      }
      tiles.next();
    }
  } finally {
    tiles.close();
  }
  return writeHeif({
    width,
    height,
    tile,
    grid,
    itemType: "hvc1",
    configType: "hvcC",
    brands: ["heic", "mif1", "heic", "miaf"],
    color: layer(color, [8, 8, 8]),
    alpha: translucent ? layer(alpha, [8]) : undefined,
    matrix: 6,
    fullRange: true,
    ...colorsIn(space),
  });
}

/**
 * Kvazaar's presets differ in steps: up to `faster` they take 0.16 seconds a megapixel, `medium` twice to three times
 * as long for 10 percent less, `slower` seven times as long for 14.
 */
function presetOf({ effort, probe }: EncodeSettings, pixels: number): Preset {
  if (probe || effort < 0.25 || pixels > CAREFUL_PIXELS) return "ultrafast";
  return effort < 0.75 ? "medium" : "slower";
}

function codingOf(settings: EncodeSettings, pixels: number) {
  const quantizer = quantizerOf(settings.quality);
  const color: TileSettings = { quantizer, lossless: false, preset: presetOf(settings, pixels) };
  return { color, alpha: { ...color, quantizer: Math.max(0, quantizer - ALPHA_STEPS) } };
}

/** Beyond this, time is short. */
export const CAREFUL_PIXELS = 24_000_000;

/** Edges of a mask show more than those of a picture. */
const ALPHA_STEPS = 6;

/** Reads the rows of one row of tiles. */
async function fill(tiles: HevcTiles, rows: Rows, height: number, timeSlice: TimeSlice): Promise<void> {
  const stride = rows.width * 4;
  let filled = 0;
  for (let y = 0; y < height;) {
    const read = await rows.read(Math.min(BAND_ROWS - filled, height - y));
    if (!read) throw new RangeError("a picture ended early");
    const count = read.length / stride;
    tiles.band().set(read, filled * stride);
    filled += count;
    y += count;
    if (filled < BAND_ROWS && y < height) continue;
    tiles.push(filled);
    await timeSlice.spend(pushMs(rows.width, filled));
    filled = 0;
  }
  tiles.complete();
}

function layer(pictures: readonly Bitstream[], bits: readonly number[]): CodedLayer {
  const [first] = pictures;
  if (!first) throw new RangeError("nothing was encoded");
  return { config: first.config, bits, tiles: pictures.map(({ payload }) => payload) };
}
