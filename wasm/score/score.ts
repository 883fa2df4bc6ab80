/** SSIMULACRA 2.1 over rows; see score.c for the definition and its source. */
import { native, type NativeExports } from "../load.ts";
import module from "./score.wasm";

interface ScoreExports extends NativeExports {
  score_open(width: number, height: number, background: number, tileColumns: number, tileRows: number): number;
  score_push(score: number, first: number, second: number, rows: number): void;
  score_result(score: number): number;
  score_close(score: number): void;
}

const scoring = native<ScoreExports>(module, { name: "score", keepBytes: 16 * 1024 * 1024 });

/** Pixels; a smaller picture has no score. */
export const MIN_SCORED_SIDE = 8;

/** Bytes of the rings of rows per column, over all scales: of the maps that matter, and of all maps. See score.c. */
const BYTES_PER_COLUMN = 1_500;
const BYTES_PER_COLUMN_ALL_MAPS = 2_600;
/** Pixels of the shorter side from which on a picture has all six scales; with fewer, all maps are computed. */
const ALL_SCALES_SIDE = 128;

/** Bytes of native memory that comparing pictures of this size holds at most. */
export function scorePeakBytes({ width, height }: { width: number; height: number }): number {
  const hasAllScales = Math.min(width, height) >= ALL_SCALES_SIDE;
  return (width + 64) * (hasAllScales ? BYTES_PER_COLUMN : BYTES_PER_COLUMN_ALL_MAPS) + 512 * 1024;
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
  const instance = scoring.acquire();
  const { exports } = instance;
  const maxRows = 16;
  const bandBytes = width * 4 * maxRows;
  let band = 0;
  let score = 0;
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    if (score) exports.score_close(score);
    if (band) exports.free(band);
    scoring.release(instance);
  };
  try {
    band = exports.malloc(bandBytes * 2);
    score = instance.run(() => exports.score_open(width, height, background, tile?.width ?? 0, tile?.height ?? 0));
  } catch (error) {
    close();
    throw error;
  }
  return {
    maxRows,
    push(first, second) {
      instance.bytes(band, first.length).set(first);
      instance.bytes(band + bandBytes, second.length).set(second);
      instance.run(() => exports.score_push(score, band, band + bandBytes, first.length / (width * 4)));
    },
    result: () => instance.run(() => exports.score_result(score)),
    close,
  };
}
