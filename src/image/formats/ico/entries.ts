/** The directory of an icon or cursor file, and its largest picture. */
import { ApiError } from "../../../errors.ts";
import { type Bitmap, parseBitmap, strideOf } from "../bmp/header.ts";
import { Chunks, isPng, TYPE } from "../png/chunks.ts";

/** The largest picture of a file: a whole PNG, or a bitmap whose rows are followed by a mask. */
export type Entry =
  | { readonly kind: "png"; readonly bytes: Uint8Array }
  | { readonly kind: "bitmap"; readonly bytes: Uint8Array; readonly bitmap: Bitmap };

export const HEADER_BYTES = 6;
export const ENTRY_BYTES = 16;
/** Icons with as many pictures do not exist; a directory can say 65,535. */
const MAX_ENTRIES = 1_024;

export const damaged = (cause?: unknown) => new ApiError(422, "The ICO file is damaged or cut short", { cause });

/** Whether the bytes begin as an icon or cursor file with at least one picture does. */
export function isIco(head: Uint8Array): boolean {
  const [first, second, kind, third, low = 0, high = 0] = head;
  return first === 0 && second === 0 && (kind === 1 || kind === 2) && third === 0 && (low | high) !== 0;
}

/** Pictures whose length may be wrong and is looked for in themselves: many of one PNG file would take long. */
const MAX_MISCOUNTED = 16;
/** Bytes of the largest bitmap of an icon: 256 x 256 pixels of 32 bits, their mask, a header and a palette. */
const MAX_BITMAP_BYTES = 256 * 256 * 4 + (256 * 256) / 8 + 124 + 1_024;

/**
 * What the directory counts of bytes may be wrong: pictures say themselves where they end.
 * @throws ApiError 422 when there is no picture, or the file ends before one of its pictures does
 */
export function largestEntry(bytes: Uint8Array): Entry {
  if (bytes.length < HEADER_BYTES || !isIco(bytes)) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const held = Math.floor((bytes.length - HEADER_BYTES) / ENTRY_BYTES);
  const listed = view.getUint16(4, true);
  const count = Math.min(listed, held, MAX_ENTRIES);
  let best: { readonly from: number; readonly length: number } | undefined;
  let bestScore = 0;
  let miscounted = 0;
  for (let index = 0; index < count; index++) {
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    const from = view.getUint32(at + 12, true);
    const length = view.getUint32(at + 8, true);
    // A list that is longer than the file leads anywhere, and so does a length that no bitmap has.
    const isMiscounted = listed === count && length <= MAX_BITMAP_BYTES && from + length > bytes.length;
    if (isMiscounted && (++miscounted > MAX_MISCOUNTED || !isWhole(bytes.subarray(from)))) throw damaged();
    if (from + 24 > bytes.length) continue;
    // 256 does not fit into a byte and is written as 0. Of equals, the one with more colors.
    const score = (bytes[at] || 256) * (bytes[at + 1] || 256) * 64 + depthOf(bytes.subarray(from));
    if (score > bestScore) [best, bestScore] = [{ from, length }, score];
  }
  if (!best) throw damaged();
  // A PNG file says itself where it ends.
  const rest = bytes.subarray(best.from);
  return isPng(rest) ? { kind: "png", bytes: rest } : bitmapIn(rest, best.length);
}

/** Whether the picture that `rest` begins with, a mask included, ends within it. */
function isWhole(rest: Uint8Array): boolean {
  if (isPng(rest)) {
    const chunks = new Chunks(rest);
    while (chunks.next()) if (chunks.type === TYPE.IEND) return !chunks.isCut;
    return false;
  }
  try {
    const bitmap = parseBitmap(rest, 0, "icon");
    return pixelsEndOf(bitmap) + maskBytesOf(bitmap) <= rest.length;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The bitmap that `rest` begins with: where the directory counts too few bytes, those that its header asks for. */
function bitmapIn(rest: Uint8Array, length: number): Entry {
  const bitmap = parseBitmap(rest, 0, "icon");
  // Pixels of 32 bits have alpha: their mask is not always there.
  const least = pixelsEndOf(bitmap) + (bitmap.bits === 32 ? 0 : maskBytesOf(bitmap));
  return { kind: "bitmap", bytes: rest.subarray(0, Math.max(length, least)), bitmap };
}

function pixelsEndOf(bitmap: Bitmap): number {
  return bitmap.dataOffset + strideOf(bitmap) * bitmap.height;
}

function maskBytesOf({ width, height }: Bitmap): number {
  return strideOf({ width, bits: 1 }) * height;
}

function depthOf(content: Uint8Array): number {
  return isPng(content) ? 32 : Math.min(32, content[14] ?? 0);
}
