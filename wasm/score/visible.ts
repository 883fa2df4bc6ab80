/** What is seen of two pictures in their worst places; see visible.c for the definition. */
import { Held, MAX_ROWS } from "./held.ts";
import type { Tile } from "./score.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface VisibleDifference {
  /** Takes the next rows of both pictures: RGBA8, straight alpha, sRGB, as many in one as in the other, at most `MAX_ROWS`. */
  push(first: Uint8Array, second: Uint8Array): void;
  /**
   * The mean error of the worst 2 % of the cells, once all rows are in, or how far flat colors were apart that are one, whichever
   * is more: 0 for identical pictures, 1 is hardly to be seen at twice the size, 2 is. Infinite without any row. It is asked for
   * once.
   */
  result(): number;
  close(): void;
}

/**
 * Compares two pictures of this size.
 * @param isOpaque nothing can be seen through either of them
 * @param isSmall they are looked at from close by: slopes and flat ground beside edges hide nothing
 * @param mayStripe the second has few colors or levels: steps that these make of slopes count
 * @param tile given where both pictures consist of tiles: what lies within 8 pixels of their seams is not counted, but for
 *   the middle of small tiles
 * @throws NativeError when memory does not suffice
 */
export function openVisibleDifference(
  { width, height }: Size,
  isOpaque: boolean,
  isSmall: boolean,
  mayStripe: boolean,
  tile?: Tile,
): VisibleDifference {
  const held = new Held();
  const first = held.band(width);
  const second = held.band(width);
  const opened = held.make(
    (exports) =>
      exports.visible_open(
        width,
        height,
        isOpaque ? 1 : 0,
        isSmall ? 1 : 0,
        mayStripe ? 1 : 0,
        tile?.width ?? 0,
        tile?.height ?? 0,
      ),
    (exports, visible) => exports.visible_close(visible),
  );
  return {
    push(original, rendition) {
      held.fill(first, original);
      held.fill(second, rendition);
      const rows = original.length / (width * 4);
      held.call((exports) => exports.visible_push(opened, first, second, rows));
    },
    result: () => held.call((exports) => exports.visible_result(opened)),
    close: () => held.close(),
  };
}

/** Bytes of the counts, of flat colors and of what an allocation takes. */
const FIXED_BYTES = 64 * 1024;
/** Cells of 4 pixels, three rows of them, each of nine numbers; four more of a row. */
const CELL_BYTES = 3 * 36;
const ROW_BYTES = 4 * 4;
const CELL = 4;
const PLANES = 3;

/** Bytes of native memory that a comparison of pictures of this width holds. */
export function visibleBytes(width: number): number {
  const across = Math.ceil(width / CELL) + CELL * 3;
  return FIXED_BYTES + width * 4 * MAX_ROWS * 2 + across * (CELL * CELL * 4 * 2 + CELL_BYTES * PLANES + ROW_BYTES);
}
