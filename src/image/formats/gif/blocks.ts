/** The blocks of a GIF file that is being written (GIF89a specification). */
import type { Rectangle } from "../../../../wasm/gif/reader.ts";
import { joined } from "../../../joined.ts";
import type { Size } from "../../pixels/geometry.ts";

/** What becomes of a frame before the next is drawn, as the graphic control block counts it. */
const DISPOSAL = { keep: 1, clear: 2, restore: 3 } as const;
export type Disposal = keyof typeof DISPOSAL;

export const TRAILER = Uint8Array.of(0x3b);

const MAX_UINT16 = 0xffff;

/** Bits of an index into a palette, at least 2 as LZW wants it. */
export function indexBits(colors: number): number {
  return Math.max(2, Math.ceil(Math.log2(Math.max(2, colors))));
}

/** Signature and logical screen, with a palette (RGBA, alpha ignored) unless it is null. */
export function header({ width, height }: Size, palette: Uint8Array | null): Uint8Array {
  const bytes = new Uint8Array(13);
  bytes.set([0x47, 0x49, 0x46, 0x38, 0x39, 0x61]);
  bytes.set([...uint16(width), ...uint16(height), palette ? 0xf0 | tableSize(palette) : 0x70], 6);
  return palette ? joined([bytes, colorTable(palette)]) : bytes;
}

/** Netscape's extension: how often the animation plays, 0 for ever. Nothing for an animation that plays once. */
export function loopExtension(loops: number): Uint8Array {
  if (loops === 1) return new Uint8Array(0);
  // It counts repetitions: an animation plays once more than it says.
  const repetitions = loops === 0 ? 0 : Math.min(MAX_UINT16, loops - 1);
  return Uint8Array.of(0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, ...uint16(repetitions), 0);
}

/** Delay, disposal and the transparent index (-1 for none). */
export function graphicControl(delayMs: number, disposal: Disposal | null, transparent: number): Uint8Array {
  const flags = ((disposal ? DISPOSAL[disposal] : 0) << 2) | (transparent >= 0 ? 1 : 0);
  const hundredths = Math.min(MAX_UINT16, Math.round(delayMs / 10));
  return Uint8Array.of(0x21, 0xf9, 4, flags, ...uint16(hundredths), Math.max(0, transparent), 0);
}

/** Where a frame lies, with its own palette unless it is null. */
export function imageDescriptor({ x, y, width, height }: Rectangle, palette: Uint8Array | null): Uint8Array {
  const place = [x, y, width, height].flatMap(uint16);
  const bytes = Uint8Array.of(0x2c, ...place, palette ? 0x80 | tableSize(palette) : 0);
  return palette ? joined([bytes, colorTable(palette)]) : bytes;
}

/** The first index of a palette (RGBA) that is fully transparent, or -1. */
export function transparentIn(palette: Uint8Array): number {
  for (let index = 0; index < palette.length / 4; index++) if (palette[index * 4 + 3] === 0) return index;
  return -1;
}

/** Bytes that parts of a file have together. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** The number in the header for a table that holds the palette: 2^(n + 1) colors. */
function tableSize(palette: Uint8Array): number {
  return Math.max(0, Math.ceil(Math.log2(palette.length / 4)) - 1);
}

function colorTable(palette: Uint8Array): Uint8Array {
  const table = new Uint8Array(3 << (tableSize(palette) + 1));
  for (let index = 0; index < palette.length / 4; index++) {
    table.set(palette.subarray(index * 4, index * 4 + 3), index * 3);
  }
  return table;
}

function uint16(value: number): [number, number] {
  return [value & 255, value >> 8];
}

function ascii(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}
