/** Pictures with an alpha channel that nothing shows through. */
import { UNPAUSED } from "../../scheduler/time-slice.ts";
import { bandsOf } from "./bands.ts";
import { bytesPerPixel, type Rows } from "./rows.ts";

const READ_ROWS = 16;

/** Whether nothing shows through a picture, which is read as far as that takes, and closed. */
export async function isOpaque(rows: Rows): Promise<boolean> {
  const pixel = bytesPerPixel(rows);
  const alphaBytes = pixel / 4;
  for await (const band of bandsOf(rows, { rows: READ_ROWS, timeSlice: UNPAUSED })) {
    let alpha = 255;
    for (let end = pixel; end <= band.length; end += pixel) {
      for (let at = end - alphaBytes; at < end; at++) alpha &= band[at]!;
    }
    if (alpha !== 255) return false;
  }
  return true;
}
