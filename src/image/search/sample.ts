/**
 * The sample of a picture: tiles of it, side by side, as a small picture that stands for the whole. What an encoder does to
 * the sample it does to the picture, at a fraction of the cost. A small picture is its own sample.
 */
import type { Tile } from "../../../wasm/score/score.ts";
import { UNPAUSED } from "../../scheduler/time-slice.ts";
import type { Tiles } from "../codec/format.ts";
import type { Space } from "../color/space.ts";
import { bandsOf } from "../pixels/bands.ts";
import type { Size } from "../pixels/geometry.ts";
import { type Picture, stillPicture } from "../pixels/picture.ts";
import { pixelsOf, type Rows, rowsOver } from "../pixels/rows.ts";
import { comparedRows, GRID, STRIP_ROWS, type Strip } from "../pixels/strips.ts";

/** Pixels of the side of a tile: as high as a strip. */
const TILE = STRIP_ROWS;
const ACROSS = 4;
/** Multiples of ACROSS. */
const TILES = { least: 4, few: 8, many: 24 };
/** Tiles of a picture that is hardly large enough for a sample. */
export const LEAST_TILES = TILES.least;
/**
 * Pixels from which on many tiles are looked at. What the whole scores is then known within 0.45 points in place of a point,
 * and a try of such a picture costs as much as ten of its tiles.
 */
const MANY_FROM_PIXELS = 4_000_000;
/** Pixels up to which that is so: beside a larger picture every megabyte counts. */
const MANY_UP_TO_PIXELS = 20_000_000;

/**
 * Pixels up to which a picture stands for itself, unless its format says otherwise: a sample would save less than it costs
 * to confirm what it says.
 */
const WHOLE_PIXELS = 2.25 * TILE * TILE * TILES.few;
/** The same for formats that say that tiles of smaller pictures save time as well: a third or a seventh of what is encoded. */
export const TINY_PIXELS = 300_000;

export interface Sample {
  readonly picture: Picture;
  /** What it consists of; absent if it is the whole picture. */
  readonly tiles?: Tiles;
}

/** How samples that consist of tiles are compared. */
export const SAMPLE_TILE: Tile = { width: TILE, height: TILE };

function isWhole({ width, height }: Size, tilesOfSmall = false): boolean {
  return width * height <= (tilesOfSmall ? TINY_PIXELS : WHOLE_PIXELS) || width < TILE || height < TILE;
}

/** Whether the sample of a picture consists of many tiles. */
export function hasManyTiles({ width, height }: Size): boolean {
  const pixels = width * height;
  return pixels > MANY_FROM_PIXELS && pixels <= MANY_UP_TO_PIXELS;
}

function tilesOf(size: Size): number {
  if (hasManyTiles(size)) return TILES.many;
  return size.width * size.height <= WHOLE_PIXELS ? TILES.least : TILES.few;
}

/**
 * The size of the sample of a picture: of a large one that is too narrow for tiles, that of its strips.
 * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
 */
export function sampleSize(size: Size, tilesOfSmall?: boolean): Size {
  if (!isWhole(size, tilesOfSmall)) return { width: TILE * ACROSS, height: (TILE * tilesOf(size)) / ACROSS };
  return ownSize(size);
}

/** Bytes of the pixels of a sample, which stay, and of all that is done with it: an encoding, its decoding and scoring. */
export function sampleBytes(size: Size, tilesOfSmall?: boolean): { readonly pixels: number; readonly all: number } {
  const { width, height } = sampleSize(size, tilesOfSmall);
  return { pixels: width * height * 4, all: width * height * 16 };
}

/** The part of a picture that its sample is: 1 for a small picture. */
export function samplePart(size: Size): number {
  const { width, height } = sampleSize(size);
  return (width * height) / (size.width * size.height);
}

/** The whole of a small picture, or tiles spread over the strips of a large one, each in another column. */
function placesOf(size: Size, strips: readonly Strip[]): Tiles["places"] {
  const { width, height } = size;
  const tiles = tilesOf(size);
  // The least would lie on the diagonal if the first were in the first column.
  const from = tiles === LEAST_TILES ? 1 : 0;
  const place = (first: number, last: number, part: number) =>
    Math.floor((first + (last - first) * part) / GRID) * GRID;
  return Array.from({ length: tiles }, (_, index) => {
    const strip = strips[Math.floor((index * strips.length) / tiles)]!;
    const y = strips.length > 1 ? strip.y : place(0, height - TILE, index / (tiles - 1));
    return { x: place(0, width - TILE, ((index * 5 + from) % tiles) / (tiles - 1)), y };
  });
}

/**
 * The sample of a picture, cut out of its strips, which are read to their end and closed.
 * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
 */
export async function sampleOf(
  rows: Rows,
  size: Size & Pick<Picture, "space">,
  strips: readonly Strip[],
  tilesOfSmall?: boolean,
): Promise<Sample> {
  const { space } = size;
  if (isWhole(size, tilesOfSmall)) {
    return { picture: inMemory(await pixelsOf(rows, TILE), ownSize(size), rows.opaque, space) };
  }
  const places = placesOf(size, strips);
  const sample = { width: TILE * ACROSS, height: (TILE * places.length) / ACROSS };
  return {
    tiles: { side: TILE, across: ACROSS, places },
    picture: inMemory(await tiled(rows, places, strips), sample, rows.opaque, space),
  };
}

function ownSize(size: Size): Size {
  return { width: size.width, height: comparedRows(size) };
}

async function tiled(rows: Rows, places: Tiles["places"], strips: readonly Strip[]): Promise<Uint8Array> {
  const pixels = new Uint8Array(TILE * TILE * places.length * 4);
  const stride = rows.width * 4;
  const lines = strips.flatMap((strip) => Array.from({ length: strip.rows }, (_, index) => strip.y + index));
  let line = 0;
  // Rows declare what they take themselves.
  for await (const band of bandsOf(rows, { rows: TILE, timeSlice: UNPAUSED })) {
    for (let at = 0; at < band.length; at += stride, line++) {
      for (const [index, { x, y }] of places.entries()) {
        const row = lines[line]! - y;
        if (row < 0 || row >= TILE) continue;
        const top = Math.floor(index / ACROSS) * TILE + row;
        pixels.set(band.subarray(at + x * 4, at + (x + TILE) * 4), (top * ACROSS + (index % ACROSS)) * TILE * 4);
      }
    }
  }
  return pixels;
}

function inMemory(pixels: Uint8Array, size: Size, opaque: boolean, space?: Space): Picture {
  return stillPicture({ ...size, opaque, space }, () => rowsOver(pixels, { ...size, opaque }));
}
