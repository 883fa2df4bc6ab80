/** Pictures whose files without loss, or nearly, can be smaller than lossy ones that look as good: drawings and screens. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { bandsOf } from "../pixels/bands.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";

/**
 * The part of a picture's pixels that have the color of the one before, from which on it may be worth writing without
 * loss: of photographs with less, files without loss take six times the bytes and more.
 */
const FLAT = 0.45;
const READ_ROWS = 32;

/** Whether a picture has areas of one color, as drawings and screens do. */
export async function isFlat(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  let same = 0;
  for await (const band of bandsOf(await firstFrame(picture, timeSlice), { rows: READ_ROWS, timeSlice })) {
    const view = new DataView(band.buffer, band.byteOffset, band.length);
    let before = -1;
    for (let at = 0; at < band.length; at += 4) {
      const pixel = view.getUint32(at);
      if (pixel === before) same++;
      before = pixel;
    }
  }
  return same >= FLAT * picture.width * picture.height;
}

/** Colors that a palette holds. */
const PALETTE_COLORS = 256;

/** Whether a palette holds all colors of a picture. */
export async function hasFewColors(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  const colors = new Set<number>();
  for await (const band of bandsOf(await firstFrame(picture, timeSlice), { rows: READ_ROWS, timeSlice })) {
    const view = new DataView(band.buffer, band.byteOffset, band.length);
    for (let at = 0; at < band.length; at += 4) colors.add(view.getUint32(at));
    if (colors.size > PALETTE_COLORS) return false;
  }
  return true;
}
