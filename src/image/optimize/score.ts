/** How alike two pictures look, by SSIMULACRA 2.1. */
import { type Comparison, MIN_SCORED_SIDE, openComparison, type Tile } from "../../../wasm/score/score.ts";
import type { Rows } from "../rows.ts";
import { onlyStrips, type Strip, STRIP_ROWS, stripsOf } from "./strips.ts";

/** Backgrounds under transparent pixels: a picture is as good as it looks on the worse of a dark and a bright page. */
export const BACKGROUNDS = [0.1, 0.9] as const;
const OPAQUE_BACKGROUND = [0.5] as const;

/** Of a picture with fewer pixels the score says little: a ruined checkerboard of 8 x 8 has 84, a face of 32 x 32 has 87. */
const MIN_SCORED_PIXELS = 48 * 48;

/** Whether pictures of this size have a score that can be relied on. */
export function canScore({ width, height }: { width: number; height: number }): boolean {
  return width >= MIN_SCORED_SIDE && height >= MIN_SCORED_SIDE && width * height >= MIN_SCORED_PIXELS;
}

/**
 * The score of `second` as a rendition of `first`: 100 is identical, 90 hardly to be told apart, 70 good, 50 visibly
 * worse. Of large pictures strips are compared. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export function scoreRows(first: Rows, second: Rows): number {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  const strips = stripsOf(first);
  return compareRows(onlyStrips(first, strips), onlyStrips(second, strips), tileOf(strips));
}

/** How pictures that consist of such strips are to be compared. */
export function tileOf(strips: readonly Strip[]): Tile | undefined {
  return strips.length > 1 ? { width: 0, height: STRIP_ROWS } : undefined;
}

/**
 * The same for pictures that consist of tiles, and for all of a picture without `tile`.
 * @param only the background to look at them on; by default the worse of `BACKGROUNDS`
 * @throws RangeError when the sizes differ
 */
export function compareRows(first: Rows, second: Rows, tile?: Tile, only?: number): number {
  const { width, height } = first;
  if (width !== second.width || height !== second.height) throw new RangeError("sizes differ");
  const all = first.opaque && second.opaque ? OPAQUE_BACKGROUND : BACKGROUNDS;
  const backgrounds = only === undefined ? all : [only];
  const comparisons: Comparison[] = [];
  try {
    for (const background of backgrounds) comparisons.push(openComparison(width, height, background, tile));
    readTogether(first, second, comparisons);
    return Math.min(...comparisons.map((comparison) => comparison.result()));
  } finally {
    for (const comparison of comparisons) comparison.close();
    first.close();
    second.close();
  }
}

/** Reads two pictures in step, whatever bands they come in. */
function readTogether(first: Rows, second: Rows, comparisons: readonly Comparison[]): void {
  const stride = first.width * 4;
  const maxRows = comparisons[0]?.maxRows ?? 1;
  const bands = [new Uint8Array(stride * maxRows), new Uint8Array(stride * maxRows)] as const;
  for (let y = 0; y < first.height; y += maxRows) {
    const bytes = Math.min(maxRows, first.height - y) * stride;
    const [one, other] = bands.map((band) => band.subarray(0, bytes)) as [Uint8Array, Uint8Array];
    fill(first, one);
    fill(second, other);
    for (const comparison of comparisons) comparison.push(one, other);
  }
}

/** Reads as many rows as `band` holds. */
function fill(rows: Rows, band: Uint8Array): void {
  const stride = rows.width * 4;
  for (let at = 0; at < band.length;) {
    const read = rows.read((band.length - at) / stride);
    if (!read) throw new RangeError("a picture ended early");
    band.set(read, at);
    at += read.length;
  }
}
