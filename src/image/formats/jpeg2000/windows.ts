/**
 * Which areas of a JPEG 2000 picture are decoded at a time, and what that takes. OpenJPEG decodes any area from the
 * bytes, and holds memory in proportion to it. Tiles are decoded whole, unless little of them is wanted; of a tile that
 * is too large for that, parts are, and the code blocks that two parts share are decoded twice.
 */
import { type Estimate, estimated, serial } from "../../../../wasm/estimate.ts";
import type { Area, Layout } from "../../../../wasm/jpeg2000/decoder.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Codestream } from "./codestream.ts";

/** Pixels of a row of tiles that wait to be read. */
const BAND_PIXELS = 6 << 20;
/** Samples that are decoded together: of an only tile, and of several. */
const ONLY_TILE_SAMPLES = 12 << 20;
const TILE_SAMPLES = 4 << 20;
/** What decoding a tile in parts may hold, the rows that wait to be read included; and how wide parts are. */
const PART_BYTES = 44 << 20;
const PART_WIDTH = 1_024;
const LEAST_PART_ROWS = 64;

/** Measured, bytes per sample: what is put together, besides what of it is a tile; a part is kept thrice. */
const SAMPLE_BYTES = 4;
const PART_SAMPLE_BYTES = 12;
/** Below this share of whole tiles, decoding the part alone takes no more memory. */
const PART_SHARE = SAMPLE_BYTES / PART_SAMPLE_BYTES;
/** A part needs the code blocks at its edges: this many pixels more, both sides together. */
const PART_EDGE = 192;
const PIXEL_BYTES = 4;
/** Of five channels four are inks, and alpha lies beside them. */
const pixelBytes = (components: number): number => (components > 4 ? PIXEL_BYTES + 1 : PIXEL_BYTES);
/** What OpenJPEG keeps of every tile and every component in it. */
const TILE_RECORD_BYTES = 7_000;
const COMPONENT_RECORD_BYTES = 1_200;
const FIXED_BYTES = 2 << 20;

/** An area of the result, and what is decoded for it, in absolute reduced pixels. */
interface Window {
  readonly area: Area;
  readonly decoded: Area;
}

/** Windows that make up a band of rows, from left to right. */
export interface Band {
  readonly top: number;
  readonly bottom: number;
  readonly windows: readonly Window[];
}

/** Boundaries along one side: at `origin` plus multiples of `length`. */
interface Grid {
  readonly origin: number;
  readonly length: number;
}

/**
 * The bands that a region of the reduced picture is decoded in, from the top. Places are absolute, in reduced pixels.
 */
export function* bandsOf(stream: Codestream, layout: Layout, region: Area, reduce: number): Generator<Band> {
  const { rows, columns, tile } = gridsOf(stream, layout, region, reduce);
  for (const [top, bottom] of pieces(region.top, region.bottom, rows)) {
    const areas = [...pieces(region.left, region.right, columns)].map(([left, right]) => ({
      left,
      top,
      right,
      bottom,
    }));
    const windows = areas.map((area) => ({ area, decoded: tile ? wholeTiles(area, tile) : area }));
    yield { top, bottom, windows };
  }
}

interface Grids {
  readonly rows: Grid;
  readonly columns: Grid;
}

/**
 * How a region is divided, and where tiles lie if they are decoded whole: between pixels where the picture is reduced.
 */
function gridsOf(stream: Codestream, { step }: Layout, region: Area, reduce: number): Grids & { tile?: Grids } {
  const { tile, image, components, tiles } = stream;
  const scale = 2 ** reduce;
  const picture = reducedBy(step, scale, { width: image.x1 - image.x0, height: image.y1 - image.y0 });
  const { width, height } = reducedBy(step, scale, tile);
  const group = groupOf(picture, { width, height }, components.length, tiles);
  if (group) {
    const rows = { origin: tile.y / step[1] / scale, length: height };
    const columns = { origin: tile.x / step[0] / scale, length: width };
    return {
      rows: { ...rows, length: height * group.height },
      columns: { ...columns, length: width * group.width },
      tile: { rows, columns },
    };
  }
  const part = partOf(region.right - region.left, components.length);
  return {
    rows: { origin: region.top, length: part.height },
    columns: { origin: region.left, length: part.width },
  };
}

function reducedBy(step: Layout["step"], scale: number, { width, height }: Size): Size {
  return { width: width / step[0] / scale, height: height / step[1] / scale };
}

/** How many tiles of a picture are decoded together, across and down; null where one is too much. */
function groupOf(picture: Size, tile: Size, components: number, tiles: number): Size | null {
  const width = Math.min(tile.width, picture.width);
  const height = Math.min(tile.height, picture.height);
  const samples = width * height * components;
  if (tiles === 1) return samples <= ONLY_TILE_SAMPLES ? { width: 1, height: 1 } : null;
  const bandTiles = BAND_PIXELS / (height * picture.width);
  if (samples > TILE_SAMPLES || bandTiles < 1) return null;
  const sixteenBit = Math.max(1, Math.floor(Math.min(Math.sqrt(TILE_SAMPLES / samples), bandTiles)));
  return { width: Math.max(1, Math.floor(TILE_SAMPLES / (samples * sixteenBit))), height: sixteenBit };
}

/** How large the parts are that a region `width` pixels wide is decoded in, where tiles do not fit into memory. */
function partOf(width: number, components: number): Size {
  const perPixel = components * PART_SAMPLE_BYTES;
  const across = Math.ceil(width / Math.ceil(width / PART_WIDTH));
  const edge = (across + PART_EDGE) * perPixel;
  const height = Math.floor((PART_BYTES - edge * PART_EDGE) / (edge + width * pixelBytes(components)));
  return { width: across, height: Math.max(LEAST_PART_ROWS, height) };
}

/** The tiles that an area lies in; the area alone when it is a small part of them. */
function wholeTiles(area: Area, { columns, rows }: Grids): Area {
  const start = ({ origin, length }: Grid, from: number) =>
    origin + Math.floor((from - origin) / length + 1e-6) * length;
  const left = Math.max(0, Math.ceil(start(columns, area.left) - 1e-6));
  const top = Math.max(0, Math.ceil(start(rows, area.top) - 1e-6));
  const right = Math.ceil(start(columns, area.right - 1) + columns.length - 1e-6);
  const bottom = Math.ceil(start(rows, area.bottom - 1) + rows.length - 1e-6);
  const edged = (from: number, to: number) => to - from + PART_EDGE;
  const part = edged(area.left, area.right) * edged(area.top, area.bottom);
  return part < (right - left) * (bottom - top) * PART_SHARE ? area : { left, top, right, bottom };
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

/**
 * What takes time, measured on photographs: bytes that code blocks are coded in, and samples, which pass through
 * wavelets and become pixels.
 */
const BYTE_NANOSECONDS = 130;
const SAMPLE_NANOSECONDS = 10;

/**
 * The estimate of decoding all of a picture, whatever region is wanted at whatever reduction.
 * @param codedBytes of the codestream
 */
export function decodeEstimate(stream: Codestream, codedBytes: number, size: Size, step: Layout["step"]): Estimate {
  const samples = size.width * size.height * stream.components.length;
  const bytes = decodeBytes(stream, size, step);
  return serial(estimated(bytes, codedBytes, BYTE_NANOSECONDS), estimated(0, samples, SAMPLE_NANOSECONDS));
}

function decodeBytes(stream: Codestream, size: Size, step: Layout["step"]): number {
  return Math.max(...halvedBytes(stream, size, step));
}

/** Bytes of memory that decoding all of a picture holds, whose sides are halved so many times. */
export function halvedBytes(stream: Codestream, size: Size, step: Layout["step"]): number[] {
  const { components, tiles, tileBytes, recordBytes, levels } = stream;
  const count = components.length;
  const records = FIXED_BYTES + tiles * (TILE_RECORD_BYTES + count * COMPONENT_RECORD_BYTES) + recordBytes;
  return Array.from({ length: levels + 1 }, (_, reduce) =>
    Math.ceil(records + tileBytes + samplesBytes(stream, size, step, 2 ** reduce)),
  );
}

/** What the samples and pixels of a reduced picture take while it is decoded. */
function samplesBytes(
  { components, tiles, tile }: Codestream,
  size: Size,
  step: Layout["step"],
  scale: number,
): number {
  const count = components.length;
  const picture = reducedBy([1, 1], scale, size);
  const tileSize = reducedBy(step, scale, tile);
  const group = groupOf(picture, tileSize, count, tiles);
  if (!group) return partBytes(picture, count);
  const across = Math.min(picture.width, tileSize.width * group.width);
  const rows = Math.min(picture.height, tileSize.height * group.height);
  // An area is held besides the tile in it, unless it is one.
  const single = group.width * group.height === 1;
  const ofTile = single ? 0 : Math.min(picture.width, tileSize.width) * Math.min(picture.height, tileSize.height);
  return (across * rows + ofTile) * count * SAMPLE_BYTES + picture.width * rows * pixelBytes(count);
}

function partBytes({ width, height }: Size, count: number): number {
  const part = partOf(width, count);
  const rows = Math.min(height, part.height);
  const samples = (part.width + PART_EDGE) * (rows + PART_EDGE) * count;
  // A region that is less wide is decoded in parts of the same size, or in higher ones.
  return Math.max(PART_BYTES, samples * PART_SAMPLE_BYTES + width * rows * pixelBytes(count));
}
