/** Traces that compression and noise leave in a picture. */
import type { Size } from "../../pixels/geometry.ts";

/** Pixels of a side of the blocks of JPEG and its like. */
const BLOCK = 8;
/** What a break counts at most for edges of blocks, in levels: edges of what is shown may lie on a grid of eight by chance. */
const MOST = 12;
/** The share of squares that are quieter than those whose changes are taken for noise. */
const QUIET_SHARE = 0.05;

export interface Traces {
  /**
   * How much the edges of blocks stand out, wherever blocks begin: means of third differences of luma over columns, and over
   * rows, that are eight pixels apart; by how much the greatest of these eight is above the next, in shares of their median,
   * for columns and rows together. At most 0.05 in photographs that were never compressed, and above 0.08 after JPEG at
   * quality 90 in all but the busiest.
   */
  readonly blocks: number;
  /**
   * How much of what changes from pixel to pixel is noise, from 0 to 1. Where neighbors are independent, squares of second
   * differences are on average six times their variance and those of first ones two times: what second differences say in a
   * quiet square of eight pixels, in shares of what first ones say in all. Mostly below 0.04 in photographs without noise.
   */
  readonly noise: number;
}

/** @param pixels RGBA8, tightly packed */
export function tracesOf(pixels: Uint8Array, size: Size): Traces {
  const luma = lumaOf(pixels);
  return { blocks: blocksOf(luma, size), noise: noiseOf(luma, size) };
}

function blocksOf(luma: Uint8Array, { width, height }: Size): number {
  const columns = new Float64Array(BLOCK);
  const rows = new Float64Array(BLOCK);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (x >= 3) add(columns, x % BLOCK, Math.min(MOST, thirdDifference(luma, at, 1)));
      if (y >= 3) add(rows, y % BLOCK, Math.min(MOST, thirdDifference(luma, at, width)));
    }
  return contrastOf(meansOf(columns, width, height)) + contrastOf(meansOf(rows, height, width));
}

/** Squares at the left and at the top, where some differences are missing, are left out. */
function noiseOf(luma: Uint8Array, { width, height }: Size): number {
  const across = Math.floor(width / BLOCK) - 1;
  const down = Math.floor(height / BLOCK) - 1;
  if (across < 1 || down < 1) return 0;
  const seconds = new Float64Array(across * down);
  let firsts = 0;
  for (let y = BLOCK; y < BLOCK * (down + 1); y++)
    for (let x = BLOCK; x < BLOCK * (across + 1); x++) {
      const at = y * width + x;
      const here = luma[at] ?? 0;
      const left = luma[at - 1] ?? 0;
      const above = luma[at - width] ?? 0;
      firsts += (here - left) ** 2 + (here - above) ** 2;
      const horizontal = here - 2 * left + (luma[at - 2] ?? 0);
      const vertical = here - 2 * above + (luma[at - 2 * width] ?? 0);
      const square = (Math.floor(y / BLOCK) - 1) * across + Math.floor(x / BLOCK) - 1;
      add(seconds, square, horizontal ** 2 + vertical ** 2);
    }
  const quiet = seconds.toSorted()[Math.floor(QUIET_SHARE * (seconds.length - 1))] ?? 0;
  return firsts > 0 ? Math.min(1, (seconds.length * quiet) / (3 * firsts)) : 0;
}

function lumaOf(pixels: Uint8Array): Uint8Array {
  const luma = new Uint8Array(pixels.length / 4);
  for (let at = 0, from = 0; at < luma.length; at++, from += 4)
    luma[at] = (77 * (pixels[from] ?? 0) + 150 * (pixels[from + 1] ?? 0) + 29 * (pixels[from + 2] ?? 0)) >> 8;
  return luma;
}

/** Of the four samples up to this one, so far apart: large where a curve breaks between the second and the third. */
function thirdDifference(luma: Uint8Array, at: number, apart: number): number {
  const outer = (luma[at] ?? 0) - (luma[at - 3 * apart] ?? 0);
  const inner = (luma[at - apart] ?? 0) - (luma[at - 2 * apart] ?? 0);
  return Math.abs(outer - 3 * inner);
}

function add(sums: Float64Array, place: number, more: number): void {
  sums[place] = (sums[place] ?? 0) + more;
}

/** Differences begin at the fourth place along a side of `length`, and there are `lines` of them. */
function meansOf(sums: Float64Array, length: number, lines: number): Float64Array {
  return sums.map((sum, phase) => {
    const places = Math.ceil((length - phase) / BLOCK) - (phase < 3 ? 1 : 0);
    return places > 0 ? sum / (places * lines) : 0;
  });
}

function contrastOf(means: Float64Array): number {
  const [, , , low = 0, high = 0, , next = 0, most = 0] = means.toSorted();
  const median = (low + high) / 2;
  return most === next ? 0 : (most - next) / median;
}
