/** The markers of a JPEG 2000 codestream (ITU-T T.800, annex A): all that can be known without decoding. */
import { PARTS } from "../../../limits/parts.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { unusable } from "./boxes.ts";

export interface Component {
  /** Bits of a sample. */
  readonly depth: number;
  readonly signed: boolean;
  /** Places of the reference grid per sample. */
  readonly stepX: number;
  readonly stepY: number;
}

interface Rectangle {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export interface Codestream {
  /** Where the picture lies on the reference grid. */
  readonly image: Rectangle;
  /** The first tile; the others follow it to the right and below. */
  readonly tile: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly components: readonly Component[];
  /** How often every component can be halved. */
  readonly levels: number;
  /** Some component is not kept exactly. */
  readonly lossy: boolean;
  /** Packets come by quality or resolution first, not by position or component. */
  readonly progressive: boolean;
  /** The quantization step of the finest diagonal detail, in levels of a sample; 0 without quantization. */
  readonly finestStep: number;
  readonly tiles: number;
  /** Compressed bytes of the largest tile. */
  readonly tileBytes: number;
  /** What the decoder keeps of the code blocks and packets of a tile, about, their samples left out. */
  readonly recordBytes: number;
}

const MARKER = { siz: 0xff51, cod: 0xff52, coc: 0xff53, qcd: 0xff5c, sot: 0xff90, sod: 0xff93, eoc: 0xffd9 };
/** Reserved markers stand alone: no segment follows them (table A.1). */
const FIRST_RESERVED = 0xff30;
const LAST_RESERVED = 0xff3f;
const MAX_COMPONENTS = 5;
const MAX_DEPTH = 16;
const MAX_STEP = 4;
/** Isot has 16 bits, and 65,535 is no tile (A.4.2). */
const MAX_TILES = 65_535;
/** Packets are what decoding time is spent on when they are empty: pictures of 100 megapixels have 300,000. */
const MAX_PACKETS = 4_000_000;
const TILE_HEADER_BYTES = 12;

/** Coding passes of a bit plane, and bits that a band may have beyond those of samples (table A.19, B.10). */
const PASSES_PER_BIT = 3;
const GUARD_BITS = 8;
/** Styles of code blocks that end a segment with a coding pass: bypass and termination. */
const MANY_SEGMENTS = 1 | 4;
/** Records of OpenJPEG: a code block and its place in tag trees, ten of its segments, and a part of one in a layer. */
const BLOCK_BYTES = 140;
const SEGMENTS_BYTES = 264;
const SEGMENTS_AT_ONCE = 10;
const CHUNK_BYTES = 16;
/** A precinct in all of its bands, and whether a packet was seen. */
const PRECINCT_BYTES = 500;
const PACKET_BYTES = 2;

type Size = Pick<Codestream, "image" | "tile" | "components" | "tiles">;

interface Styles {
  levels: number;
  layers: number;
  lossy: boolean;
  progressive: boolean;
  finestStep: number;
  /** Of each component of a tile. */
  readonly packets: number[];
  readonly recordBytes: number[];
}

/** @throws ApiError 422 when the markers contradict each other, a tile is missing or the codestream is cut short */
export function readCodestream(bytes: Uint8Array): Codestream {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 4 || view.getUint16(2) !== MARKER.siz) throw unusable("has no codestream");
  const size = readSize(view);
  const styles: Styles = {
    levels: 32,
    layers: 1,
    lossy: false,
    progressive: false,
    finestStep: 0,
    packets: size.components.map(() => 0),
    recordBytes: size.components.map(() => 0),
  };
  const start = readStyles(view, 2, size, styles, MARKER.sot);
  if (sumOf(styles.packets) === 0) throw unusable("has no coding style");
  const tileBytes = readTileParts(view, start, size, styles);
  const { levels, lossy, progressive, finestStep, recordBytes } = styles;
  return { ...size, levels, lossy, progressive, finestStep, tileBytes, recordBytes: sumOf(recordBytes) };
}

function readSize(view: DataView): Size {
  const length = segmentLength(view, 2);
  const count = length >= 38 ? view.getUint16(38 + 2) : 0;
  if (count < 1 || length < 38 + 3 * count) throw unusable("has a damaged header");
  if (count > MAX_COMPONENTS) throw unusable("has too many components");
  const [x1, y1, x0, y0, width, height, x, y] = Array.from({ length: 8 }, (_, index) =>
    view.getUint32(8 + index * 4),
  ) as [number, number, number, number, number, number, number, number];
  const components = Array.from({ length: count }, (_, index) => readComponent(view, 42 + index * 3));
  if (x0 >= x1 || y0 >= y1 || width < 1 || height < 1) throw unusable("has no pixels");
  if (x > x0 || y > y0 || x + width <= x0 || y + height <= y0) throw unusable("has misplaced tiles");
  if (x1 > 0x7fff_ffff || y1 > 0x7fff_ffff) throw unusable("is too large");
  const tiles = Math.ceil((x1 - x) / width) * Math.ceil((y1 - y) / height);
  if (tiles > MAX_TILES) throw unusable("has too many tiles");
  return { image: { x0, y0, x1, y1 }, tile: { x, y, width, height }, components, tiles };
}

function readComponent(view: DataView, at: number): Component {
  const depth = (view.getUint8(at) & 0x7f) + 1;
  const [stepX, stepY] = [view.getUint8(at + 1), view.getUint8(at + 2)];
  if (depth > MAX_DEPTH) throw unusable("has more than 16 bits a sample");
  if (stepX < 1 || stepY < 1 || stepX > MAX_STEP || stepY > MAX_STEP) throw unusable("has an unsupported subsampling");
  return { depth, signed: view.getUint8(at) >= 0x80, stepX, stepY };
}

/** Reads marker segments until `last`; returns where that is. */
function readStyles(view: DataView, from: number, size: Size, styles: Styles, last: number): number {
  let count = 0;
  for (let at = from; at + 2 <= view.byteLength;) {
    const marker = view.getUint16(at);
    if (marker === last) return at;
    if (++count > PARTS.markers.most) throw tooManyParts(PARTS.markers);
    if (marker < 0xff00) throw unusable("has a damaged header");
    if (marker >= FIRST_RESERVED && marker <= LAST_RESERVED) {
      at += 2;
      continue;
    }
    const length = segmentLength(view, at);
    if (marker === MARKER.cod && length >= 12) readCodingStyle(view, at + 4, at + 2 + length, size, styles);
    if (marker === MARKER.coc && length >= 9) readComponentStyle(view, at + 4, at + 2 + length, size, styles);
    if (marker === MARKER.qcd && length >= 4) readQuantization(view, at + 4, length - 2, size, styles);
    at += 2 + length;
  }
  throw unusable("is cut short");
}

function readCodingStyle(view: DataView, at: number, end: number, size: Size, styles: Styles): void {
  styles.layers = Math.max(styles.layers, view.getUint16(at + 2));
  styles.progressive ||= view.getUint8(at + 1) <= 2;
  const components = size.components.map((_, component) => component);
  readBlocks(view, at + 5, end, (view.getUint8(at) & 1) === 1, size, styles, components);
}

function readComponentStyle(view: DataView, at: number, end: number, size: Size, styles: Styles): void {
  const component = view.getUint8(at);
  if (component >= size.components.length) throw unusable("has a damaged header");
  readBlocks(view, at + 2, end, (view.getUint8(at + 1) & 1) === 1, size, styles, [component]);
}

/**
 * Levels, code blocks and precincts (tables A.15, A.20), which begin at `at`. A code block is never larger than its
 * precinct (B.7), so that low precincts make many blocks of a row each.
 */
function readBlocks(
  view: DataView,
  at: number,
  end: number,
  hasPrecincts: boolean,
  size: Size,
  styles: Styles,
  components: readonly number[],
): void {
  const levels = view.getUint8(at);
  const [blockWidth, blockHeight] = [view.getUint8(at + 1) + 2, view.getUint8(at + 2) + 2];
  if (levels > 32 || blockWidth + blockHeight > 12 || (hasPrecincts && at + 5 + levels >= end))
    throw unusable("has a damaged header");
  const { width, height } = size.tile;
  const { x0, y0, x1, y1 } = size.image;
  const [tileWidth, tileHeight] = [Math.min(width, x1 - x0), Math.min(height, y1 - y0)];
  let [precincts, blocks] = [0, 0];
  for (let resolution = 0; resolution <= levels; resolution++) {
    const scale = 2 ** (levels - resolution);
    const bits = hasPrecincts ? view.getUint8(at + 5 + resolution) : 0xff;
    const [across, down] = [bits & 15, bits >> 4];
    precincts += Math.ceil(tileWidth / scale / 2 ** across) * Math.ceil(tileHeight / scale / 2 ** down);
    // Above the lowest resolution there are three bands of half its sides. Where tiles begin, blocks may be divided.
    const half = resolution > 0 ? 1 : 0;
    const columns = 1 + Math.ceil(tileWidth / scale / 2 ** (half + Math.min(blockWidth, Math.max(0, across - half))));
    const rows = 1 + Math.ceil(tileHeight / scale / 2 ** (half + Math.min(blockHeight, Math.max(0, down - half))));
    blocks += columns * rows * (half ? 3 : 1);
  }
  const packets = precincts * styles.layers;
  for (const component of components) {
    const passes = PASSES_PER_BIT * ((size.components[component]?.depth ?? MAX_DEPTH) + GUARD_BITS);
    const segments = view.getUint8(at + 3) & MANY_SEGMENTS ? passes : 1;
    const blockBytes =
      BLOCK_BYTES + Math.ceil(segments / SEGMENTS_AT_ONCE) * SEGMENTS_BYTES + styles.layers * CHUNK_BYTES;
    const bytes = blocks * blockBytes + precincts * PRECINCT_BYTES + packets * PACKET_BYTES;
    styles.recordBytes[component] = Math.max(styles.recordBytes[component] ?? 0, bytes);
    styles.packets[component] = Math.max(styles.packets[component] ?? 0, packets);
  }
  if (sumOf(styles.packets) * size.tiles > MAX_PACKETS) throw unusable("has too many packets");
  styles.levels = Math.min(styles.levels, levels);
  styles.lossy ||= view.getUint8(at + 4) === 0;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function readQuantization(view: DataView, at: number, length: number, size: Size, styles: Styles): void {
  const style = view.getUint8(at) & 31;
  if (style === 0) return;
  const bands = Math.floor((length - 1) / 2);
  if (bands < 1) throw unusable("has a damaged header");
  // Derived steps all follow from the first; those that are given end with the finest diagonal detail.
  const value = view.getUint16(at + 1 + (style === 1 ? 0 : (bands - 1) * 2));
  const depth = size.components[0]?.depth ?? 8;
  const exponent = (value >> 11) - (style === 1 ? styles.levels - 1 : 0);
  styles.finestStep = 2 ** (depth - exponent) * (1 + (value & 2047) / 2048);
}

/**
 * Checks that every part of every tile is there, as long as it says, and in its order. Returns the bytes of the largest
 * tile. One part more than a tile announces is accepted: files of Adobe Acrobat announce one too few.
 */
function readTileParts(view: DataView, start: number, size: Size, styles: Styles): number {
  // By tile, of which a file may have 65,535, each in 255 parts.
  const bytes = new Float64Array(size.tiles);
  const seen = new Uint16Array(size.tiles);
  // How many the tile says to have; 0 while it says nothing.
  const announced = new Uint8Array(size.tiles);
  let at = start;
  while (at + TILE_HEADER_BYTES <= view.byteLength && view.getUint16(at) === MARKER.sot) {
    const tile = view.getUint16(at + 4);
    const length = view.getUint32(at + 6) || view.byteLength - at;
    if (tile >= size.tiles || length < TILE_HEADER_BYTES) throw unusable("has a damaged tile");
    if (length > view.byteLength - at) throw unusable("is cut short");
    const isBare = length >= TILE_HEADER_BYTES + 2 && view.getUint16(at + TILE_HEADER_BYTES) === MARKER.sod;
    if (length > TILE_HEADER_BYTES && !isBare) {
      const part = new DataView(view.buffer, view.byteOffset + at, length);
      readStyles(part, TILE_HEADER_BYTES, size, styles, MARKER.sod);
    }
    const number = view.getUint8(at + 10);
    announced[tile] = Math.max(announced[tile]!, view.getUint8(at + 11));
    if (number !== seen[tile] || (announced[tile] > 0 && number > announced[tile])) {
      throw unusable("has a damaged tile");
    }
    bytes[tile]! += length;
    seen[tile]!++;
    at += length;
  }
  // The end marker alone may be missing.
  if (at + 2 <= view.byteLength && view.getUint16(at) !== MARKER.eoc) throw unusable("has a damaged tile");
  if (seen.some((parts, tile) => parts === 0 || parts < announced[tile]!)) throw unusable("is cut short");
  return bytes.reduce((most, of) => Math.max(most, of), 0);
}

/** The length of the segment of the marker at `at`, without the marker; all of it is there. */
function segmentLength(view: DataView, at: number): number {
  const length = at + 4 <= view.byteLength ? view.getUint16(at + 2) : 0;
  if (length < 2 || at + 2 + length > view.byteLength) throw unusable("is cut short");
  return length;
}
