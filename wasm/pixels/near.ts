/** Rows that deflate stores in fewer bits behind PNG's average filter, samples moved by a few levels. */
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
 * Only multiples of `step` levels, 2 to 63, are left of what a sample differs by from its prediction: it moves by half of
 * that, and by what it is passed of the errors before it, if those are passed on. Alpha does not move.
 * @throws NativeError when memory ran out
 */
export function openNearRows(width: number, step: number, passes: boolean): NearRows {
  const handle = new Handle(
    (exports) => exports.near_open(width, step, NEAR_WINDOW_ROWS, passes ? 1 : 0),
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

/** What is passed on to pixels of this row and of the next. */
const ERROR_BYTES = 2 * 16;
/** Moving the samples of a pixel. */
const NANOSECONDS = 13;

/** The estimate of moving so many pixels in rows of `width`. */
export function nearEstimate(width: number, pixels: number): Estimate {
  const rows = width * 4 * (NEAR_WINDOW_ROWS + 1);
  return estimated(rows + (width + 2) * ERROR_BYTES, pixels, NANOSECONDS);
}
