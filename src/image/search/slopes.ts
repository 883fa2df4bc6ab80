/** Pictures of slopes: skies, glows and shadows as they are drawn, where losing colors or levels makes stripes, and blocks show. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Scale } from "../codec/writer.ts";
import { bandsOf } from "../pixels/bands.ts";
import { firstFrame } from "../pixels/picture.ts";
import type { Sample } from "./sample.ts";
import { isLookedAtClosely } from "./second-opinion.ts";

/** Levels by which steps of luma change from a pixel to the next in a slope, at most: they are rounded. */
const MOST_BEND = 2;
/**
 * The part of a picture that is even or a slope, from which on it is of slopes. Drawn ones have 0.78 and more, photographs 0 to
 * 0.6 but for soft ones. Grain and detail hide stripes: counting them made files of photographs with a sky half as large again.
 */
const MOSTLY = 0.75;
const READ_ROWS = 32;

/** Whether renditions of a picture in a format with such qualities may have stripes. */
export async function mayHaveStripes(
  { makesStripes = false }: Pick<Scale, "makesStripes">,
  sample: Sample,
  timeSlice: TimeSlice,
): Promise<boolean> {
  return makesStripes && isOfSlopes(sample, timeSlice);
}

/** Whether most of a small picture, on white, is even or a slope without grain. */
export async function isOfSlopes({ picture, tiles }: Sample, timeSlice: TimeSlice): Promise<boolean> {
  const { width, height } = picture;
  if (!isLookedAtClosely(picture, tiles)) return false;
  let [above, middle]: (Float32Array | undefined)[] = [];
  let even = 0;
  for await (const band of bandsOf(await firstFrame(picture, timeSlice), { rows: READ_ROWS, timeSlice })) {
    for (let at = 0; at < band.length; at += 4 * width) {
      const below = lumaOf(band.subarray(at, at + 4 * width));
      if (above && middle) even += evenIn(above, middle, below);
      [above, middle] = [middle, below];
    }
  }
  return even > 0 && even >= MOSTLY * (width - 2) * (height - 2);
}

/** Pixels of the middle row that bend little, across and down. */
function evenIn(above: Float32Array, middle: Float32Array, below: Float32Array): number {
  let even = 0;
  for (let x = 1; x < middle.length - 1; x++) {
    const twice = 2 * (middle[x] ?? 0);
    const across = Math.abs((middle[x - 1] ?? 0) + (middle[x + 1] ?? 0) - twice);
    const down = Math.abs((above[x] ?? 0) + (below[x] ?? 0) - twice);
    if (across <= MOST_BEND && down <= MOST_BEND) even++;
  }
  return even;
}

/** Luma of a row on white, in levels. */
function lumaOf(row: Uint8Array): Float32Array {
  const luma = new Float32Array(row.length / 4);
  for (let x = 0; x < luma.length; x++) {
    const color = 0.299 * (row[4 * x] ?? 0) + 0.587 * (row[4 * x + 1] ?? 0) + 0.114 * (row[4 * x + 2] ?? 0);
    luma[x] = 255 + ((color - 255) * (row[4 * x + 3] ?? 0)) / 255;
  }
  return luma;
}
