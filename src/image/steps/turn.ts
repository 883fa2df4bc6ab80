/** The eight ways a picture can lie: turned upright from what is stored. */
import { type Estimate, NO_WORK, estimated, parallel } from "../../../wasm/estimate.ts";
import { BAND_ROWS, bandBytes, mapBands } from "../pixels/bands.ts";
import { type Orientation, type Size, turnOf, turnSize } from "../pixels/geometry.ts";
import { type Rows, bytesPerPixel, rowsOf } from "../pixels/rows.ts";

/** To mirror a pixel left to right, in place. */
const MIRROR_NANOSECONDS = 1;
/**
 * To put a pixel into its place of the whole turned picture: in its row, or in a column, whose places are far apart.
 */
const PLACE_NANOSECONDS = { row: 2, column: 5 } as const;

/**
 * A picture turned upright, given how it is stored. Mirroring left to right streams; everything else needs the last
 * row first, so the result is held whole (see `turnEstimate`).
 * @param into where it is held; absent: in memory of its own
 */
export function turn(rows: Rows, orientation: Orientation, into?: Uint32Array<ArrayBuffer>): Rows {
  if (orientation === 1) return rows;
  if (orientation === 2) return rows.sixteenBit ? mirrored(rows) : mapBands(rows, (band) => band.flip(rows.width));
  if (orientation === 3) return turn(turn(rows, 2), 4, into);
  const { width, height } = turnSize(rows, orientation);
  let pixels: Uint32Array<ArrayBuffer> | null = null;
  let y = 0;
  return rowsOf(rows, {
    width,
    height,
    async read(max) {
      if (y === height) return null;
      pixels ??= await collectTurned(rows, orientation, into);
      const from = y;
      y = Math.min(height, y + max);
      const stride = width * bytesPerPixel(rows);
      return new Uint8Array(pixels.buffer, from * stride, (y - from) * stride);
    },
    close() {
      pixels = null;
      rows.close();
    },
  });
}

/** The estimate of turning a picture of this stored size. */
export function turnEstimate(size: Size & Pick<Rows, "sixteenBit">, orientation: Orientation): Estimate {
  if (orientation === 1) return NO_WORK;
  const pixels = size.width * size.height;
  const words = wordsPerPixel(size);
  const mirroring = estimated(bandBytes(size.width * words), pixels * words, MIRROR_NANOSECONDS);
  if (orientation === 2) return mirroring;
  const { row, column } = PLACE_NANOSECONDS;
  const placing = estimated(pixels * bytesPerPixel(size), pixels * words, turnOf(orientation).transpose ? column : row);
  return orientation === 3 ? parallel(mirroring, placing) : placing;
}

/**
 * The whole picture, turned. It lives in the JavaScript heap and not in a native module, whose memory never shrinks;
 * a copy into the module and out of it again would take as long as these loops do.
 */
async function collectTurned(
  rows: Rows,
  orientation: Orientation,
  into?: Uint32Array<ArrayBuffer>,
): Promise<Uint32Array<ArrayBuffer>> {
  const { width, height } = rows;
  const { transpose, flipX, flipY } = turnOf(orientation);
  const words = wordsPerPixel(rows);
  const pixels = into ?? new Uint32Array(width * height * words);
  // Where the source pixel (x, y) goes: start + x * stepX + y * stepY.
  const lastX = transpose ? height - 1 : width - 1;
  const lastY = transpose ? width - 1 : height - 1;
  const stride = lastX + 1;
  const start = (flipX ? lastX : 0) + (flipY ? lastY * stride : 0);
  const right = flipX ? -1 : 1;
  const down = flipY ? -stride : stride;
  const stepX = transpose ? down : right;
  const stepY = transpose ? right : down;
  const place = stepX === 1 ? placeRows : placeColumns;
  let y = 0;
  for (let band = await rows.read(BAND_ROWS); band; band = await rows.read(BAND_ROWS)) {
    const count = band.length / (width * bytesPerPixel(rows));
    place(pixels, wordsOf(band), { width, count, words, start: start + y * stepY, stepX, stepY });
    y += count;
  }
  return pixels;
}

/** Words of 32 bits that a pixel has. */
export function wordsPerPixel(rows: Pick<Rows, "sixteenBit">): number {
  return bytesPerPixel(rows) / 4;
}

/** 16-bit rows, mirrored left to right. */
function mirrored(rows: Rows): Rows {
  const { width } = rows;
  const words = wordsPerPixel(rows);
  const stride = width * words;
  const turned = new Uint32Array(stride * BAND_ROWS);
  return rowsOf(rows, {
    async read(max) {
      const band = await rows.read(Math.min(max, BAND_ROWS));
      if (!band) return null;
      const count = band.length / (stride * 4);
      placeColumns(turned, wordsOf(band), { width, count, words, start: width - 1, stepX: -1, stepY: width });
      return new Uint8Array(turned.buffer, 0, band.length);
    },
  });
}

/** In pixels, but for the words that each has. */
interface Placing {
  readonly width: number;
  readonly count: number;
  readonly words: number;
  readonly start: number;
  readonly stepX: number;
  readonly stepY: number;
}

/** Rows that keep their direction are copied whole. */
function placeRows(pixels: Uint32Array, band: Uint32Array, { width, count, words, start, stepY }: Placing): void {
  const stride = width * words;
  for (let row = 0; row < count; row++) {
    pixels.set(band.subarray(row * stride, row * stride + stride), (start + row * stepY) * words);
  }
}

/** Column by column, so that a transposed band is written in runs of its rows, each within a cache line or two. */
function placeColumns(
  pixels: Uint32Array,
  band: Uint32Array,
  { width, count, words, start, stepX, stepY }: Placing,
): void {
  const stride = width * words;
  const down = stepY * words;
  for (let word = 0; word < stride; word++) {
    let to = (start + Math.floor(word / words) * stepX) * words + (word % words);
    for (let from = word; from < count * stride; from += stride, to += down) pixels[to] = band[from]!;
  }
}

function wordsOf(band: Uint8Array): Uint32Array {
  const aligned = band.byteOffset % 4 === 0 ? band : band.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}
