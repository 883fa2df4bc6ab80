/** The directory of an icon or cursor file, and its largest picture. */
import { ApiError } from "../../../errors.ts";
import { type Bitmap, parseBitmap } from "../bmp/header.ts";
import { isPng } from "../png/chunks.ts";

/** The largest picture of a file: a whole PNG, or a bitmap whose rows are followed by a mask. */
export type Entry =
  | { readonly kind: "png"; readonly bytes: Uint8Array }
  | { readonly kind: "bitmap"; readonly bytes: Uint8Array; readonly bitmap: Bitmap };

const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;
/** Icons with as many pictures do not exist; a directory can say 65,535. */
const MAX_ENTRIES = 1_024;

export const damaged = (cause?: unknown) => new ApiError(422, "The ICO file is damaged or cut short", { cause });

/** Whether the bytes begin as an icon or cursor file with at least one picture does. */
export function isIco(head: Uint8Array): boolean {
  const [first, second, kind, third, low = 0, high = 0] = head;
  return first === 0 && second === 0 && (kind === 1 || kind === 2) && third === 0 && (low | high) !== 0;
}

/** Bytes of the largest bitmap of an icon: 256 x 256 pixels of 32 bits, their mask, a header and a palette. */
const MAX_BITMAP_BYTES = 256 * 256 * 4 + (256 * 256) / 8 + 124 + 1_024;

/** @throws ApiError 422 when there is no picture, or the file ends before one of its pictures does */
export function largestEntry(bytes: Uint8Array): Entry {
  if (bytes.length < HEADER_BYTES || !isIco(bytes)) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const held = Math.floor((bytes.length - HEADER_BYTES) / ENTRY_BYTES);
  const listed = view.getUint16(4, true);
  const count = Math.min(listed, held, MAX_ENTRIES);
  let best: Uint8Array | undefined;
  let bestScore = 0;
  for (let index = 0; index < count; index++) {
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    const from = view.getUint32(at + 12, true);
    const length = view.getUint32(at + 8, true);
    // A list that is longer than the file leads anywhere, and so does a length that no bitmap has.
    if (listed === count && length <= MAX_BITMAP_BYTES && from + length > bytes.length) throw damaged();
    if (from + 24 > bytes.length) continue;
    const content = bytes.subarray(from, Math.min(bytes.length, from + length));
    // 256 does not fit into a byte and is written as 0. Of equals, the one with more colors.
    const score = (bytes[at] || 256) * (bytes[at + 1] || 256) * 64 + depthOf(content);
    if (score > bestScore) [best, bestScore] = [content, score];
  }
  if (!best) throw damaged();
  if (isPng(best)) return { kind: "png", bytes: best };
  return { kind: "bitmap", bytes: best, bitmap: parseBitmap(best, 0) };
}

function depthOf(content: Uint8Array): number {
  return isPng(content) ? 32 : Math.min(32, content[14] ?? 0);
}
