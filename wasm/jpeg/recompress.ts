/** A smaller file of the same picture, from its coefficients: no pixels, no generation loss by color conversion. */
import { parallel, held, type Estimate, estimated, times } from "../estimate.ts";
import type { Pieces } from "../pieces.ts";
import {
  blockBytesOf,
  blockNanoseconds,
  blocksIn,
  type Layout,
  PHOTOGRAPH_BLOCK_BYTES,
  scanNanoseconds,
} from "./blocks.ts";
import { codedEstimate } from "./decoder-handle.ts";
import { qualityToDistance } from "./encoder.ts";
import type { JpegExports } from "./exports.ts";
import type { JpegComponent, JpegHeader } from "./header.ts";
import { closeSinks, closeSource, type JpegInstance, jpegModule, openSink, openSource } from "./instance.ts";
import { WRITTEN_BLOCKS, writingEstimate, writtenMs } from "./writing.ts";

/** First transposed, then mirrored left to right, then top to bottom. */
export interface Turn {
  readonly transpose: boolean;
  readonly flipX: boolean;
  readonly flipY: boolean;
}

/** Square tiles of a picture, side by side. */
interface Tiles {
  /** Pixels; a multiple of 32. */
  readonly side: number;
  /** Tiles in a row of the result; divides their number. */
  readonly across: number;
  /** Where they lie in the picture, multiples of 32; they lie in it entirely. */
  readonly places: readonly { readonly x: number; readonly y: number }[];
}

export interface RecompressOptions {
  /**
   * On the encoder's scale: coefficients are divided by what the encoder would use for that quality, wherever that is
   * coarser than the file. Absent: the coefficients of the result are those of the file.
   */
  readonly quality?: number;
  readonly progressive: boolean;
  /** How the picture is turned; `canTurn` tells whether it can be. As it lies by default. */
  readonly turn?: Turn;
  /** The result is not the picture but tiles of it. */
  readonly tiles?: Tiles;
  /** ICC profile to embed. No other metadata is kept. */
  readonly profile?: Uint8Array;
  /**
   * Coefficients are not held but read twice, or once more for every window of a file of several scans. Takes longer,
   * and little memory, whatever the picture; it cannot be turned.
   */
  readonly streamed?: boolean;
  /** Bytes of coefficients held at a time, for files of several scans; a larger file is read several times. */
  readonly windowBytes?: number;
  /** Bytes that a block is coded in, by which work is declared; those of a photograph by default. */
  readonly blockBytes?: number;
}

/** Coefficients held at a time, unless the caller says otherwise. */
const WINDOW_BYTES = 48 << 20;
/** Blocks that are read, or turned, at a time. */
const READ_BLOCKS = 10_000;
const TURNED_BLOCKS = 30_000;
/** What native code says of a piece of a pass in which scans of several were read, and no blocks packed. */
const SCANS_READ = 1;
/** The part of the bytes of a file that is left where its coefficients are divided, on average. */
const DIVIDED_PART = 0.5;
/** Nanoseconds that a block takes to be turned. */
const TURN_NANOSECONDS = 60;
const TURNED_MS = (TURNED_BLOCKS * TURN_NANOSECONDS) / 1e6;
/** A block of packed coefficients: map and DC, and at most two bytes for each other coefficient. */
const MAP_BYTES = 8;
const DC_BYTES = 2;
const PACKED_BLOCK_BYTES_MAX = 136;
/** Packed bytes for a byte of a file: a coefficient takes one byte, and no less than two bits of a Huffman code. */
const PACKED_PER_FILE_BYTE = 4;
const RECOMPRESSOR_BYTES = 300_000;
/** The output window of each scan of a streamed file, and how many are written. */
const STREAMED_SCAN_BYTES = 66_000;
const STREAMED_SCANS_PER_COMPONENT = 5;
/** Outputs of a streamed file: one for its head, one for each scan. */
const SINKS = 21;

/**
 * Whether a picture can be turned as a whole: a last MCU that lies partly beyond the edge can only be mirrored to where
 * it would have to be the first.
 */
export function canTurn({ width, height, components }: JpegHeader, { transpose, flipX, flipY }: Turn): boolean {
  const alone = components.length === 1;
  const unit = (factor: (component: JpegComponent) => number) => 8 * (alone ? 1 : Math.max(...components.map(factor)));
  const wholeX = width % unit(({ h }) => h) === 0;
  const wholeY = height % unit(({ v }) => v) === 0;
  return (wholeX || !(transpose ? flipY : flipX)) && (wholeY || !(transpose ? flipX : flipY));
}

/**
 * Work of which NativeError is thrown when the bytes are damaged or of a kind that has no such coefficients (lossless,
 * 12 bits).
 */
export function* recompress(bytes: Uint8Array, options: RecompressOptions): Pieces<Uint8Array> {
  const instance = jpegModule.acquire();
  const sinks = Array.from({ length: options.streamed ? SINKS : 1 }, () => openSink(instance));
  let pointer = 0;
  try {
    pointer = instance.run((exports) => exports.recompressor_new(sinks[0]!));
    prepare(instance, pointer, options);
    yield* read(instance, pointer, bytes, options);
    if (!options.streamed) yield* write(instance, pointer, options);
    return closeSinks(instance, sinks);
  } finally {
    closeSinks(instance, sinks);
    try {
      if (pointer && !instance.broken) instance.run((exports) => exports.recompressor_close(pointer));
    } finally {
      jpegModule.release(instance);
    }
  }
}

function prepare(instance: JpegInstance, pointer: number, { profile, tiles }: RecompressOptions): void {
  instance.run((exports) => {
    if (profile) instance.bytes(exports.recompressor_profile(pointer, profile.length), profile.length).set(profile);
    if (tiles) placeTiles(instance, pointer, tiles);
  });
}

function* read(instance: JpegInstance, pointer: number, bytes: Uint8Array, options: RecompressOptions): Pieces<void> {
  const { quality, progressive, streamed, windowBytes = WINDOW_BYTES, blockBytes } = options;
  const distance = quality === undefined ? 0 : qualityToDistance(quality);
  const begin = (exports: JpegExports, source: number, pass: number) =>
    streamed
      ? exports.recompressor_stream(pointer, source, pass, distance, windowBytes, progressive ? 1 : 0)
      : exports.recompressor_read(pointer, source, pass, distance, windowBytes);
  const packing = blockNanoseconds("read", blockBytes) + packNanoseconds(options);
  const scanning = scanNanoseconds(blockBytes);
  for (let pass = 0, passes = 1; pass < passes; pass++) {
    const source = openSource(instance, bytes);
    try {
      passes = instance.run((exports) => begin(exports, source, pass));
      for (;;) {
        const done = instance.run((exports) => exports.recompressor_step(pointer, READ_BLOCKS));
        if (done === 0) break;
        yield (READ_BLOCKS * (done === SCANS_READ ? scanning : packing)) / 1e6;
      }
    } finally {
      closeSource(instance, source);
    }
  }
}

function* write(instance: JpegInstance, pointer: number, options: RecompressOptions): Pieces<void> {
  const { progressive, turn } = options;
  if (turn) {
    const [transpose, flipX, flipY] = [Number(turn.transpose), Number(turn.flipX), Number(turn.flipY)];
    yield* repeated(instance, TURNED_MS, (exports) =>
      exports.recompressor_turn(pointer, transpose, flipX, flipY, TURNED_BLOCKS),
    );
  }
  yield* repeated(instance, writtenMs(writtenBytes(options)), (exports) =>
    exports.recompressor_write(pointer, progressive ? 1 : 0, WRITTEN_BLOCKS),
  );
}

/** Calls native code until it says that there is no more to be done. */
function* repeated(instance: JpegInstance, ms: number, piece: (exports: JpegExports) => number): Pieces<void> {
  while (instance.run(piece) !== 0) yield ms;
}

function placeTiles(instance: JpegInstance, pointer: number, { side, across, places }: Tiles): void {
  const address = instance.exports.recompressor_tiles(pointer, places.length, across, side);
  const numbers = Uint32Array.from(places.flatMap(({ x, y }) => [x, y]));
  instance.bytes(address, numbers.byteLength).set(new Uint8Array(numbers.buffer));
}

/** The estimate of recompression of a file of `fileBytes`; the result comes on top. */
export function recompressEstimate(
  header: Layout,
  fileBytes: number,
  { windowBytes = WINDOW_BYTES, turn, streamed = false, quality, progressive = true }: RecompressCost = {},
): Estimate {
  const { components, multipleScans } = header;
  const maxH = Math.max(...components.map(({ h }) => h));
  const maxV = Math.max(...components.map(({ v }) => v));
  const unitsX = Math.ceil(header.width / (8 * maxH));
  const unitsY = Math.ceil(header.height / (8 * maxV));
  const perUnit = components.reduce((sum, { h, v }) => sum + h * v, 0);
  const blocks = blocksIn(header);
  const blockBytes = blockBytesOf(header);
  const most = blocks * PACKED_BLOCK_BYTES_MAX;
  const rows = RECOMPRESSOR_BYTES + unitsX * PACKED_BLOCK_BYTES_MAX * perUnit + unitsY * 64 * components.length;
  // Files of several scans take the window, and maps of the rest.
  const windows = multipleScans ? Math.floor(most / windowBytes) + 1 : 0;
  const window = multipleScans ? blocks * MAP_BYTES + most / windows : 0;
  const passes = Math.max(1, windows) + (streamed ? 1 : 0);
  const work = parallel(
    times(passes, codedEstimate(header)),
    estimated(0, blocks * (streamed ? 2 : 1), packNanoseconds({ quality, blockBytes })),
    estimated(0, turn ? blocks : 0, TURN_NANOSECONDS),
    writingEstimate({
      blocks,
      blockBytes: writtenBytes({ quality, blockBytes }),
      components: components.length,
      progressive,
    }),
  );
  if (streamed) {
    const scans = components.length * STREAMED_SCANS_PER_COMPONENT * STREAMED_SCAN_BYTES;
    // Two rows of MCUs at a time: as they come, and packed.
    const twoRows = 2 * unitsX * perUnit * PACKED_BLOCK_BYTES_MAX;
    return parallel(work, held(rows + scans + window + blocks * DC_BYTES + twoRows));
  }
  const packed = packedBytes(blocks, fileBytes);
  // A row or a column of the source and of the result; transposing holds both pictures.
  const turning = turn ? Math.max(unitsX * maxH, unitsY * maxV) * 512 + (turn.transpose ? packed : 0) : 0;
  // In the last pass: the window, and what earlier passes packed.
  const read = window + blocks * DC_BYTES + (windows > 0 ? (packed * (windows - 1)) / windows : 0);
  return parallel(work, held(rows + Math.max(packed + turning, read)));
}

interface Divided {
  readonly quality?: number | undefined;
  readonly blockBytes?: number | undefined;
}

/** Nanoseconds that a block takes to be packed, and to be divided where that is asked for. */
function packNanoseconds({ quality, blockBytes }: Divided): number {
  const packing = blockNanoseconds("pack", blockBytes);
  return packing + (quality === undefined ? 0 : blockNanoseconds("divide", blockBytes));
}

/** Bytes that a block takes in the result. */
function writtenBytes({ quality, blockBytes = PHOTOGRAPH_BLOCK_BYTES }: Divided): number {
  return blockBytes * (quality === undefined ? 1 : DIVIDED_PART);
}

type RecompressCost = Partial<Pick<RecompressOptions, "windowBytes" | "turn" | "streamed" | "quality" | "progressive">>;

function packedBytes(blocks: number, fileBytes: number): number {
  return Math.min(blocks * PACKED_BLOCK_BYTES_MAX, blocks * (MAP_BYTES + DC_BYTES) + fileBytes * PACKED_PER_FILE_BYTE);
}
