/** Where the tiles of a picture are: tile_info (AV1 bitstream specification, section 5.9.15). */
import type { Size } from "../../pixels/geometry.ts";
import type { Bits, WrittenBits } from "../heif/bits.ts";
import type { Sequence } from "./units.ts";

const MAX_TILE_WIDTH = 4096;
const MAX_TILE_AREA = 4096 * 2304;
/** In a row, and in a column. */
export const MAX_TILES = 64;
/** Sides of a superblock; what is written here has small ones. */
export const SUPERBLOCK = 64;
const LARGE_SUPERBLOCK = 128;
/** Sizes are rounded up to this. */
const LEAST_BLOCK = 8;

/** How far tiles may go in a picture, in superblocks. */
interface Bounds {
  readonly columns: number;
  readonly rows: number;
  readonly widest: number;
  /** Logarithms of the number of columns, and of that of tiles. */
  readonly leastColumns: number;
  readonly leastTiles: number;
}

function boundsOf({ width, height }: Size, block: number): Bounds {
  const superblocks = (length: number) => Math.ceil((Math.ceil(length / LEAST_BLOCK) * LEAST_BLOCK) / block);
  const [columns, rows] = [superblocks(width), superblocks(height)];
  const widest = MAX_TILE_WIDTH / block;
  const leastColumns = tileLog2(widest, columns);
  const leastTiles = Math.max(leastColumns, tileLog2(MAX_TILE_AREA / block ** 2, rows * columns));
  return { columns, rows, widest, leastColumns, leastTiles };
}

/** How high tiles may be where none is wider than `width`. */
function mostRows({ columns, rows, leastTiles }: Bounds, width: number): number {
  const area = leastTiles > 0 ? Math.floor((rows * columns) / 2 ** (leastTiles + 1)) : rows * columns;
  return Math.max(Math.floor(area / width), 1);
}

export function skipTileInfo(bits: Bits, { largeBlocks }: Pick<Sequence, "largeBlocks">, size: Size): void {
  const bounds = boundsOf(size, largeBlocks ? LARGE_SUPERBLOCK : SUPERBLOCK);
  const logarithms = bits.flag() ? readEven(bits, bounds) : readUneven(bits, bounds);
  if (logarithms > 0) bits.skip(logarithms + 2);
}

/** @returns the sum of the logarithms of columns and rows */
function readEven(bits: Bits, { columns, rows, leastColumns, leastTiles }: Bounds): number {
  const columnsLog2 = readIncrements(bits, leastColumns, tileLog2(1, Math.min(columns, MAX_TILES)));
  const leastRows = Math.max(leastTiles - columnsLog2, 0);
  return columnsLog2 + readIncrements(bits, leastRows, tileLog2(1, Math.min(rows, MAX_TILES)));
}

function readUneven(bits: Bits, bounds: Bounds): number {
  const widths = readLengths(bits, bounds.columns, bounds.widest);
  const heights = readLengths(bits, bounds.rows, mostRows(bounds, Math.max(...widths)));
  return tileLog2(1, widths.length) + tileLog2(1, heights.length);
}

function readLengths(bits: Bits, total: number, most: number): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < total; at += lengths.at(-1) ?? total) {
    lengths.push(readBelow(bits, Math.min(total - at, most)) + 1);
  }
  return lengths;
}

function readIncrements(bits: Bits, from: number, most: number): number {
  let value = from;
  while (value < most && bits.flag()) value++;
  return value;
}

/** ns(n), section 4.10.7: a number below `end`. */
function readBelow(bits: Bits, end: number): number {
  const { width, short } = codeOf(end);
  const value = bits.number(width);
  return value < short ? value : value * 2 - short + bits.number(1);
}

function writeBelow(bits: WrittenBits, value: number, end: number): void {
  const { width, short } = codeOf(end);
  if (value < short) bits.number(value, width);
  else bits.number(value + short, width + 1);
}

/** The bits of short numbers, and how many of these there are; others have one bit more. */
function codeOf(end: number): { readonly width: number; readonly short: number } {
  const width = Math.floor(Math.log2(end));
  return { width, short: 2 ** (width + 1) - end };
}

/**
 * Tiles of one size, but for those at the right and the bottom.
 * @param sizeBytes in which the bytes of a tile are said
 * @throws RangeError when AV1 has no such tiles
 */
export function writeTileInfo(bits: WrittenBits, picture: Size, tile: Size, sizeBytes: number): void {
  const bounds = boundsOf(picture, SUPERBLOCK);
  const [width, height] = [tile.width / SUPERBLOCK, tile.height / SUPERBLOCK];
  bits.number(0, 1);
  const columns = writeLengths(bits, bounds.columns, width, bounds.widest);
  const rows = writeLengths(bits, bounds.rows, height, mostRows(bounds, Math.min(width, bounds.columns)));
  const logarithms = tileLog2(1, columns) + tileLog2(1, rows);
  if (logarithms === 0) throw new RangeError("one tile is no picture of tiles");
  // The tile whose contexts later pictures would begin with.
  bits.number(0, logarithms);
  bits.number(sizeBytes - 1, 2);
}

/** @returns how many there are */
function writeLengths(bits: WrittenBits, total: number, length: number, most: number): number {
  const count = Math.ceil(total / length);
  if (!Number.isInteger(length) || Math.min(length, total) > most || count > MAX_TILES) {
    throw new RangeError("AV1 has no such tiles");
  }
  for (let at = 0; at < total; at += length) {
    writeBelow(bits, Math.min(length, total - at) - 1, Math.min(total - at, most));
  }
  return count;
}

/** The smallest k for which `unit` times 2^k is not below `target`. */
function tileLog2(unit: number, target: number): number {
  let log2 = 0;
  while (unit * 2 ** log2 < target) log2++;
  return log2;
}
