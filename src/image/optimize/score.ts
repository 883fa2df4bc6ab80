/** How alike two pictures look, by SSIMULACRA 2.1. */
import { type Comparison, MIN_SCORED_SIDE, openComparison } from "../../../wasm/score/score.ts";
import type { Size } from "../geometry.ts";
import type { Rows } from "../rows.ts";

/** Backgrounds under transparent pixels: a picture is as good as it looks on the worse of a dark and a bright page. */
const BACKGROUNDS = [0.1, 0.9] as const;
const OPAQUE_BACKGROUND = [0.5] as const;

/** Of a picture with fewer pixels the score says little: a ruined checkerboard of 8 x 8 has 84, a face of 32 x 32 has 87. */
const MIN_SCORED_PIXELS = 48 * 48;

/** Whether pictures of this size have a score that can be relied on. */
export function canScore({ width, height }: { width: number; height: number }): boolean {
  return width >= MIN_SCORED_SIDE && height >= MIN_SCORED_SIDE && width * height >= MIN_SCORED_PIXELS;
}

/** Pixels from which on only strips of a picture are compared, about as many, evenly spread from top to bottom. */
const MAX_COMPARED_PIXELS = 4_000_000;
/** High enough for most of a strip to be away from its edges at the coarsest scale that counts. */
const STRIP_ROWS = 192;
const MIN_STRIPS = 6;

/**
 * The score of `second` as a rendition of `first`: 100 is identical, 90 hardly to be told apart, 70 good, 50 visibly
 * worse. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export function scoreRows(first: Rows, second: Rows, maxPixels = MAX_COMPARED_PIXELS): number {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  const strips = stripsOf(first, maxPixels);
  const height = strips.reduce((sum, strip) => sum + strip.rows, 0);
  const tile = strips.length > 1 ? { width: 0, height: STRIP_ROWS } : undefined;
  const backgrounds = first.opaque && second.opaque ? OPAQUE_BACKGROUND : BACKGROUNDS;
  const comparisons: Comparison[] = [];
  try {
    for (const background of backgrounds) comparisons.push(openComparison(first.width, height, background, tile));
    readTogether(first, second, strips, comparisons);
    return Math.min(...comparisons.map((comparison) => comparison.result()));
  } finally {
    for (const comparison of comparisons) comparison.close();
    first.close();
    second.close();
  }
}

interface Strip {
  readonly y: number;
  readonly rows: number;
}

/** The rows to compare: all of a small picture, strips of a large one, which lie on the grid of 16 of the codecs. */
function stripsOf({ width, height }: Size, maxPixels: number): Strip[] {
  const count = Math.max(MIN_STRIPS, Math.floor(maxPixels / (width * STRIP_ROWS)));
  if (width * height <= maxPixels || count * STRIP_ROWS >= height) return [{ y: 0, rows: height }];
  const gap = (height - count * STRIP_ROWS) / count;
  return Array.from({ length: count }, (_, index) => ({
    y: Math.floor((gap / 2 + index * (gap + STRIP_ROWS)) / 16) * 16,
    rows: STRIP_ROWS,
  }));
}

/** Reads two pictures in step, whatever bands they come in. */
function readTogether(first: Rows, second: Rows, strips: readonly Strip[], comparisons: readonly Comparison[]): void {
  const stride = first.width * 4;
  const maxRows = comparisons[0]?.maxRows ?? 1;
  const bands = [new Uint8Array(stride * maxRows), new Uint8Array(stride * maxRows)] as const;
  let y = 0;
  const read = (rows: number) => {
    const [one, other] = bands.map((band) => band.subarray(0, rows * stride)) as [Uint8Array, Uint8Array];
    fill(first, one);
    fill(second, other);
    y += rows;
    return [one, other] as const;
  };
  for (const strip of strips) {
    while (y < strip.y) read(Math.min(maxRows, strip.y - y));
    while (y < strip.y + strip.rows) {
      const pair = read(Math.min(maxRows, strip.y + strip.rows - y));
      for (const comparison of comparisons) comparison.push(...pair);
    }
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
