/** Pictures of slopes: skies, glows and shadows as they are drawn, where losing colors or levels makes stripes, and blocks show. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Scale } from "../codec/writer.ts";
import { bandsOfFirst } from "../pixels/bands.ts";
import type { Sample } from "./sample.ts";
import { isLookedAtClosely } from "./second-opinion.ts";

/** What tells pictures of slopes. */
interface Slopes {
  /** Levels by which steps of luma change from a pixel to the next in a slope, at most: they are rounded. */
  readonly mostBend: number;
  /** The part of a picture that is even or a slope, from which on it is of slopes. */
  readonly mostly: number;
}

/**
 * Grain and detail hide stripes: counting them made files of photographs with a sky half as large again. Of small pictures drawn
 * ones have 0.78 and more, photographs 0 to 0.6 but for soft ones. Large photographs are softer, from pixel to pixel: by half of
 * that bend they have 0.03 to 0.56, one of a camera on an empty ground 0.77, drawings and screens 0.91 and more.
 */
const SLOPES = { small: { mostBend: 2, mostly: 0.75 }, large: { mostBend: 1, mostly: 0.8 } } as const;

/** Whether renditions of a picture in a format with such qualities may have stripes. */
export async function mayHaveStripes(
  { makesStripes }: Pick<Scale, "makesStripes">,
  sample: Sample,
  timeSlice: TimeSlice,
): Promise<boolean> {
  const isSeen = makesStripes === "steps" || isLookedAtClosely(sample.picture, sample.tiles);
  return makesStripes !== undefined && isSeen && isOfSlopes(sample, timeSlice);
}

/** Whether most of a picture, on white, is even or a slope without grain. */
export async function isOfSlopes({ picture, tiles }: Sample, timeSlice: TimeSlice): Promise<boolean> {
  const { width, height } = picture;
  const { mostBend, mostly }: Slopes = isLookedAtClosely(picture, tiles) ? SLOPES.small : SLOPES.large;
  const mostUneven = (1 - mostly) * (width - 2) * (height - 2);
  let [above, middle]: (Float32Array | undefined)[] = [];
  let even = 0;
  let uneven = 0;
  for await (const band of bandsOfFirst(picture, timeSlice)) {
    for (let at = 0; at < band.length; at += 4 * width) {
      const below = lumaOf(band.subarray(at, at + 4 * width));
      if (above && middle) {
        const inRow = evenIn(above, middle, below, mostBend);
        even += inRow;
        uneven += width - 2 - inRow;
      }
      if (uneven > mostUneven) return false;
      [above, middle] = [middle, below];
    }
  }
  return even > 0;
}

/** Pixels of the middle row that bend little, across and down. */
function evenIn(above: Float32Array, middle: Float32Array, below: Float32Array, mostBend: number): number {
  let even = 0;
  for (let x = 1; x < middle.length - 1; x++) {
    const twice = 2 * (middle[x] ?? 0);
    const across = Math.abs((middle[x - 1] ?? 0) + (middle[x + 1] ?? 0) - twice);
    const down = Math.abs((above[x] ?? 0) + (below[x] ?? 0) - twice);
    if (across <= mostBend && down <= mostBend) even++;
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
