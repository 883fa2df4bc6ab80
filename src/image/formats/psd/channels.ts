/** Rows of one channel of the merged picture, which is stored channel after channel. */
import { damaged, type PsdFile } from "./header.ts";

/** The samples of row `y` as stored; a view valid until the next call. Rows must be asked for in order. */
export type ChannelRow = (y: number) => Uint8Array;

/** Bytes of a row of one channel that is not compressed. */
export function rowBytesOf({ width, depth }: PsdFile): number {
  return Math.ceil((width * depth) / 8);
}

/**
 * Readers of the first `count` channels.
 * @throws ApiError 422 when the file is too short for its picture
 */
export function channelRows(bytes: Uint8Array, file: PsdFile, count: number): ChannelRow[] {
  return file.packed ? packedRows(bytes, file, count) : rawRows(bytes, file, count);
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
