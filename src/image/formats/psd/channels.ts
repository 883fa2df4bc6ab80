/** Rows of one channel of the merged picture, which is stored channel after channel. */
import { parallel, NO_WORK, held, type Estimate } from "../../../../wasm/estimate.ts";
import { inflateInto, inflateEstimate } from "../../../../wasm/pixels/inflater.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { guardedAsync } from "../../codec/guard.ts";
import { damaged, type PsdFile } from "./header.ts";

/** The samples of row `y` as stored; a view valid until the next call. Rows must be asked for in order. */
export type ChannelRow = (y: number) => Uint8Array;

/** Bytes of a row of one channel that is not compressed. */
function rowBytesOf({ width, depth }: PsdFile): number {
  return Math.ceil((width * depth) / 8);
}

/** The estimate of `unzipped`, its result included. */
export function unzipEstimate(file: PsdFile): Estimate {
  if (!isZipped(file)) return NO_WORK;
  const bytes = unzippedBytes(file);
  return parallel(held(bytes), inflateEstimate(bytes));
}

function unzippedBytes(file: PsdFile): number {
  return file.channels * file.height * rowBytesOf(file);
}

function isZipped({ compression }: PsdFile): boolean {
  return compression === "zipped" || compression === "zipped-differences";
}

/**
 * A file whose rows can be reached: where they are compressed all together, they are inflated at once.
 * @throws ApiError 422 when they are damaged
 */
export async function unzipped(
  bytes: Uint8Array,
  file: PsdFile,
  timeSlice: TimeSlice,
): Promise<{ readonly bytes: Uint8Array; readonly file: PsdFile }> {
  if (!isZipped(file)) return { bytes, file };
  const compression = file.compression === "zipped" ? "raw" : "differences";
  const rows = new Uint8Array(unzippedBytes(file));
  await guardedAsync(() => inflateInto(rows, bytes.subarray(file.dataOffset), timeSlice), damaged);
  return { bytes: rows, file: { ...file, compression, dataOffset: 0 } };
}

/**
 * Readers of the first `count` channels.
 * @throws ApiError 422 when the file is too short for its picture
 */
export function channelRows(bytes: Uint8Array, file: PsdFile, count: number): ChannelRow[] {
  if (file.compression === "packed") return packedRows(bytes, file, count);
  const rows = rawRows(bytes, file, count);
  return file.compression === "differences" ? rows.map((row) => summedRows(row, file)) : rows;
}

function rawRows(bytes: Uint8Array, file: PsdFile, count: number): ChannelRow[] {
  const { height, dataOffset } = file;
  const rowBytes = rowBytesOf(file);
  if (dataOffset + rowBytes * height * count > bytes.length) throw damaged();
  return Array.from({ length: count }, (_, channel) => (y) => {
    const from = dataOffset + (channel * height + y) * rowBytes;
    return bytes.subarray(from, from + rowBytes);
  });
}

/** Samples of rows that hold the difference of each to the one before. */
function summedRows(differences: ChannelRow, { width, depth }: PsdFile): ChannelRow {
  const row = new Uint8Array((width * depth) / 8);
  if (depth === 16) return (y) => sumWords(differences(y), row);
  if (depth === 8) return (y) => sumBytes(differences(y), row);
  // Floating point: first the highest bytes of all samples, last the lowest, and all as one row of differences.
  const planes = new Uint8Array(row.length);
  return (y) => {
    sumBytes(differences(y), planes);
    for (let at = 0; at < row.length; at++) row[at] = planes[(at & 3) * width + (at >> 2)]!;
    return row;
  };
}

function sumBytes(from: Uint8Array, to: Uint8Array): Uint8Array {
  let sum = 0;
  for (let at = 0; at < to.length; at++) to[at] = sum = (sum + from[at]!) & 0xff;
  return to;
}

/** Adds up words of 16 bits, the higher byte first. */
function sumWords(from: Uint8Array, to: Uint8Array): Uint8Array {
  let sum = 0;
  for (let at = 0; at < to.length; at += 2) {
    sum = (sum + ((from[at]! << 8) | from[at + 1]!)) & 0xffff;
    to[at] = sum >> 8;
    to[at + 1] = sum & 0xff;
  }
  return to;
}

function packedRows(bytes: Uint8Array, file: PsdFile, count: number): ChannelRow[] {
  const { height, channels, dataOffset, large } = file;
  const lengthBytes = large ? 4 : 2;
  let offset = dataOffset + channels * height * lengthBytes;
  if (offset > bytes.length) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const lengthAt = (row: number) => {
    const at = dataOffset + row * lengthBytes;
    return large ? view.getUint32(at) : view.getUint16(at);
  };
  const readers: ChannelRow[] = [];
  for (let channel = 0; channel < count; channel++) {
    const firstRow = channel * height;
    readers.push(packedChannel(bytes, rowBytesOf(file), offset, (y) => lengthAt(firstRow + y)));
    for (let y = 0; y < height; y++) offset += lengthAt(firstRow + y);
    if (offset > bytes.length) throw damaged();
  }
  return readers;
}

function packedChannel(bytes: Uint8Array, rowBytes: number, start: number, lengthOf: (y: number) => number) {
  const row = new Uint8Array(rowBytes);
  let next = 0;
  let offset = start;
  return (y: number) => {
    for (; next < y; next++) offset += lengthOf(next);
    const length = lengthOf(next++);
    unpackBits(bytes, offset, offset + length, row);
    offset += length;
    return row;
  };
}

/**
 * Apple's PackBits (TIFF 6.0, section 9). What would not fit is dropped.
 * @throws ApiError 422 when the row is not filled
 */
function unpackBits(bytes: Uint8Array, start: number, end: number, row: Uint8Array): void {
  let to = 0;
  for (let at = start; at < end && to < row.length;) {
    const code = bytes[at++]!;
    if (code < 128) {
      const count = Math.min(code + 1, end - at, row.length - to);
      row.set(bytes.subarray(at, at + count), to);
      at += code + 1;
      to += count;
    } else if (code > 128) {
      const count = 257 - code;
      row.fill(bytes[at++]!, to, to + count);
      to += count;
    }
  }
  if (to < row.length) throw damaged();
}
