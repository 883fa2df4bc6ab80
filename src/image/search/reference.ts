/** What renditions of a picture are compared with: the whole picture, or strips of a large one, and its sample. */
import { held, type Estimate } from "../../../wasm/estimate.ts";
import type { PreparedReference, Tile } from "../../../wasm/score/score.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { collectPixels, pixelBytes, rowsOfPixels } from "../pixels/buffered.ts";
import type { Size } from "../pixels/geometry.ts";
import { firstFrame, type Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { comparedRows, onlyStrips, type Strip, stripsOf } from "../pixels/strips.ts";
import { SAMPLE_TILE, type Sample, sampleOf, sampleSize } from "./sample.ts";
import {
  type Comparing,
  compareRows,
  compareWith,
  inComparedColors,
  preparedOf,
  prepareEstimate,
  tileOf,
} from "./score.ts";
import type { Judgement } from "./second-opinion.ts";

type Compared = Pick<Picture, "width" | "height" | "opaque" | "space">;

/** The estimate of keeping what is compared of a picture, so that it is not computed anew for each rendition. */
export function comparedPixelsEstimate(picture: Compared): Estimate {
  return held(pixelBytes({ ...picture, height: comparedRows(picture) }));
}

/** The estimate of preparing the sample of a picture, so that its side of a comparison is computed once. */
export function preparedSampleEstimate(picture: Compared, tilesOfSmall?: boolean): Estimate {
  return prepareEstimate({ ...picture, ...sampleSize(picture, tilesOfSmall) });
}

/** What takes memory to save time. */
export interface Keeping {
  /** What is compared of the picture stays in memory; otherwise the picture is read anew for each score. */
  readonly pixels: boolean;
  /** What comparisons need of the sample is computed once, and not for each of them. */
  readonly prepared: boolean;
}

/** How a rendition is looked at. */
type Looked = Omit<Comparing, "tile">;

export class Reference {
  readonly size: Size;
  readonly sample: Sample;
  private readonly open: () => Promise<Rows>;
  private readonly strips: readonly Strip[];
  /** How what is compared of the sample lies; absent where it is the whole picture, and that no strips. */
  private readonly tile: Tile | undefined;
  private readonly keeps: Keeping;
  /** Made when something is first compared: a format may be given up before. */
  private prepared: PreparedReference | undefined;
  private readonly timeSlice: TimeSlice;

  private constructor(
    picture: Picture,
    sample: Sample,
    open: () => Promise<Rows>,
    keeps: Keeping,
    timeSlice: TimeSlice,
  ) {
    this.size = { width: picture.width, height: picture.height };
    this.sample = sample;
    this.open = open;
    this.strips = stripsOf(picture);
    this.tile = tileIn(sample, this.strips);
    this.keeps = keeps;
    this.timeSlice = timeSlice;
  }

  /**
   * Runs `work` with what renditions of a picture are compared with, which is freed at the end.
   * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
   */
  static async during<Result>(
    picture: Picture,
    keeps: Keeping,
    timeSlice: TimeSlice,
    work: (reference: Reference) => Promise<Result>,
    tilesOfSmall?: boolean,
  ): Promise<Result> {
    const reference = await Reference.of(picture, keeps, timeSlice, tilesOfSmall);
    try {
      return await work(reference);
    } finally {
      reference.close();
    }
  }

  /** Reads a picture as far as it will be compared. */
  static async of(picture: Picture, keeps: Keeping, timeSlice: TimeSlice, tilesOfSmall?: boolean): Promise<Reference> {
    const strips = stripsOf(picture);
    const read = async () => onlyStrips(await firstFrame(picture, timeSlice), strips);
    const pixels = keeps.pixels ? await collectPixels(await read(), timeSlice) : undefined;
    const open = pixels ? async () => rowsOfPixels(pixels) : read;
    const sample = await sampleOf(await open(), picture, strips, tilesOfSmall);
    return new Reference(picture, sample, open, keeps, timeSlice);
  }

  /**
   * What both opinions say of a rendition of the picture, which is read to its end and closed; scored on one background
   * if so told.
   */
  async judge(rendition: Rows, looked: Looked = {}): Promise<Judgement> {
    if (!this.tile) return this.judgeSample(rendition, looked);
    const { space } = this.sample.picture;
    const shown = inComparedColors(onlyStrips(rendition, this.strips), space);
    const original = inComparedColors(await this.open(), space);
    return compareRows(original, shown, this.timeSlice, { ...looked, tile: tileOf(this.strips) });
  }

  /** What both opinions say of a rendition of the sample, scored on one background if so told. */
  async judgeSample(rendition: Rows, looked: Looked = {}): Promise<Judgement> {
    const { keeps, timeSlice, tile } = this;
    const { picture } = this.sample;
    const { space } = picture;
    const open = async () => inComparedColors(await firstFrame(picture, timeSlice), space);
    const shown = inComparedColors(rendition, space);
    if (!keeps.prepared) return compareRows(await open(), shown, timeSlice, { ...looked, tile });
    this.prepared ??= await preparedOf(await open(), timeSlice, tile);
    return compareWith(this.prepared, await open(), shown, timeSlice, looked);
  }

  /** Frees what was prepared; nothing is scored afterward. */
  close(): void {
    this.prepared?.close();
  }
}

function tileIn({ tiles }: Sample, strips: readonly Strip[]): Tile | undefined {
  return tiles ? SAMPLE_TILE : tileOf(strips);
}
