/** Rows that deflate stores in fewer bits behind PNG's average filter, samples moved by at most a few levels. */
import { type Estimate, estimated } from "../estimate.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";

/** Rows that are taken at a time. */
export const NEAR_WINDOW_ROWS = WINDOW_ROWS;

export interface NearRows {
  /** Takes at most `NEAR_WINDOW_ROWS` whole rows, RGBA8; a view of the result, valid until the next call. */
  move(rows: Uint8Array): Uint8Array;
  close(): void;
}

/**
 * Every sample may move by half of `step` levels, 2 to 31; alpha does not.
 * @throws NativeError when memory ran out
 */
export function openNearRows(width: number, step: number): NearRows {
  const handle = new Handle(
    (exports) => exports.near_open(width, step, NEAR_WINDOW_ROWS),
    (exports, pointer) => exports.near_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.near_window(pointer));
  return {
    move(rows) {
      handle.bytes(window, rows.length).set(rows);
      handle.call((exports, pointer) => exports.near_move(pointer, rows.length / (width * 4)));
      return handle.bytes(window, rows.length);
    },
    close: () => handle.close(),
  };
}

/** Moving the samples of a pixel. */
const NANOSECONDS = 6;

/** The estimate of moving so many pixels in rows of `width`. */
export function nearEstimate(width: number, pixels: number): Estimate {
  return estimated(width * 4 * (NEAR_WINDOW_ROWS + 1), pixels, NANOSECONDS);
}
