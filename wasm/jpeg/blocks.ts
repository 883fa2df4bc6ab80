/**
 * What the blocks of a JPEG file take of the processor: more, the more bytes they are coded in. Soft pictures and low
 * qualities leave few coefficients, and each of them is what is read, divided and written.
 */
import type { JpegHeader } from "./header.ts";

/** What of a header estimates depend on; without the bytes that are coded it is taken for a photograph. */
export type Layout = Pick<JpegHeader, "width" | "height" | "precision" | "components" | "multipleScans"> &
  Partial<Pick<JpegHeader, "codedBytes">>;

/** Bytes that a block of a photograph takes at usual qualities. */
export const PHOTOGRAPH_BLOCK_BYTES = 5.5;
/** The most that blocks take in files that hold nothing else; other programs append films and further pictures. */
const MOST_BLOCK_BYTES = 20;

/** Nanoseconds of a block, and of each byte that it is coded in. */
interface Rate {
  readonly block: number;
  readonly byte: number;
}

const RATES = {
  /** Reading the entropy-coded data of a file of one scan. */
  read: { block: 10, byte: 10 },
  /** The same over all scans of a file of several. */
  readScans: { block: 20, byte: 28 },
  pack: { block: 45, byte: 0 },
  /** Dividing anew by the trellis. */
  divide: { block: 100, byte: 20 },
  /** Transforming pixels and weighing their coefficients, by bytes of the result; and rounding in place of weighing. */
  weigh: { block: 200, byte: 55 },
  round: { block: 110, byte: 27 },
  /** Counting or writing a block of a result, in one scan. */
  write: { block: 4, byte: 4.8 },
} as const satisfies Record<string, Rate>;

/** Nanoseconds that a block of so many bytes takes. */
export function blockNanoseconds(work: keyof typeof RATES, bytes = PHOTOGRAPH_BLOCK_BYTES): number {
  const { block, byte } = RATES[work];
  return block + byte * bytes;
}

/** Scans of a file of ten in which a block is read, on average. */
const SCANS_OF_BLOCK = 4.4;

/** Nanoseconds that a block takes in one scan of several, or to be passed over. */
export function scanNanoseconds(bytes?: number): number {
  return blockNanoseconds("readScans", bytes) / SCANS_OF_BLOCK;
}

/** Blocks of all components, those included that fill up the last units. */
export function blocksIn({ width, height, components }: Pick<Layout, "width" | "height" | "components">): number {
  const maxH = Math.max(...components.map(({ h }) => h));
  const maxV = Math.max(...components.map(({ v }) => v));
  const perUnit = components.reduce((sum, { h, v }) => sum + h * v, 0);
  return Math.ceil(width / (8 * maxH)) * Math.ceil(height / (8 * maxV)) * perUnit;
}

/** Bytes that a block is coded in, on average. */
export function blockBytesOf(layout: Layout): number {
  const { codedBytes } = layout;
  return codedBytes === undefined ? PHOTOGRAPH_BLOCK_BYTES : Math.min(MOST_BLOCK_BYTES, codedBytes / blocksIn(layout));
}
