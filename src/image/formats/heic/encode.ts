import { BAND_ROWS, HevcTiles, tilesPeakBytes, type TileSettings } from "../../../../wasm/hevc-encode/encoder.ts";
import { NativeError } from "../../../../wasm/load.ts";
/** Rows into HEIC files: pictures beyond a size as a grid of tiles, so that memory does not grow with their height. */
import { ApiError } from "../../../errors.ts";
import type { EncodeSettings } from "../../format.ts";
import type { Size } from "../../geometry.ts";
import { firstFrame, type Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";
import { type CodedLayer, writeHeif } from "../heif/write.ts";
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

/** Bytes that encoding holds at most, the file included. */
export function peakBytes(picture: Size & { readonly opaque: boolean }): number {
  // Photographs take 0.1 to 0.4 bytes per pixel at usual qualities; pieces and file are there at once.
  const file = picture.width * picture.height * 0.8;
  return tilesPeakBytes(picture.width, layoutOf(picture).tile, picture.opaque) + file;
}

/** @throws ApiError 422 when the picture has no frame, or is too large for the memory that was declared */
export function encodeHeic(picture: Picture, settings: EncodeSettings): Uint8Array {
  const rows = firstFrame(picture);
  try {
    return encodeRows(rows, settings);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    throw new ApiError(422, "The image cannot be written as HEIC: it is too large or too complex", { cause: error });
  } finally {
    rows.close();
  }
}

function encodeRows(rows: Rows, settings: EncodeSettings): Uint8Array {
  const { width, height, opaque } = rows;
  const { tile, grid } = layoutOf(rows);
  const tiles = new HevcTiles(width, tile, opaque);
  const color: Bitstream[] = [];
  const alpha: Bitstream[] = [];
  const coding = codingOf(settings, width * height);
  let translucent = false;
  let solid: Bitstream | undefined;
  try {
    for (let top = 0; top < height; top += tile.height) {
      fill(tiles, rows, Math.min(tile.height, height - top));
      for (let column = 0; column < tiles.columns; column++) {
        color.push(splitUnits(tiles.encode(column, "color", coding.color)));
        if (opaque) continue;
        const holes = tiles.translucent(column);
        translucent ||= holes;
        // Tiles without holes are all the same.
        if (!holes) solid ??= splitUnits(tiles.encode(column, "alpha", coding.alpha));
        alpha.push(holes || !solid ? splitUnits(tiles.encode(column, "alpha", coding.alpha)) : solid);
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
    halfChroma: true,
    brands: ["heic", "mif1", "heic", "miaf"],
    color: layer(color, [8, 8, 8]),
    alpha: translucent ? layer(alpha, [8]) : undefined,
    primaries: 1,
    transfer: 13,
    matrix: 6,
    fullRange: true,
  });
}

/**
 * Kvazaar's presets differ in steps: up to `faster` they take 0.16 seconds a megapixel, `medium` twice to three times as
 * long for 10 percent less, `slower` seven times as long for 14.
 */
function codingOf({ quality, effort, trial }: EncodeSettings, pixels: number) {
  const haste = (trial ?? false) || effort < 0.25 || pixels > CAREFUL_PIXELS;
  const preset = haste ? "ultrafast" : effort < 0.75 ? "medium" : "slower";
  const color: TileSettings = { quantizer: quantizerOf(quality), lossless: false, preset };
  return { color, alpha: { ...color, quantizer: Math.max(0, color.quantizer - ALPHA_STEPS) } };
}

/** Beyond this, time is short. */
export const CAREFUL_PIXELS = 24_000_000;

/** Edges of a mask show more than those of a picture. */
const ALPHA_STEPS = 6;

/** Reads the rows of one row of tiles. */
function fill(tiles: HevcTiles, rows: Rows, height: number): void {
  const stride = rows.width * 4;
  let filled = 0;
  for (let y = 0; y < height;) {
    const read = rows.read(Math.min(BAND_ROWS - filled, height - y));
    if (!read) throw new RangeError("a picture ended early");
    tiles.band().set(read, filled * stride);
    filled += read.length / stride;
    y += read.length / stride;
    if (filled < BAND_ROWS && y < height) continue;
    tiles.push(filled);
    filled = 0;
  }
  tiles.complete();
}

function layer(pictures: readonly Bitstream[], bits: readonly number[]): CodedLayer {
  const [first] = pictures;
  if (!first) throw new RangeError("nothing was encoded");
  return { config: first.config, bits, tiles: pictures.map(({ payload }) => payload) };
}
