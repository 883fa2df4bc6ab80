/** The pixels of a picture on white, for what knows no alpha. */
import { WHITE } from "../color/rgba.ts";
import { pixelsOf, rowsOver } from "../pixels/rows.ts";
import type { Small } from "../steps/analysis.ts";
import { flatten } from "../steps/flatten.ts";

/** @returns RGBA8, opaque; the pixels themselves where they are */
export async function overWhite(small: Small): Promise<Uint8Array> {
  return small.opaque ? small.pixels : pixelsOf(flatten(rowsOver(small.pixels, small), WHITE));
}
