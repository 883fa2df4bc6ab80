/** What renditions of a picture are compared with: the whole picture, or strips of a large one, and its sample. */
import { type Price, held } from "../../../wasm/price.ts";
import type { Breath } from "../breath.ts";
import type { Size } from "../geometry.ts";
import { collectPixels, type Pixels, pixelBytes, rowsOfPixels } from "../kept.ts";
import { firstFrame, type Picture } from "../picture.ts";
import type { Rows } from "../rows.ts";
import { SAMPLE_TILE, type Sample, sampleOf } from "./sample.ts";
import { compareRows, tileOf } from "./score.ts";
import { comparedRows, onlyStrips, type Strip, stripsOf } from "./strips.ts";

/** Of keeping what is compared of a picture, so that it is not computed anew for each rendition. */
export function referencePrice(picture: Pick<Picture, "width" | "height" | "opaque">): Price {
  return held(pixelBytes({ ...picture, height: comparedRows(picture) }));
}

export class Reference {
  readonly size: Size;
  readonly sample: Sample;
  private readonly open: () => Promise<Rows>;
  private readonly strips: readonly Strip[];
  private readonly breath: Breath;

  private constructor(picture: Picture, sample: Sample, open: () => Promise<Rows>, breath: Breath) {
    this.size = { width: picture.width, height: picture.height };
    this.sample = sample;
    this.open = open;
    this.strips = stripsOf(picture);
    this.breath = breath;
  }

  /** @param keeps what is compared of the picture stays in memory; otherwise the picture is read anew for each score */
  static async of(picture: Picture, keeps: boolean, breath: Breath): Promise<Reference> {
    const strips = stripsOf(picture);
    const read = async () => onlyStrips(await firstFrame(picture, breath), strips);
    const pixels: Pixels | undefined = keeps ? await collectPixels(await read(), breath) : undefined;
    const open = pixels ? async () => rowsOfPixels(pixels) : read;
    const rows = await open();
    try {
      return new Reference(picture, await sampleOf(rows, picture, strips), open, breath);
    } finally {
      rows.close();
    }
  }

  /** The score of a rendition of the picture, which is read to its end and closed; on one background if so told. */
  async score(rendition: Rows, background?: number): Promise<number> {
    const shown = onlyStrips(rendition, this.strips);
    return compareRows(await this.open(), shown, this.breath, { tile: tileOf(this.strips), background });
  }

  /** The score of a rendition of the sample, on one background if so told. */
  async scoreSample(rendition: Rows, background?: number): Promise<number> {
    const { picture, tiles } = this.sample;
    const tile = tiles && SAMPLE_TILE;
    return compareRows(await firstFrame(picture, this.breath), rendition, this.breath, { tile, background });
  }
}
