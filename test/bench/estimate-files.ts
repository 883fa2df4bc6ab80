/** Files of formats that are only read, in their simplest kind. */
import type { Pixels } from "../support/rows.ts";

const BITMAP_HEADER_BYTES = 54;

/** A BMP file of 24 bits a pixel. */
export function bitmapFile({ width, height, data }: Pixels): Uint8Array {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const bytes = new Uint8Array(BITMAP_HEADER_BYTES + rowBytes * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, BITMAP_HEADER_BYTES, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = ((height - 1 - y) * width + x) * 4;
      const to = BITMAP_HEADER_BYTES + y * rowBytes + x * 3;
      for (const [channel, index] of [2, 1, 0].entries()) bytes[to + channel] = data[from + index] ?? 0;
    }
  }
  return bytes;
}

const PHOTOSHOP_HEADER_BYTES = 40;
const PHOTOSHOP_MODES = { rgb: 3, lab: 9 } as const;

interface Kind {
  readonly mode: keyof typeof PHOTOSHOP_MODES;
  readonly depth: 8 | 16;
}

/** A PSD file of a merged picture, its channels as they are. */
export function photoshopFile({ width, height, data }: Pixels, { mode, depth }: Kind): Uint8Array {
  const pixels = width * height;
  const sampleBytes = depth / 8;
  const bytes = new Uint8Array(PHOTOSHOP_HEADER_BYTES + pixels * 3 * sampleBytes);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("8BPS"));
  view.setUint16(4, 1);
  view.setUint16(12, 3);
  view.setUint32(14, height);
  view.setUint32(18, width);
  view.setUint16(22, depth);
  view.setUint16(24, PHOTOSHOP_MODES[mode]);
  for (let channel = 0; channel < 3; channel++) {
    const start = PHOTOSHOP_HEADER_BYTES + channel * pixels * sampleBytes;
    for (let at = 0; at < pixels; at++) bytes[start + at * sampleBytes] = data[at * 4 + channel] ?? 0;
  }
  return bytes;
}
