/** Rows of device-independent bitmaps as RGBA. Every row lies at a known place, so any can be read first. */
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { type Bitmap, dataEnd, damaged, type Masks, strideOf } from "./header.ts";
import { runLengthRows } from "./run-length.ts";

/** Writes row `y`, counted from the top, as RGBA8. */
export type RowReader = (target: Uint8Array, y: number) => void;

/** @throws ApiError 422 when pixels are missing */
export async function rowReader(bytes: Uint8Array, bitmap: Bitmap, timeSlice: TimeSlice): Promise<RowReader> {
  const { height, topDown, dataOffset, runLength } = bitmap;
  const stored = (y: number) => (topDown ? y : height - 1 - y);
  if (runLength) {
    const expand = await runLengthRows(bytes, bitmap, timeSlice);
    return (target, y) => expand(wide(target), stored(y));
  }
  if (dataEnd(bitmap) > bytes.length) throw damaged();
  const stride = strideOf(bitmap);
  const read = samplesReader(bitmap);
  return (target, y) => read(bytes, dataOffset + stored(y) * stride, target);
}

/** Whether a pixel is not opaque: a file may have room for alpha and hold none. */
export function usesAlpha(bytes: Uint8Array, bitmap: Bitmap): boolean {
  const { masks, bits, height, width, dataOffset } = bitmap;
  const { alpha } = masks;
  if (alpha === 0 || (bits !== 16 && bits !== 32) || dataEnd(bitmap) > bytes.length) return false;
  const pixelBytes = bits / 8;
  const stride = strideOf(bitmap);
  let some = false;
  let full = true;
  for (let y = 0; y < height && (full || !some); y++) {
    const from = dataOffset + y * stride;
    for (let at = from; at < from + width * pixelBytes; at += pixelBytes) {
      const value = (pixelAt(bytes, at, pixelBytes) & alpha) >>> 0;
      if (value !== 0) some = true;
      if (value !== alpha) full = false;
    }
  }
  // Alpha that is 0 everywhere was never written.
  return some && !full;
}

function wide(target: Uint8Array): Uint32Array {
  return new Uint32Array(target.buffer, target.byteOffset, target.length / 4);
}

function pixelAt(bytes: Uint8Array, at: number, pixelBytes: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8);
  return pixelBytes === 2 ? low : low | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

type SamplesReader = (bytes: Uint8Array, at: number, target: Uint8Array) => void;

function samplesReader({ bits, palette, masks }: Bitmap): SamplesReader {
  if (bits === 24) return readTriples;
  if (bits === 8) return (bytes, at, target) => readBytes(bytes, at, wide(target), palette);
  if (bits < 8) return (bytes, at, target) => readBits(bytes, at, wide(target), palette, bits);
  return fieldsReader(masks, bits / 8);
}

function readTriples(bytes: Uint8Array, at: number, target: Uint8Array): void {
  for (let to = 0, from = at; to < target.length; to += 4, from += 3) {
    target[to] = bytes[from + 2]!;
    target[to + 1] = bytes[from + 1]!;
    target[to + 2] = bytes[from]!;
    target[to + 3] = 255;
  }
}

function readBytes(bytes: Uint8Array, at: number, target: Uint32Array, palette: Uint32Array): void {
  for (let x = 0; x < target.length; x++) target[x] = palette[bytes[at + x]!]!;
}

function readBits(bytes: Uint8Array, at: number, target: Uint32Array, palette: Uint32Array, bits: number): void {
  const mask = (1 << bits) - 1;
  for (let x = 0, bit = 0; x < target.length; x++, bit += bits) {
    target[x] = palette[(bytes[at + (bit >> 3)]! >> (8 - bits - (bit & 7))) & mask]!;
  }
}

interface Field {
  readonly mask: number;
  readonly shift: number;
  /** From the field's value, cut to its upper 8 bits, to a sample. */
  readonly levels: Uint8Array;
}

function fieldOf(mask: number, absent: number): Field {
  const width = 32 - Math.clz32(mask);
  const low = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  const shift = Math.max(low, width - 8);
  const most = mask === 0 ? 0 : (1 << (width - shift)) - 1;
  const levels = Uint8Array.from({ length: 256 }, (_, value) =>
    most === 0 ? absent : Math.round((Math.min(value, most) * 255) / most),
  );
  return { mask, shift, levels };
}

function fieldsReader(masks: Masks, pixelBytes: number): SamplesReader {
  const red = fieldOf(masks.red, 0);
  const green = fieldOf(masks.green, 0);
  const blue = fieldOf(masks.blue, 0);
  const alpha = fieldOf(masks.alpha, 255);
  return (bytes, at, target) => {
    for (let to = 0, from = at; to < target.length; to += 4, from += pixelBytes) {
      const pixel = pixelAt(bytes, from, pixelBytes);
      target[to] = red.levels[(pixel & red.mask) >>> red.shift]!;
      target[to + 1] = green.levels[(pixel & green.mask) >>> green.shift]!;
      target[to + 2] = blue.levels[(pixel & blue.mask) >>> blue.shift]!;
      target[to + 3] = alpha.levels[(pixel & alpha.mask) >>> alpha.shift]!;
    }
  };
}
