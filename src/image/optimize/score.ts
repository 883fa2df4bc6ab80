/** How alike two pictures look, by SSIMULACRA 2.1. */
import { beside, type Price, priced } from "../../../wasm/price.ts";
import {
  type Comparison,
  MIN_SCORED_SIDE,
  openComparison,
  scorePeakBytes,
  type Tile,
} from "../../../wasm/score/score.ts";
import type { Breath } from "../breath.ts";
import type { Size } from "../geometry.ts";
import type { Rows } from "../rows.ts";
import { comparedRows, onlyStrips, type Strip, STRIP_ROWS, stripsOf } from "./strips.ts";

/** Backgrounds under transparent pixels: a picture is as good as it looks on the worse of a dark and a bright page. */
export const BACKGROUNDS = [0.1, 0.9] as const;
const OPAQUE_BACKGROUND = [0.5] as const;

/** Of a picture with fewer pixels the score says little: a ruined checkerboard of 8 x 8 has 84, a face of 32 x 32 has 87. */
const MIN_SCORED_PIXELS = 48 * 48;

/** Comparing two pictures on one background takes this long for a pixel of both. */
const COMPARE_NS = 170;

/** Whether pictures of this size have a score that can be relied on. */
export function canScore({ width, height }: Size): boolean {
  return width >= MIN_SCORED_SIDE && height >= MIN_SCORED_SIDE && width * height >= MIN_SCORED_PIXELS;
}

/** Of comparing a picture of this size with one rendition, strip by strip if it is large. */
export function scorePrice(picture: Size & { readonly opaque: boolean }): Price {
  const one = priced(scorePeakBytes(picture), picture.width * comparedRows(picture), COMPARE_NS);
  return picture.opaque ? one : beside(one, one);
}

/** Of comparing two pictures as they are, without strips. */
export function comparePrice(size: Size): Price {
  return priced(scorePeakBytes(size), size.width * size.height, COMPARE_NS);
}

/**
 * The score of `second` as a rendition of `first`: 100 is identical, 90 hardly to be told apart, 70 good, 50 visibly
 * worse. Of large pictures strips are compared. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export async function scoreRows(first: Rows, second: Rows, breath: Breath): Promise<number> {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  const strips = stripsOf(first);
  return compareRows(onlyStrips(first, strips), onlyStrips(second, strips), breath, { tile: tileOf(strips) });
}

/** How pictures that consist of such strips are to be compared. */
export function tileOf(strips: readonly Strip[]): Tile | undefined {
  return strips.length > 1 ? { width: 0, height: STRIP_ROWS } : undefined;
}

export interface Comparing {
  /** Both pictures consist of tiles of this size; absent for pictures that are compared as a whole. */
  readonly tile?: Tile | undefined;
  /** The only background to look at them on; by default the worse of `BACKGROUNDS` counts. */
  readonly background?: number | undefined;
}

/**
 * The score of two pictures, or of two that consist of tiles. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export async function compareRows(
  first: Rows,
  second: Rows,
  breath: Breath,
  { tile, background }: Comparing = {},
): Promise<number> {
  const { width, height } = first;
  if (width !== second.width || height !== second.height) throw new RangeError("sizes differ");
  const all = first.opaque && second.opaque ? OPAQUE_BACKGROUND : BACKGROUNDS;
  const backgrounds = background === undefined ? all : [background];
  const comparisons: Comparison[] = [];
  try {
    for (const shown of backgrounds) comparisons.push(openComparison(width, height, shown, tile));
    await readTogether(first, second, comparisons, breath);
    return Math.min(...comparisons.map((comparison) => comparison.result()));
  } finally {
    for (const comparison of comparisons) comparison.close();
    first.close();
    second.close();
  }
}

/** Reads two pictures in step, whatever bands they come in. */
async function readTogether(
  first: Rows,
  second: Rows,
  comparisons: readonly Comparison[],
  breath: Breath,
): Promise<void> {
  const stride = first.width * 4;
  const maxRows = comparisons[0]?.maxRows ?? 1;
  const bands = [new Uint8Array(stride * maxRows), new Uint8Array(stride * maxRows)] as const;
  for (let y = 0; y < first.height; y += maxRows) {
    const rows = Math.min(maxRows, first.height - y);
    const [one, other] = bands.map((band) => band.subarray(0, rows * stride)) as [Uint8Array, Uint8Array];
    await readInto(first, one);
    await readInto(second, other);
    for (const comparison of comparisons) comparison.push(one, other);
    await breath.spend((rows * first.width * comparisons.length * COMPARE_NS) / 1e6);
  }
}

/** Reads as many rows as `band` holds. */
async function readInto(rows: Rows, band: Uint8Array): Promise<void> {
  const stride = rows.width * 4;
  for (let at = 0; at < band.length;) {
    const read = await rows.read((band.length - at) / stride);
    if (!read) throw new RangeError("a picture ended early");
    band.set(read, at);
    at += read.length;
  }
}
