/**
 * A sheet: tiles of a large picture, side by side, as a small picture that stands for it. What an encoder does to the
 * sheet it does to the picture, at a fraction of the cost.
 */
import type { Tile } from "../../../wasm/score/score.ts";
import type { Tiles } from "../format.ts";
import type { Size } from "../geometry.ts";
import type { Picture } from "../picture.ts";
import { type Rows, rowsOver } from "../rows.ts";
import { GRID, STRIP_ROWS, type Strip } from "./strips.ts";

/** Pixels of the side of a tile: as high as a strip. */
export const TILE = STRIP_ROWS;
const ACROSS = 4;
const TILES = 12;

const SHEET_PIXELS = TILE * TILE * TILES;
/** Pixels up to which a picture stands for itself: a sheet would save less than it costs to confirm what it says. */
const SMALL_PIXELS = 1.5 * SHEET_PIXELS;

export interface Sheet {
  readonly picture: Picture;
  /** What it consists of; absent if it is the whole picture. */
  readonly tiles?: Tiles;
}

/** How sheets that consist of tiles are compared. */
export const SHEET_TILE: Tile = { width: TILE, height: TILE };

function isWhole({ width, height }: Size): boolean {
  return width * height <= SMALL_PIXELS || width < TILE || height < TILE;
}

/** Bytes of a sheet and of what is done with it: the pixels, an encoding, its decoding and scoring. */
export function sheetBytes(size: Size): number {
  return (isWhole(size) ? size.width * size.height : SHEET_PIXELS) * 16;
}

/** The whole of a small picture, or tiles spread over the strips of a large one, each in another column. */
function placesOf({ width, height }: Size, strips: readonly Strip[]): Tiles["places"] {
  const place = (from: number, to: number, part: number) => Math.floor((from + (to - from) * part) / GRID) * GRID;
  return Array.from({ length: TILES }, (_, index) => {
    const strip = strips[Math.floor((index * strips.length) / TILES)]!;
    const y = strips.length > 1 ? strip.y : place(0, height - TILE, index / (TILES - 1));
    return { x: place(0, width - TILE, ((index * 5) % TILES) / (TILES - 1)), y };
  });
}

/** The sheet of a picture, cut out of its strips. */
export function sheetOf(rows: Rows, size: Size, strips: readonly Strip[]): Sheet {
  if (isWhole(size)) return { picture: inMemory(collected(rows), size, rows.opaque) };
  const places = placesOf(size, strips);
  const sheet = { width: TILE * ACROSS, height: (TILE * TILES) / ACROSS };
  return {
    tiles: { side: TILE, across: ACROSS, places },
    picture: inMemory(tiled(rows, places, strips), sheet, rows.opaque),
  };
}

function collected(rows: Rows): Uint8Array {
  const pixels = new Uint8Array(rows.width * rows.height * 4);
  for (let at = 0, band = rows.read(rows.height); band; band = rows.read(rows.height)) {
    pixels.set(band, at);
    at += band.length;
  }
  return pixels;
}

function tiled(rows: Rows, places: Tiles["places"], strips: readonly Strip[]): Uint8Array {
  const pixels = new Uint8Array(TILE * TILE * TILES * 4);
  const stride = rows.width * 4;
  const lines = strips.flatMap((strip) => Array.from({ length: strip.rows }, (_, index) => strip.y + index));
  let line = 0;
  for (let band = rows.read(TILE); band; band = rows.read(TILE)) {
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

/** A still picture over pixels in memory. */
export function inMemory(pixels: Uint8Array, size: Size, opaque: boolean): Picture {
  const open = () => [{ delayMs: 0, rows: rowsOver(pixels, { ...size, opaque }) }];
  return { ...size, opaque, frames: 1, loops: 0, open };
}
