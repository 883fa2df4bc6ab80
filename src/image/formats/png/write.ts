/** Writes still pictures. */
import { COLOR_TYPE, type FilterStrategy, openPngWriter, pngWriterPeakBytes } from "../../../../wasm/pixels/png.ts";
import type { Size } from "../../geometry.ts";
import { firstFrame, type Picture } from "../../picture.ts";
import { makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import { bandsOfPixels, bandsOfRows, lookAt, type Representation } from "./representation.ts";

/** How hard to try: the level of deflate (2 to 12), and the ways to choose filters that are tried on a sample. */
export interface Tuning {
  readonly level: number;
  readonly strategies: readonly [FilterStrategy, ...FilterStrategy[]];
}

/** Enough to tell strategies apart. */
const TRIAL_LEVEL = 4;
const ALL: Tuning["strategies"] = ["none", "sub", "sum", "entropy", "bigrams"];
const SOME: Tuning["strategies"] = ["none", "sum", "bigrams"];

/** Effort buys near-optimal parsing while pictures are small: it takes a second or two per megapixel. */
export function tuningFor(pixels: number, effort: number): Tuning {
  const megapixels = pixels / 1_000_000;
  if (effort < 0.25) return { level: 5, strategies: SOME };
  if (megapixels < 0.3 * effort) return { level: 12, strategies: ALL };
  if (megapixels < 2 * effort) return { level: effort > 0.75 ? 12 : 9, strategies: ALL };
  return { level: effort > 0.75 ? 9 : 7, strategies: SOME };
}

/** The file of a still picture, pixels exact. */
export function writeStill(picture: Picture, effort: number): Uint8Array {
  const { width, height } = picture;
  const { representation, sample } = lookAt(picture);
  const { level, strategies } = tuningFor(width * height, effort);
  const strategy = bestStrategy(representation, sample, width, strategies);
  const whole = sample.length === width * height * 4;
  const bands = whole ? bandsOfPixels(sample, width) : bandsOfRows(firstFrame(picture));
  const data = compress(representation, { width, height }, bands, strategy, level);
  return joined([
    SIGNATURE,
    ...headerChunks(representation, picture),
    ...data.map((piece) => makeChunk(TYPE.IDAT, piece)),
    makeChunk(TYPE.IEND),
  ]);
}

/** Bytes of memory that `writeStill` holds at most: a photograph takes about half of its raw size, for a moment twice. */
export function stillPeakBytes({ width, height, opaque }: Size & { opaque: boolean }, effort: number): number {
  const raw = width * height * (opaque ? 3 : 4);
  return Math.ceil(raw * 1.2) + (4 << 20) + pngWriterPeakBytes(width, tuningFor(width * height, effort).level);
}

/** The strategy that makes the sample smallest. */
export function bestStrategy(
  representation: Representation,
  sample: Uint8Array,
  width: number,
  strategies: Tuning["strategies"],
): FilterStrategy {
  const height = sample.length / (width * 4);
  let best = strategies[0];
  let least = Infinity;
  for (const strategy of strategies.length > 1 ? strategies : []) {
    const pieces = compress(representation, { width, height }, bandsOfPixels(sample, width), strategy, TRIAL_LEVEL);
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes < least) [best, least] = [strategy, bytes];
  }
  return best;
}

/** The compressed pixels, in pieces. */
export function compress(
  representation: Representation,
  { width, height }: Size,
  bands: Iterable<Uint8Array>,
  strategy: FilterStrategy,
  level: number,
): Uint8Array[] {
  const writer = openPngWriter({ ...representation, width, strategy, level });
  const pieces: Uint8Array[] = [];
  let rows = 0;
  try {
    for (const band of bands) {
      rows += band.length / (width * 4);
      const piece = writer.write(band, rows === height);
      if (piece.length > 0) pieces.push(piece);
    }
    return pieces;
  } finally {
    writer.close();
  }
}

/** IHDR, PLTE and tRNS. */
export function headerChunks({ type, depth, palette }: Representation, { width, height }: Size): Uint8Array[] {
  const header = new Uint8Array(13);
  viewOf(header).setUint32(0, width);
  viewOf(header).setUint32(4, height);
  header.set([depth, type], 8);
  const chunks = [makeChunk(TYPE.IHDR, header)];
  if (type !== COLOR_TYPE.palette || !palette) return chunks;
  const colors = palette.length / 4;
  const rgb = Uint8Array.from({ length: colors * 3 }, (_, at) => palette[Math.floor(at / 3) * 4 + (at % 3)]!);
  const alpha = Uint8Array.from({ length: colors }, (_, index) => palette[index * 4 + 3]!);
  const translucent = alpha.findLastIndex((value) => value < 255) + 1;
  chunks.push(makeChunk(TYPE.PLTE, rgb));
  if (translucent > 0) chunks.push(makeChunk(TYPE.tRNS, alpha.subarray(0, translucent)));
  return chunks;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
