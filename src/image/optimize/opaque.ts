/** Pictures with an alpha channel that nothing shows through. */
import { firstFrame, type Picture } from "../picture.ts";
import type { Rows } from "../rows.ts";

const READ_ROWS = 16;

/** A still picture that keeps its pixels, which says that it is opaque if none of them is translucent. */
export function knownToBeOpaque(picture: Picture): Picture {
  if (picture.opaque || !isOpaque(firstFrame(picture))) return picture;
  return { ...picture, opaque: true, open: () => [{ delayMs: 0, rows: { ...firstFrame(picture), opaque: true } }] };
}

/** Whether nothing shows through a picture, which is read as far as that takes, and closed. */
export function isOpaque(rows: Rows): boolean {
  try {
    for (let band = rows.read(READ_ROWS); band; band = rows.read(READ_ROWS)) {
      let alpha = 255;
      for (let at = 3; at < band.length; at += 4) alpha &= band[at]!;
      if (alpha !== 255) return false;
    }
    return true;
  } finally {
    rows.close();
  }
}
