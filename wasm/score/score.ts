/** SSIMULACRA 2.1 over rows; see comparison.c for the definition and its source. */
import { Held, MAX_ROWS } from "./held.ts";
import { MIN_SCORED_SIDE, steppingBytes } from "./plan.ts";

export { MIN_SCORED_SIDE };

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Bytes of native memory that comparing pictures of this size in step holds at most, on one background. */
export function scorePeakBytes(size: Size): number {
  return steppingBytes(size) + size.width * 4 * MAX_ROWS * 2;
}

/** Pixels, multiples of 32, at least 144: smaller tiles have no pixel at 1:16 that is away from their edges. 0: one tile across, or down. */
export interface Tile {
  readonly width: number;
  readonly height: number;
}

export interface Comparison {
  /** Rows that one call may push. */
  readonly maxRows: number;
  /** Takes the next rows of both pictures: RGBA8, straight alpha, sRGB, as many in one as in the other. */
  push(first: Uint8Array, second: Uint8Array): void;
  /** The score once all rows are in: 100 for identical pictures, above 90 hardly to be told apart, may be negative. */
  result(): number;
  close(): void;
}

/**
 * Compares two pictures of one size, at least MIN_SCORED_SIDE on each side.
 * `background` (0 to 1, sRGB) lies under transparent pixels. `tile` is given where both pictures consist of tiles: of what
 * lies near their edges nothing is counted.
 */
export function openComparison(width: number, height: number, background = 0.5, tile?: Tile): Comparison {
  const held = new Held();
  const first = held.band(width);
  const second = held.band(width);
  const { width: columns, height: rows } = tile ?? { width: 0, height: 0 };
  const reference = held.make(
    (exports) => exports.reference_open(width, height, background, columns, rows),
    (exports, pointer) => exports.reference_close(pointer),
  );
  const comparison = held.make(
    (exports) => exports.comparison_open(reference),
    (exports, pointer) => exports.comparison_close(pointer),
  );
  return {
    maxRows: MAX_ROWS,
    push(original, rendition) {
      held.fill(first, original);
      held.fill(second, rendition);
      const count = original.length / (width * 4);
      held.call((exports) => exports.comparison_push(comparison, first, second, count));
    },
    result: () => held.call((exports) => exports.comparison_result(comparison)),
    close: () => held.close(),
  };
}
