/**
 * A sheet: tiles of a large picture, side by side, as a small picture that stands for it. What an encoder does to the
 * sheet it does to the picture, at a fraction of the cost.
 */
import type { Size } from "../geometry.ts";
import type { Picture } from "../picture.ts";
import { firstFrame } from "../picture.ts";
import type { Rows } from "../rows.ts";

/** Pixels; a multiple of the largest block of the codecs, so that tiles do not share blocks. */
const TILE = 192;
const ACROSS = 4;
const DOWN = 3;

/** Pixels below which a picture stands for itself. */
export const SHEET_PIXELS = TILE * TILE * ACROSS * DOWN;

/** Bytes of a sheet and of what is done with it: the pixels, an encoding, its decoding and scoring. */
export const SHEET_BYTES = SHEET_PIXELS * 16;

/** A picture whose pixels are in memory. */
export interface Sheet extends Size {
  readonly picture: Picture;
}

/** The whole of a small picture, or tiles spread evenly over a large one. */
export function sheetOf(picture: Picture): Sheet {
  const whole =
    picture.width * picture.height <= SHEET_PIXELS || picture.width < TILE * ACROSS || picture.height < TILE * DOWN;
  const rows = firstFrame(picture);
  try {
    const size = whole
      ? { width: picture.width, height: picture.height }
      : { width: TILE * ACROSS, height: TILE * DOWN };
    const pixels = whole ? collected(rows) : tiled(rows, size);
    return { ...size, picture: inMemory(pixels, size, picture.opaque) };
  } finally {
    rows.close();
  }
}

function collected(rows: Rows): Uint8Array {
  const pixels = new Uint8Array(rows.width * rows.height * 4);
  for (let at = 0, band = rows.read(rows.height); band; band = rows.read(rows.height)) {
    pixels.set(band, at);
    at += band.length;
  }
  return pixels;
}

function tiled(rows: Rows, size: Size): Uint8Array {
  const pixels = new Uint8Array(size.width * size.height * 4);
  const lefts = spread(rows.width, ACROSS);
  const tops = spread(rows.height, DOWN);
  const stride = rows.width * 4;
  let y = 0;
  for (let band = rows.read(rows.height); band; band = rows.read(rows.height)) {
    for (let at = 0; at < band.length; at += stride, y++) {
      const row = tops.findIndex((top) => y >= top && y < top + TILE);
      if (row < 0) continue;
      const to = (row * TILE + y - tops[row]!) * size.width * 4;
      lefts.forEach((left, column) => {
        pixels.set(band.subarray(at + left * 4, at + (left + TILE) * 4), to + column * TILE * 4);
      });
    }
  }
  return pixels;
}

/** Where `count` tiles start, with equal gaps between and around them, on the grid of 16 that JPEG blocks lie on. */
function spread(length: number, count: number): number[] {
  const gap = (length - count * TILE) / (count + 1);
  return Array.from({ length: count }, (_, index) => Math.floor((gap + index * (gap + TILE)) / 16) * 16);
}

/** A still picture over pixels in memory. */
export function inMemory(pixels: Uint8Array, size: Size, opaque: boolean): Picture {
  const open = () => [{ delayMs: 0, rows: rowsOf(pixels, size, opaque) }];
  return { ...size, opaque, frames: 1, loops: 0, open };
}

function rowsOf(pixels: Uint8Array, { width, height }: Size, opaque: boolean): Rows {
  const stride = width * 4;
  let y = 0;
  return {
    width,
    height,
    opaque,
    read(max) {
      if (y >= height) return null;
      const from = y;
      y = Math.min(height, y + max);
      return pixels.subarray(from * stride, y * stride);
    },
    close() {
      y = height;
    },
  };
}
