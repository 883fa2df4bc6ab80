/**
 * A perceptual hash: pictures that show the same have hashes of which few bits differ.
 *
 * After C. Zauner, "Implementation and Benchmarking of Perceptual Image Hash Functions", 2010: the 8 × 8 lowest
 * frequencies of the DCT of 32 × 32 gray pixels, each a bit that says whether it lies above their median. Bits are in
 * rows, the lowest frequency first.
 *
 * Frequencies of less than an eighth of a gray level count as 0: in flat pictures and plain gradients all or most of them are
 * rounding and compression, whose sign is another one in each file.
 */
import * as v from "valibot";

import { whenNeeded } from "../../when-needed.ts";
import type { Size } from "../pixels/geometry.ts";
import { analysis, GLANCE_SIDE } from "../steps/analysis.ts";
import { overWhite } from "./over-white.ts";

const SIDE = 32;
const FREQUENCIES = 8;
/** What a wave of an eighth of a gray level comes to, down and across: the mean of a cosine's square is a half, each way. */
const NOISE = (0.125 * SIDE * SIDE) / 4;

export const phash = analysis({
  summary: "A 64-bit DCT hash as 16 hex digits, remembered for `/1.0/similar`: alike pictures differ in few bits.",
  answer: v.pipe(v.string(), v.regex(/^[\da-f]{16}$/)),
  side: GLANCE_SIDE,
  ms: ({ width, height }) => 0.5 + width * height * 1e-4,
  of: async (small) => hashOf(lowest(squareOf(await overWhite(small), small))),
});

/** The picture in 32 × 32 gray pixels, each the mean of the part of it that it covers. */
function squareOf(pixels: Uint8Array, { width, height }: Size): Float64Array {
  const across = partsOf(width);
  const square = new Float64Array(SIDE * SIDE);
  partsOf(height).forEach((rows, row) => {
    across.forEach((columns, column) => {
      let sum = 0;
      for (const [y, high] of rows) for (const [x, wide] of columns) sum += grayAt(pixels, y * width + x) * high * wide;
      square[row * SIDE + column] = sum;
    });
  });
  return square;
}

/** Luma of Rec. 601. */
function grayAt(pixels: Uint8Array, index: number): number {
  const at = index * 4;
  return 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!;
}

/** Which samples of a line make up each of 32 equal parts of it, with their weights, which sum to 1. */
function partsOf(length: number): (readonly [index: number, weight: number])[][] {
  const part = length / SIDE;
  return Array.from({ length: SIDE }, (_, index) => {
    const [from, to] = [index * part, (index + 1) * part];
    const first = Math.floor(from);
    const last = Math.min(length, Math.ceil(to));
    return Array.from({ length: last - first }, (__, offset) => {
      const at = first + offset;
      return [at, (Math.min(to, at + 1) - Math.max(from, at)) / part] as const;
    });
  });
}

/** The lowest 8 × 8 frequencies of the square's DCT-II, in rows. */
function lowest(square: Float64Array): Float64Array {
  const wave = waves();
  const rows = new Float64Array(SIDE * FREQUENCIES);
  for (let y = 0; y < SIDE; y++) {
    for (let u = 0; u < FREQUENCIES; u++) {
      let sum = 0;
      for (let x = 0; x < SIDE; x++) sum += square[y * SIDE + x]! * wave[u * SIDE + x]!;
      rows[y * FREQUENCIES + u] = sum;
    }
  }
  const frequencies = new Float64Array(FREQUENCIES * FREQUENCIES);
  for (let w = 0; w < FREQUENCIES; w++) {
    for (let u = 0; u < FREQUENCIES; u++) {
      let sum = 0;
      for (let y = 0; y < SIDE; y++) sum += rows[y * FREQUENCIES + u]! * wave[w * SIDE + y]!;
      frequencies[w * FREQUENCIES + u] = Math.abs(sum) < NOISE ? 0 : sum;
    }
  }
  return frequencies;
}

const waves = whenNeeded(() =>
  Float64Array.from({ length: FREQUENCIES * SIDE }, (_, index) => {
    const [frequency, at] = [Math.floor(index / SIDE), index % SIDE];
    return Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * SIDE));
  }),
);

function hashOf(frequencies: Float64Array): string {
  const sorted = frequencies.toSorted();
  const median = (sorted[sorted.length / 2 - 1]! + sorted[sorted.length / 2]!) / 2;
  const bits = Array.from(frequencies, (value) => (value > median ? "1" : "0")).join("");
  return BigInt(`0b${bits}`).toString(16).padStart(16, "0");
}
