/** The eight ways a picture can lie: turned upright from what is stored. */
import { beside, FREE, type Price, priced } from "../../../wasm/price.ts";
import { bandBytes, BAND_ROWS, mapBands } from "../band.ts";
import { type Orientation, type Size, turnOf, turnSize } from "../geometry.ts";
import type { Rows } from "../rows.ts";

/** To mirror a pixel left to right, in place. */
const MIRROR_NANOSECONDS = 1;
/**
 * To put a pixel into its place of the whole turned picture: in its row, or in a column, whose places are far apart.
 */
const PLACE_NANOSECONDS = { row: 2, column: 5 } as const;

/**
 * A picture turned upright, given how it is stored. Mirroring left to right streams; everything else needs the last
 * row first, so the result is held whole (see `turnPrice`).
 */
export function turn(rows: Rows, orientation: Orientation): Rows {
  if (orientation === 1) return rows;
  if (orientation === 2) return mapBands(rows, (band) => band.flip(rows.width));
  if (orientation === 3) return turn(turn(rows, 2), 4);
  const size = turnSize(rows, orientation);
  let pixels: Uint32Array | null = null;
  let y = 0;
  return {
    ...size,
    opaque: rows.opaque,
    async read(max) {
      if (y === size.height) return null;
      pixels ??= await collectTurned(rows, orientation);
      const from = y;
      y = Math.min(size.height, y + max);
      return new Uint8Array(pixels.buffer, from * size.width * 4, (y - from) * size.width * 4);
    },
    close() {
      pixels = null;
      rows.close();
    },
  };
}

/** The price of turning a picture of this stored size. */
export function turnPrice(size: Size, orientation: Orientation): Price {
  if (orientation === 1) return FREE;
  const pixels = size.width * size.height;
  const mirroring = priced(bandBytes(size.width), pixels, MIRROR_NANOSECONDS);
  if (orientation === 2) return mirroring;
  const { row, column } = PLACE_NANOSECONDS;
  const placing = priced(pixels * 4, pixels, turnOf(orientation).transpose ? column : row);
  return orientation === 3 ? beside(mirroring, placing) : placing;
}

/**
 * The whole picture, turned. It lives in the JavaScript heap and not in a native module, whose memory never shrinks;
 * a copy into the module and out of it again would take as long as these loops do.
 */
async function collectTurned(rows: Rows, orientation: Orientation): Promise<Uint32Array> {
  const { width, height } = rows;
  const { transpose, flipX, flipY } = turnOf(orientation);
  const pixels = new Uint32Array(width * height);
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
    const count = band.length / (width * 4);
    place(pixels, wordsOf(band), { width, count, start: start + y * stepY, stepX, stepY });
    y += count;
  }
  return pixels;
}

interface Placing {
  readonly width: number;
  readonly count: number;
  readonly start: number;
  readonly stepX: number;
  readonly stepY: number;
}

/** Rows that keep their direction are copied whole. */
function placeRows(pixels: Uint32Array, band: Uint32Array, { width, count, start, stepY }: Placing): void {
  for (let row = 0; row < count; row++) {
    pixels.set(band.subarray(row * width, row * width + width), start + row * stepY);
  }
}

/** Column by column, so that a transposed band is written in runs of its rows, each within a cache line or two. */
function placeColumns(pixels: Uint32Array, band: Uint32Array, { width, count, start, stepX, stepY }: Placing): void {
  for (let x = 0; x < width; x++) {
    let to = start + x * stepX;
    for (let from = x; from < count * width; from += width, to += stepY) pixels[to] = band[from]!;
  }
}

function wordsOf(band: Uint8Array): Uint32Array {
  const aligned = band.byteOffset % 4 === 0 ? band : band.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}
