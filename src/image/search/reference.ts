/** What renditions of a picture are compared with: the whole picture, or strips of a large one, and its sample. */
import { held, type Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { collectPixels, pixelBytes, rowsOfPixels } from "../pixels/buffered.ts";
import type { Size } from "../pixels/geometry.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { comparedRows, onlyStrips, stripsOf } from "../pixels/strips.ts";
import { SAMPLE_TILE, type Sample, sampleOf } from "./sample.ts";
import { type Comparing, compareRows, inComparedColors, secondPointsOf, tileOf } from "./score.ts";
import type { Judgement } from "./second-opinion.ts";

type Compared = Pick<Picture, "width" | "height" | "opaque" | "space">;

/** The estimate of keeping what is compared of a picture, so that it is not computed anew for each rendition. */
export function comparedPixelsEstimate(picture: Compared): Estimate {
  return held(pixelBytes({ ...picture, height: comparedRows(picture) }));
}

export interface Reference {
  readonly size: Size;
  readonly sample: Sample;
  /** What is said of a rendition of the picture, which is read to its end and closed. */
  readonly judge: Opinions;
  /** What is said of a rendition of the sample. */
  readonly judgeSample: Opinions;
}

/** How those look at renditions who judge them. */
interface Opinions {
  /** What both opinions say; of the second one the points, where it was asked before. */
  readonly both: (rendition: Rows, mayStripe?: boolean, secondPoints?: number) => Promise<Judgement>;
  /** The points of the second opinion alone. */
  readonly second: (rendition: Rows, mayStripe?: boolean) => Promise<number>;
}

/**
 * Reads a picture as far as it will be compared.
 * @param keepsPixels what is compared of it stays in memory; otherwise the picture is read anew for each score
 * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
 */
export async function referenceOf(
  picture: Picture,
  keepsPixels: boolean,
  timeSlice: TimeSlice,
  tilesOfSmall?: boolean,
): Promise<Reference> {
  const { width, height, space } = picture;
  const strips = stripsOf(picture);
  const read = async () => onlyStrips(await firstFrame(picture, timeSlice), strips);
  const pixels = keepsPixels ? await collectPixels(await read(), timeSlice) : undefined;
  const open = pixels ? async () => rowsOfPixels(pixels) : read;
  const sample = await sampleOf(await open(), picture, strips, tilesOfSmall);
  const opinions = (
    original: () => Promise<Rows>,
    part: (rendition: Rows) => Rows,
    tile: Comparing["tile"],
  ): Opinions => {
    const colors = (rows: Rows) => inComparedColors(rows, space);
    return {
      both: async (rendition, mayStripe, secondPoints) =>
        compareRows(colors(await original()), colors(part(rendition)), timeSlice, { mayStripe, tile }, secondPoints),
      second: async (rendition, mayStripe) =>
        secondPointsOf(colors(await original()), colors(part(rendition)), timeSlice, { mayStripe, tile }),
    };
  };
  const tile = sample.tiles ? SAMPLE_TILE : tileOf(strips);
  const judgeSample = opinions(
    () => firstFrame(sample.picture, timeSlice),
    (rendition) => rendition,
    tile,
  );
  // Where the sample is the whole picture, and that no strips, it is what is compared.
  const judge = tile ? opinions(open, (rendition) => onlyStrips(rendition, strips), tileOf(strips)) : judgeSample;
  return { size: { width, height }, sample, judgeSample, judge };
}
