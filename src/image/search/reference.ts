/** What renditions of a picture are compared with: the whole picture, or strips of a large one, and its sample. */
import { held, type Estimate } from "../../../wasm/estimate.ts";
import type { Tile } from "../../../wasm/score/score.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { collectPixels, pixelBytes, rowsOfPixels } from "../pixels/buffered.ts";
import type { Size } from "../pixels/geometry.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { comparedRows, onlyStrips, type Strip, stripsOf } from "../pixels/strips.ts";
import { SAMPLE_TILE, type Sample, sampleOf } from "./sample.ts";
import { type Comparing, compareRows, inComparedColors, tileOf } from "./score.ts";
import type { Judgement } from "./second-opinion.ts";

type Compared = Pick<Picture, "width" | "height" | "opaque" | "space">;

/** The estimate of keeping what is compared of a picture, so that it is not computed anew for each rendition. */
export function comparedPixelsEstimate(picture: Compared): Estimate {
  return held(pixelBytes({ ...picture, height: comparedRows(picture) }));
}

export class Reference {
  readonly size: Size;
  readonly sample: Sample;
  private readonly open: () => Promise<Rows>;
  private readonly strips: readonly Strip[];
  /** How what is compared of the sample lies; absent where it is the whole picture, and that no strips. */
  private readonly tile: Tile | undefined;
  private readonly timeSlice: TimeSlice;

  private constructor(picture: Picture, sample: Sample, open: () => Promise<Rows>, timeSlice: TimeSlice) {
    this.size = { width: picture.width, height: picture.height };
    this.sample = sample;
    this.open = open;
    this.strips = stripsOf(picture);
    this.tile = tileIn(sample, this.strips);
    this.timeSlice = timeSlice;
  }

  /**
   * Reads a picture as far as it will be compared.
   * @param keepsPixels what is compared of it stays in memory; otherwise the picture is read anew for each score
   * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
   */
  static async of(
    picture: Picture,
    keepsPixels: boolean,
    timeSlice: TimeSlice,
    tilesOfSmall?: boolean,
  ): Promise<Reference> {
    const strips = stripsOf(picture);
    const read = async () => onlyStrips(await firstFrame(picture, timeSlice), strips);
    const pixels = keepsPixels ? await collectPixels(await read(), timeSlice) : undefined;
    const open = pixels ? async () => rowsOfPixels(pixels) : read;
    const sample = await sampleOf(await open(), picture, strips, tilesOfSmall);
    return new Reference(picture, sample, open, timeSlice);
  }

  /** What both opinions say of a rendition of the picture, which is read to its end and closed. */
  async judge(rendition: Rows, mayStripe?: boolean): Promise<Judgement> {
    if (!this.tile) return this.judgeSample(rendition, mayStripe);
    const shown = onlyStrips(rendition, this.strips);
    return this.compared(await this.open(), shown, { mayStripe, tile: tileOf(this.strips) });
  }

  /** What both opinions say of a rendition of the sample. */
  async judgeSample(rendition: Rows, mayStripe?: boolean): Promise<Judgement> {
    const { sample, timeSlice, tile } = this;
    return this.compared(await firstFrame(sample.picture, timeSlice), rendition, { mayStripe, tile });
  }

  private compared(original: Rows, shown: Rows, comparing: Comparing): Promise<Judgement> {
    const { space } = this.sample.picture;
    return compareRows(inComparedColors(original, space), inComparedColors(shown, space), this.timeSlice, comparing);
  }
}

function tileIn({ tiles }: Sample, strips: readonly Strip[]): Tile | undefined {
  return tiles ? SAMPLE_TILE : tileOf(strips);
}
