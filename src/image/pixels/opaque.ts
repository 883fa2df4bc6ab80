/** Pictures with an alpha channel that nothing shows through. */
import { UNPAUSED } from "../../scheduler/time-slice.ts";
import { bandsOf } from "./bands.ts";
import type { Rows } from "./rows.ts";

const READ_ROWS = 16;

/** Whether nothing shows through a picture, which is read as far as that takes, and closed. */
export async function isOpaque(rows: Rows): Promise<boolean> {
  for await (const band of bandsOf(rows, { rows: READ_ROWS, timeSlice: UNPAUSED })) {
    let alpha = 255;
    for (let at = 3; at < band.length; at += 4) alpha &= band[at]!;
    if (alpha !== 255) return false;
  }
  return true;
}
