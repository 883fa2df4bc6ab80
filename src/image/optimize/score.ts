/** How alike two pictures look, by SSIMULACRA 2.1. */
import { type Comparison, MIN_SCORED_SIDE, openComparison } from "../../../wasm/score/score.ts";
import type { Rows } from "../rows.ts";

/** Backgrounds under transparent pixels: a picture is as good as it looks on the worse of a dark and a bright page. */
const BACKGROUNDS = [0.1, 0.9] as const;
const OPAQUE_BACKGROUND = [0.5] as const;

/** Whether pictures of this size have a score. */
export function canScore({ width, height }: { width: number; height: number }): boolean {
  return width >= MIN_SCORED_SIDE && height >= MIN_SCORED_SIDE;
}

/**
 * The score of `second` as a rendition of `first`: 100 is identical, 90 hardly to be told apart, 70 good, 50 visibly
 * worse. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export function scoreRows(first: Rows, second: Rows): number {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  const backgrounds = first.opaque && second.opaque ? OPAQUE_BACKGROUND : BACKGROUNDS;
  const comparisons: Comparison[] = [];
  try {
    for (const background of backgrounds) {
      comparisons.push(openComparison(first.width, first.height, background));
    }
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
  for (let y = 0; y < first.height;) {
    const rows = Math.min(maxRows, first.height - y);
    fill(first, bands[0].subarray(0, rows * stride));
    fill(second, bands[1].subarray(0, rows * stride));
    for (const comparison of comparisons) {
      comparison.push(bands[0].subarray(0, rows * stride), bands[1].subarray(0, rows * stride));
    }
    y += rows;
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
