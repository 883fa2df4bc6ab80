/**
 * Which areas of a JPEG 2000 picture are decoded at a time, and what that takes. OpenJPEG decodes any area from the bytes,
 * and holds memory in proportion to it; code blocks that two areas share are decoded twice.
 */
import type { Area, Layout } from "../../../../wasm/jpeg2000/decoder.ts";
import type { Size } from "../../geometry.ts";
import type { Codestream } from "./codestream.ts";

/** Pixels of a row of tiles that wait to be read. */
const BAND_PIXELS = 6 << 20;
/** Samples that are decoded together when they are a whole picture of one tile, or whole tiles. */
const WHOLE_SAMPLES = 12 << 20;
const TILE_SAMPLES = 5 << 20;
/** What decoding a part of a tile may hold, the rows that wait to be read included. */
const PART_BYTES = 72 << 20;
/** Rows of a part where the picture is so wide that columns are divided too. */
const PART_ROWS = 256;

/** Measured, bytes per sample: a whole picture stays where it was put together, tiles are copied; parts are kept thrice. */
const WHOLE_BYTES = 4;
const TILE_BYTES = 8;
const PART_SAMPLE_BYTES = 12;
/** A part needs the code blocks at its edges: this many pixels more on each side, together. */
const PART_EDGE = 192;
const PIXEL_BYTES = 4;
/** A code block's record, its segments and its place in tag trees. */
const BLOCK_BYTES = 700;
/** What OpenJPEG keeps of every tile and every component in it. */
const TILE_RECORD_BYTES = 7_000;
const COMPONENT_RECORD_BYTES = 1_200;
const FIXED_BYTES = 2 << 20;

interface Columns {
  readonly left: number;
  readonly right: number;
}

/** Areas that make up a band of rows, from left to right. */
export interface Band {
  readonly top: number;
  readonly bottom: number;
  readonly columns: readonly Columns[];
}

/** Steps along one side: boundaries lie at `origin` plus multiples of `length`. */
interface Grid {
  readonly origin: number;
  readonly length: number;
}

interface Grids {
  readonly rows: Grid;
  readonly columns: Grid;
}

/** The bands that a region of the reduced picture is decoded in, from the top. Places are absolute, in reduced pixels. */
export function* bandsOf(stream: Codestream, layout: Layout, region: Area, reduce: number): Generator<Band> {
  const { rows, columns } = gridsOf(stream, layout, region, reduce);
  for (const [top, bottom] of pieces(region.top, region.bottom, rows)) {
    const across = [...pieces(region.left, region.right, columns)];
    yield { top, bottom, columns: across.map(([left, right]) => ({ left, right })) };
  }
}

function gridsOf({ tile, components, tiles }: Codestream, { step }: Layout, region: Area, reduce: number): Grids {
  const scale = 2 ** reduce;
  const [width, height] = [region.right - region.left, region.bottom - region.top];
  const all = { rows: { origin: region.top, length: height }, columns: { origin: region.left, length: width } };
  if (tiles === 1 && width * height * components.length <= WHOLE_SAMPLES / 3) return all;
  const tileWidth = tile.width / step[0] / scale;
  const tileHeight = tile.height / step[1] / scale;
  const tileSamples = Math.min(tileWidth, width) * Math.min(tileHeight, height) * components.length;
  if (tiles === 1 && tileSamples <= WHOLE_SAMPLES && isWhole(tile, step, region, scale)) return all;
  if (tiles > 1 && tileHeight * width <= BAND_PIXELS && tileSamples <= TILE_SAMPLES) {
    const deep = Math.max(1, Math.floor(Math.sqrt(TILE_SAMPLES / tileSamples)));
    const rows = Math.max(1, Math.min(deep, Math.floor(BAND_PIXELS / (tileHeight * width))));
    const across = Math.max(1, Math.floor(TILE_SAMPLES / (tileSamples * rows)));
    return {
      rows: { origin: tile.y / step[1] / scale, length: tileHeight * rows },
      columns: { origin: tile.x / step[0] / scale, length: tileWidth * across },
    };
  }
  const part = partOf(width, components.length);
  return { rows: { ...all.rows, length: part.height }, columns: { ...all.columns, length: part.width } };
}

/** Whether a region is all of the picture's only tile. */
function isWhole(tile: Codestream["tile"], step: Layout["step"], region: Area, scale: number): boolean {
  const end = (from: number, length: number, by: number) => (from + length) / by / scale;
  const atLeft = region.left <= Math.ceil(tile.x / step[0] / scale);
  return (
    atLeft &&
    region.top <= Math.ceil(tile.y / step[1] / scale) &&
    region.right >= Math.floor(end(tile.x, tile.width, step[0])) &&
    region.bottom >= Math.floor(end(tile.y, tile.height, step[1]))
  );
}

/** How large the parts are that a region `width` pixels wide is decoded in, where tiles do not fit into memory. */
function partOf(width: number, components: number): Size {
  const perPixel = components * PART_SAMPLE_BYTES;
  const height = Math.floor(
    (PART_BYTES - (width + PART_EDGE) * PART_EDGE * perPixel) / ((width + PART_EDGE) * perPixel + width * PIXEL_BYTES),
  );
  if (height >= PART_ROWS) return { width, height };
  const left = PART_BYTES - width * PART_ROWS * PIXEL_BYTES;
  const columns = Math.floor(left / ((PART_ROWS + PART_EDGE) * perPixel)) - PART_EDGE;
  return { width: Math.max(PART_EDGE, Math.min(width, columns)), height: PART_ROWS };
}

/** Divides what lies between two places where the grid does; fractions of pixels belong to what comes before. */
function* pieces(from: number, to: number, { origin, length }: Grid): Generator<readonly [number, number]> {
  const tolerance = 1e-6;
  for (let start = from; start < to;) {
    const next = Math.ceil(origin + (Math.floor((start - origin) / length + tolerance) + 1) * length - tolerance);
    const end = Math.min(to, Math.max(start + 1, next));
    yield [start, end];
    start = end;
  }
}

/** Bytes that decoding holds at most, whatever region is wanted. */
export function decodeBytes(stream: Codestream, { width, height }: Size): number {
  const { components, tiles, tile, tileBytes, codeBlocks } = stream;
  const count = components.length;
  const pixels = width * height;
  const records = FIXED_BYTES + tiles * (TILE_RECORD_BYTES + count * COMPONENT_RECORD_BYTES) + codeBlocks * BLOCK_BYTES;
  const whole = pixels * count <= WHOLE_SAMPLES ? pixels * (count * WHOLE_BYTES + PIXEL_BYTES) : 0;
  const edged = (width + PART_EDGE) * (height + PART_EDGE) * count * PART_SAMPLE_BYTES + pixels * PIXEL_BYTES;
  const part = Math.min(edged, Math.max(PART_BYTES, width * PART_ROWS * PIXEL_BYTES));
  const tileSamples = Math.min(tile.width, width) * Math.min(tile.height, height) * count;
  const tiled = tiles > 1 && tileSamples <= TILE_SAMPLES && tile.height * width <= BAND_PIXELS;
  const rows = Math.min(pixels, BAND_PIXELS) * PIXEL_BYTES + Math.min(pixels * count, TILE_SAMPLES) * PART_SAMPLE_BYTES;
  return Math.ceil(records + tileBytes + (tiled ? rows : Math.max(whole, part)));
}

/** The same of a file of ours, decoded whole. */
export function ownDecodeBytes({ width, height }: Size, tile: Size, components: number): number {
  const [across, rows] = [Math.min(width, tile.width), Math.min(height, tile.height)];
  const tileSamples = across * rows * components;
  const single = across === width && rows === height;
  const samples = Math.min(width * height * components, Math.max(TILE_SAMPLES, tileSamples));
  const band = width * Math.min(height, 2 * rows) * PIXEL_BYTES;
  // The code of a tile takes a byte a sample at most, records of code blocks far less.
  return FIXED_BYTES + band + samples * (single ? WHOLE_BYTES : TILE_BYTES) + tileSamples;
}
