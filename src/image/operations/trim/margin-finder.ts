/** Finds what is not margin in the rows of a picture: see `margins.ts` for what counts as margin. */
import type { Rgba } from "../../color/rgba.ts";
import type { Box } from "../../pixels/geometry.ts";

/** Bytes that a finder holds for each column: what is known of three rows, and of their blocks. */
export const FINDER_COLUMN_BYTES = 3 * 5;

/** Pixels of a row that are compared together. */
const BLOCK = 64;
/** What is known of a block: nothing; no pixel of it differs from the margin; one does. */
const UNKNOWN = 0;
const PLAIN = 1;
const DIFFERENT = 2;

/** So many thresholds away from the margin's color a pixel stands out clearly. */
const CLEARLY = 4;
/** A bit in the field of four that each direction of each channel has, and what makes five of nine overflow into it. */
const MAJORITY = 0x8888_8888 | 0;
const TO_MAJORITY = 0x3333_3333;

/** Three rows and more of a picture, and what counts as margin in it. */
export interface Extent {
  readonly pixels: Int32Array;
  readonly width: number;
  readonly height: number;
  readonly threshold: number;
}

/** Looks at rows one after the other, each beside those above and below it. */
export class MarginFinder {
  readonly color: Rgba;
  private readonly pixels: Int32Array;
  private readonly width: number;
  private readonly height: number;
  private readonly threshold: number;
  private readonly red: number;
  private readonly green: number;
  private readonly blue: number;
  private readonly alpha: number;
  /** The levels that an opaque pixel may have. */
  private readonly leastRed: number;
  private readonly mostRed: number;
  private readonly leastGreen: number;
  private readonly mostGreen: number;
  private readonly leastBlue: number;
  private readonly mostBlue: number;
  /** The margin's color as one number. */
  private readonly margin: number;
  /** What `beyond` says of the pixels of three rows, row y being at y modulo 3, in blocks that are filled when needed. */
  private readonly flags: Int32Array;
  private readonly states: Uint8Array;
  private readonly blocks: number;
  /** The row that is looked at, and where it begins in the pixels. */
  private y = 0;
  private row = 0;
  /** Corners at the top that have the margin's color. */
  private topCorners = 0;
  private left: number;
  private right = -1;
  private top = -1;
  private bottom = -1;
  /** A column in which something was found in the row before: most rows have something there as well. */
  private likely = 0;

  constructor({ pixels, width, height, threshold }: Extent, color: Rgba) {
    this.pixels = pixels;
    this.width = width;
    this.height = height;
    this.threshold = threshold;
    this.left = width;
    this.color = color;
    [this.red, this.green, this.blue, this.alpha] = color;
    [this.leastRed, this.mostRed] = [this.red - threshold, this.red + threshold];
    [this.leastGreen, this.mostGreen] = [this.green - threshold, this.green + threshold];
    [this.leastBlue, this.mostBlue] = [this.blue - threshold, this.blue + threshold];
    this.blocks = Math.ceil(width / BLOCK);
    this.states = new Uint8Array(3 * this.blocks);
    this.flags = new Int32Array(3 * width);
    this.margin = (this.alpha << 24) | (this.blue << 16) | (this.green << 8) | this.red;
  }

  get box(): Box | undefined {
    if (this.top < 0) return undefined;
    const { left, top } = this;
    return { x: left, y: top, width: this.right + 1 - left, height: this.bottom + 1 - top };
  }

  isLikeMargin(pixel: number): boolean {
    return this.beyond(pixel, this.threshold) === 0;
  }

  /** Counts the corners at the ends of the first row, which begins at `row`. */
  count(row: number): void {
    this.topCorners = this.cornersOf(row);
  }

  /** How many corners have the margin's color, the last row beginning at `row`. */
  corners(row: number): number {
    return this.topCorners + this.cornersOf(row);
  }

  private cornersOf(row: number): number {
    const ends = [this.pixels[row]!, this.pixels[row + this.width - 1]!];
    return ends.filter((pixel) => this.isLikeMargin(pixel)).length;
  }

  /** Looks at row `y`, which begins at `row` in the pixels, where something may be found that is not known yet. */
  look(y: number, row: number): void {
    const { width, blocks } = this;
    this.y = y;
    this.row = row;
    const next = (y + 1) % 3;
    this.states.fill(UNKNOWN, next * blocks, (next + 1) * blocks);
    const fromLeft = this.firstHit(0, this.left, 1);
    if (fromLeft >= 0) this.left = fromLeft;
    const isEmpty = this.right < 0 && fromLeft < 0;
    const fromRight = isEmpty ? -1 : this.firstHit(width - 1, Math.max(this.right, fromLeft), -1);
    this.right = Math.max(this.right, fromLeft, fromRight);
    if (fromLeft < 0 && fromRight < 0 && !this.hasHitBetween()) return;
    if (this.top < 0) this.top = y;
    this.bottom = y;
  }

  /** Whether there is something in the columns in which there is something in other rows. */
  private hasHitBetween(): boolean {
    const { left, right } = this;
    const from = Math.min(Math.max(this.likely, left), right);
    let found = this.firstHit(from, right + 1, 1);
    if (found < 0) found = this.firstHit(from - 1, left - 1, -1);
    if (found >= 0) this.likely = found;
    return found >= 0;
  }

  /** The first column on the way from one to another, which is not looked at itself, that is not margin; -1 if none. */
  private firstHit(from: number, to: number, step: 1 | -1): number {
    if (step > 0 ? from >= to : from <= to) return -1;
    for (let x = from; x !== to;) {
      const block = Math.trunc(x / BLOCK);
      const beyond = step > 0 ? Math.min(to, (block + 1) * BLOCK) : Math.max(to, block * BLOCK - 1);
      if (this.isPlain(block)) x = beyond;
      else {
        // The columns beside the block belong to what is around its pixels.
        this.isPlain(Math.max(0, block - 1));
        this.isPlain(Math.min(this.blocks - 1, block + 1));
        let before = this.column(x - step);
        let here = this.column(x);
        for (; x !== beyond; x += step) {
          const after = this.column(x + step);
          if ((before | here | after) !== 0 && this.isHit(x, (before + here + after) | 0)) return x;
          before = here;
          here = after;
        }
      }
    }
    return -1;
  }

  /** Whether nothing differs in a block of the row, nor in those above and below it. */
  private isPlain(block: number): boolean {
    const { y, row, width } = this;
    const above = this.stateOf((y + 2) % 3, row - width, block);
    const here = this.stateOf(y % 3, row, block);
    const below = this.stateOf((y + 1) % 3, row + width, block);
    return above === PLAIN && here === PLAIN && below === PLAIN;
  }

  private stateOf(slot: number, row: number, block: number): number {
    const known = this.states[slot * this.blocks + block]!;
    if (known !== UNKNOWN) return known;
    const { pixels, flags, margin, width } = this;
    const base = slot * width;
    const end = Math.min(width, (block + 1) * BLOCK);
    let all = 0;
    for (let x = block * BLOCK; x < end; x++) {
      const pixel = pixels[row + x]!;
      const own = pixel === margin || this.isWithin(pixel) ? 0 : this.beyond(pixel, this.threshold);
      flags[base + x] = own;
      all |= own;
    }
    const state = all === 0 ? PLAIN : DIFFERENT;
    this.states[slot * this.blocks + block] = state;
    return state;
  }

  /** Whether a pixel is margin as far as that can be said without arithmetic. */
  private isWithin(pixel: number): boolean {
    const alpha = pixel >>> 24;
    if (this.alpha !== 255) return alpha === 0 && this.alpha === 0;
    if (alpha !== 255) return alpha === 0;
    const red = pixel & 255;
    const green = (pixel >>> 8) & 255;
    const blue = (pixel >>> 16) & 255;
    return (
      red >= this.leastRed &&
      red <= this.mostRed &&
      green >= this.leastGreen &&
      green <= this.mostGreen &&
      blue >= this.leastBlue &&
      blue <= this.mostBlue
    );
  }

  /** How many of the three pixels in a column differ, in each direction of each channel; beyond the ends are copies. */
  private column(x: number): number {
    const { flags, width } = this;
    const at = Math.min(width - 1, Math.max(0, x));
    return (flags[at]! + flags[width + at]! + flags[2 * width + at]!) | 0;
  }

  /** @param counts of the nine pixels around and at the place */
  private isHit(x: number, counts: number): boolean {
    if (this.threshold === 0) return this.flags[(this.y % 3) * this.width + x] !== 0;
    if (((counts + TO_MAJORITY) & MAJORITY) !== 0) return true;
    return this.isClear(this.pixels[this.row + x]!) && this.clearAround(x) > 1;
  }

  /** Pixels that stand out clearly, of the nine around and at the place that lie in the picture. */
  private clearAround(x: number): number {
    const { width, height, y, row } = this;
    let count = 0;
    for (let below = Math.max(-1, -y); below <= Math.min(1, height - 1 - y); below++) {
      for (let at = Math.max(0, x - 1); at <= Math.min(width - 1, x + 1); at++) {
        if (this.isClear(this.pixels[row + below * width + at]!)) count++;
      }
    }
    return count;
  }

  private isClear(pixel: number): boolean {
    return this.beyond(pixel, CLEARLY * this.threshold) !== 0;
  }

  /**
   * In which directions of which channels a pixel differs from the margin by more than so many levels: four bits each,
   * the lowest of which is set. Over an opaque margin a pixel counts as it looks laid on it, so that what is transparent
   * never differs; beside a margin that is not opaque, alpha is a channel of its own.
   */
  private beyond(pixel: number, levels: number): number {
    const { red, green, blue, alpha } = this;
    const own = pixel >>> 24;
    const laid = alpha === 255 ? own : alpha;
    const limit = levels * 255;
    let found = 0;
    const dr = (pixel & 255) * own - red * laid;
    if (dr > limit) found |= 1;
    else if (dr < -limit) found |= 1 << 4;
    const dg = ((pixel >>> 8) & 255) * own - green * laid;
    if (dg > limit) found |= 1 << 8;
    else if (dg < -limit) found |= 1 << 12;
    const db = ((pixel >>> 16) & 255) * own - blue * laid;
    if (db > limit) found |= 1 << 16;
    else if (db < -limit) found |= 1 << 20;
    if (alpha === 255) return found;
    const da = (own - alpha) * 255;
    if (da > limit) found |= 1 << 24;
    else if (da < -limit) found |= 1 << 28;
    return found;
  }
}
