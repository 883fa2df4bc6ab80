/**
 * Alpha as GIF can hold it: all or nothing.
 *
 * Where alpha falls from full to none within a few pixels it is the smooth edge of a shape, which is cut in its middle.
 * Elsewhere (shadows, glows, panes of glass) a pixel is kept as often as it is opaque, by an ordered matrix: dots that
 * look like the shade on a page of any color, and stand still in animations. A matte would be smooth on one color, and
 * a bright blot around the picture on every other.
 */
import { type Estimate, estimated, NO_WORK } from "../../../../wasm/estimate.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { type Extent, mapFrames, type Picture } from "../../pixels/picture.ts";
import { type Rows, rowsOf } from "../../pixels/rows.ts";

/** Pixels on each side in which an edge goes from none to full: resized and blurred letters take as many. */
const RADIUS = 2;
/** Up to here a pixel is clear, and from here on opaque: what lossy files make of full alpha gets no holes. */
const CLEAR = 12;
const OPAQUE = 243;
/** Within the radius an edge goes up from clear by this much. */
const STEEP = 144;
/** Where an edge is cut. */
const MIDDLE = 128;
const SIDE = 8;

/** Ordered dithering of 8 x 8 pixels (Bayer 1973), as the alpha from which on a pixel is kept. */
const MATRIX = Uint8Array.from({ length: SIDE * SIDE }, (_, at) => {
  const x = at % SIDE;
  const y = Math.floor(at / SIDE);
  let rank = 0;
  for (let bit = 0; bit < 3; bit++) {
    const [u, v] = [(x >> bit) & 1, (y >> bit) & 1];
    rank = (rank << 2) | ((u ^ v) << 1) | v;
  }
  return Math.round(CLEAR + ((OPAQUE - CLEAR) * (rank + 0.5)) / (SIDE * SIDE));
});

/** Rows that are made at a time. */
const ROWS = 16;
const HELD_ROWS = ROWS + 2 * RADIUS;
/** Bytes that are held for each column: pixels, some of them before and after those that are made, and what is around. */
const COLUMN_BYTES = HELD_ROWS * (4 + 2) + ROWS * 4;
/** Nanoseconds to look around a pixel, and to decide: 17 where all is clear or opaque, 33 where all is a shade. */
const NANOSECONDS_PER_PIXEL = 33;

/** What is said of a picture whose shades were lost. */
const LOST =
  "GIF has no half-transparent pixels: shadows and glows are made of dots; with `background` they are smooth, on that color";

/** The estimate of reading all frames of a picture without shades, once. */
export function shadesEstimate({ width, height, frames, opaque }: Extent): Estimate {
  if (opaque) return NO_WORK;
  return estimated(width * COLUMN_BYTES, width * height * frames, NANOSECONDS_PER_PIXEL);
}

/**
 * A picture whose alpha is all or nothing.
 * @param tell told, in words for people, where there is more to be lost than the smoothness of edges
 */
export function withoutShades(picture: Picture, timeSlice: TimeSlice, tell?: (limit: string) => void): Picture {
  if (picture.opaque) return picture;
  return mapFrames(picture, (rows) => sharpRows(rows, timeSlice, () => tell?.(LOST)));
}

function sharpRows(rows: Rows, timeSlice: TimeSlice, onShade: () => void): Rows {
  if (rows.opaque) return rows;
  const { width, height } = rows;
  const window = new Window(width, height);
  return rowsOf(rows, {
    async read(max) {
      const wanted = Math.min(max, ROWS);
      await timeSlice.spend((width * wanted * NANOSECONDS_PER_PIXEL) / 1e6);
      for (let space = window.wants(wanted); space > 0; space = window.wants(wanted)) {
        const band = await rows.read(space);
        if (!band) break;
        window.add(band);
      }
      const made = window.make(wanted);
      if (window.hasShade) onShade();
      return made;
    },
  });
}

/** Rows of a picture with those around them. */
class Window {
  hasShade = false;
  private readonly width: number;
  private readonly height: number;
  private readonly pixels: Uint8Array;
  private readonly result: Uint32Array;
  /** The least and the most alpha beside each pixel, in its row. */
  private readonly low: Uint8Array;
  private readonly high: Uint8Array;
  /** The first row that is held, the one behind the last, and the next that is made. */
  private from = 0;
  private to = 0;
  private next = 0;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * HELD_ROWS * 4);
    this.result = new Uint32Array(width * ROWS);
    this.low = new Uint8Array(width * HELD_ROWS);
    this.high = new Uint8Array(width * HELD_ROWS);
  }

  /** How many rows are still to be added before so many can be made. */
  wants(count: number): number {
    return Math.min(this.next + count + RADIUS, this.height) - this.to;
  }

  add(band: Uint8Array): void {
    const { width, pixels, low, high } = this;
    const count = band.length / (width * 4);
    const passed = Math.max(0, this.next - RADIUS - this.from);
    if (this.to + count - this.from > HELD_ROWS) {
      pixels.copyWithin(0, passed * width * 4);
      low.copyWithin(0, passed * width);
      high.copyWithin(0, passed * width);
      this.from += passed;
    }
    const at = (this.to - this.from) * width;
    pixels.set(band, at * 4);
    for (let row = at; row < at + count * width; row += width) this.lookBeside(row);
    this.to += count;
  }

  /** The next rows, at most so many; null behind the last. */
  make(count: number): Uint8Array | null {
    const rows = Math.min(count, this.height - this.next, this.to - this.next);
    if (rows <= 0) return null;
    for (let row = 0; row < rows; row++) this.decide(this.next + row, row * this.width);
    this.next += rows;
    return new Uint8Array(this.result.buffer, 0, rows * this.width * 4);
  }

  private lookBeside(row: number): void {
    const { width, pixels, low, high } = this;
    for (let x = 0; x < width; x++) {
      let least = 255;
      let most = 0;
      for (let near = Math.max(0, x - RADIUS); near <= Math.min(width - 1, x + RADIUS); near++) {
        const alpha = pixels[(row + near) * 4 + 3]!;
        if (alpha < least) least = alpha;
        if (alpha > most) most = alpha;
      }
      low[row + x] = least;
      high[row + x] = most;
    }
  }

  private decide(y: number, target: number): void {
    const { width, pixels, result, from } = this;
    const colors = new Uint32Array(pixels.buffer);
    const own = (y - from) * width;
    const line = (y % SIDE) * SIDE;
    for (let x = 0; x < width; x++) {
      const alpha = pixels[(own + x) * 4 + 3]!;
      let least = MIDDLE;
      if (alpha > CLEAR && alpha < OPAQUE && !this.isEdge(x, y)) {
        least = MATRIX[line + (x % SIDE)]!;
        this.hasShade = true;
      }
      result[target + x] = alpha >= least ? colors[own + x]! | 0xff000000 : 0;
    }
  }

  private isEdge(x: number, y: number): boolean {
    const { width, low, high, from, to } = this;
    let least = 255;
    let most = 0;
    const last = Math.min(to - 1, y + RADIUS);
    for (let near = Math.max(0, y - RADIUS); near <= last; near++) {
      const at = (near - from) * width + x;
      least = Math.min(least, low[at]!);
      most = Math.max(most, high[at]!);
    }
    return least <= CLEAR && most - least >= STEEP;
  }
}
