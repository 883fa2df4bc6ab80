/** What renditions of a picture are compared with: the whole picture, or strips of a large one, and its sample. */
import { held, type Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { collectPixels, pixelBytes, rowsOfPixels } from "../pixels/buffered.ts";
import type { Size } from "../pixels/geometry.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { comparedRows, onlyStrips, stripsOf } from "../pixels/strips.ts";
import { SAMPLE_TILE, type Sample, sampleOf } from "./sample.ts";
import { type Comparing, compareRows, inComparedColors, tileOf } from "./score.ts";
import type { Judgement } from "./second-opinion.ts";

type Compared = Pick<Picture, "width" | "height" | "opaque" | "space">;

/** The estimate of keeping what is compared of a picture, so that it is not computed anew for each rendition. */
export function comparedPixelsEstimate(picture: Compared): Estimate {
  return held(pixelBytes({ ...picture, height: comparedRows(picture) }));
}

export interface Reference {
  readonly size: Size;
  readonly sample: Sample;
  /** What both opinions say of a rendition of the picture, which is read to its end and closed. */
  readonly judge: (rendition: Rows, mayStripe?: boolean) => Promise<Judgement>;
  /** What both opinions say of a rendition of the sample. */
  readonly judgeSample: (rendition: Rows, mayStripe?: boolean) => Promise<Judgement>;
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
  const compared = (original: Rows, shown: Rows, comparing: Comparing) =>
    compareRows(inComparedColors(original, space), inComparedColors(shown, space), timeSlice, comparing);
  const tile = sample.tiles ? SAMPLE_TILE : tileOf(strips);
  const judgeSample: Reference["judgeSample"] = async (rendition, mayStripe) =>
    compared(await firstFrame(sample.picture, timeSlice), rendition, { mayStripe, tile });
  return {
    size: { width, height },
    sample,
    judgeSample,
    async judge(rendition, mayStripe) {
      // Where the sample is the whole picture, and that no strips, it is what is compared.
      if (!tile) return judgeSample(rendition, mayStripe);
      return compared(await open(), onlyStrips(rendition, strips), { mayStripe, tile: tileOf(strips) });
    },
  };
}
