/**
 * RLE8, RLE4 and RLE24 of OS/2. Rows are stored from the bottom and codes have no fixed length: one pass notes where
 * each row's codes begin, then any row can be expanded on its own, and no picture of indices is held.
 */
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { type Bitmap, damaged, OPAQUE_BLACK } from "./header.ts";

/** Bytes held per row of a picture. */
export const ROW_BYTES = 8;

/** Looking at a code without expanding it. */
const CODE_MS = 5e-6;
/** Codes between two pauses: about 5 ms. */
const CODES_AT_A_TIME = 1 << 20;

/** What may follow the mark of the end as padding. More than that belongs to rows, of which a part is gone. */
const MOST_LEFT_BYTES = 8;

const END_OF_ROW = 0;
const END_OF_BITMAP = 1;
const DELTA = 2;

/** Writes a stored row as RGBA pixels; what no code paints has the first color. */
export type Expand = (target: Uint32Array, row: number) => void;

/** @throws ApiError 422 when the codes end before the bitmap does */
export async function runLengthRows(bytes: Uint8Array, bitmap: Bitmap, timeSlice: TimeSlice): Promise<Expand> {
  const { width, height, palette, bits } = bitmap;
  const { starts, columns } = await survey(bytes, bitmap, timeSlice);
  const color = colorReader(bytes, bitmap);
  const runBytes = runBytesOf(bits);
  const background = bits === 24 ? OPAQUE_BLACK : palette[0]!;
  return (target, row) => {
    target.fill(background);
    const start = starts[row]!;
    if (start === 0 || row >= height) return;
    let x = columns[row]!;
    for (let at = start; at + 1 < bytes.length;) {
      const count = bytes[at]!;
      const code = bytes[at + 1]!;
      at += 2;
      if (count > 0) {
        // A run of nibbles is two colors in turn.
        const [first, second] = [color(at - 1, 0), color(at - 1, bits === 4 ? 1 : 0)];
        const end = Math.min(width, x + count);
        for (let from = x; x < end; x++) target[x] = (x - from) & 1 ? second : first;
        at += runBytes - 1;
      } else if (code > DELTA) {
        const end = Math.min(width, x + code);
        for (let index = 0; x < end; x++, index++) target[x] = color(at, index);
        at += literalBytes(code, bits);
      } else if (code === DELTA && bytes[at + 1] === 0) {
        x += bytes[at]!;
        at += 2;
      } else return;
    }
  };
}

/** Where the codes of each row begin (0: it has none) and in which column. */
async function survey(bytes: Uint8Array, { height, dataOffset, dataBytes, bits }: Bitmap, timeSlice: TimeSlice) {
  const starts = new Uint32Array(height);
  const columns = new Uint32Array(height);
  let x = 0;
  let row = 0;
  let at = dataOffset;
  starts[0] = at;
  const enter = (next: number) => {
    if (next === row || next >= height) return;
    starts[next] = at;
    columns[next] = x;
  };
  for (let codes = 1; row < height; codes++) {
    if (codes % CODES_AT_A_TIME === 0) await timeSlice.spend(CODES_AT_A_TIME * CODE_MS);
    // Some writers leave out the mark after the last row.
    if (at + 1 >= bytes.length && row === height - 1 && x > 0) break;
    if (at + 1 >= bytes.length) throw damaged();
    const count = bytes[at]!;
    const code = bytes[at + 1]!;
    at += 2;
    let next = row;
    if (count > 0) {
      x += count;
      at += runBytesOf(bits) - 1;
      if (at > bytes.length) throw damaged();
    } else if (code === END_OF_BITMAP) {
      if (Math.min(bytes.length, dataOffset + dataBytes) - at > MOST_LEFT_BYTES) throw damaged();
      break;
    } else if (code === END_OF_ROW) {
      x = 0;
      next = row + 1;
    } else if (code === DELTA) {
      if (at + 1 >= bytes.length) throw damaged();
      x += bytes[at]!;
      next = row + bytes[at + 1]!;
      at += 2;
    } else {
      if (at + literalBytes(code, bits, 1) > bytes.length) throw damaged();
      x += code;
      at += literalBytes(code, bits);
    }
    enter(next);
    row = next;
  }
  return { starts, columns };
}

/** Bytes of a run of literals, which is padded to whole words. */
function literalBytes(count: number, bits: number, padding = 2): number {
  const bytes = Math.ceil((count * bits) / 8);
  return padding === 2 ? bytes + (bytes & 1) : bytes;
}

/** Bytes of the color of a run. */
function runBytesOf(bits: number): number {
  return bits === 24 ? 3 : 1;
}

/** Reads the color number `index` of those that begin at `at`. */
function colorReader(bytes: Uint8Array, { bits, palette }: Bitmap): (at: number, index: number) => number {
  if (bits === 8) return (at, index) => palette[bytes[at + index]!]!;
  if (bits === 4) return (at, index) => palette[(bytes[at + (index >> 1)]! >> (index & 1 ? 0 : 4)) & 15]!;
  return (at, index) => {
    const from = at + index * 3;
    return (OPAQUE_BLACK | (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!) >>> 0;
  };
}
