/** What renditions of a picture are compared with. */
import type { Size } from "../geometry.ts";
import { kept, keptBytes } from "../kept.ts";
import { firstFrame, type Picture } from "../picture.ts";
import type { Rows } from "../rows.ts";
import { compareRows, tileOf } from "./score.ts";
import { SHEET_TILE, type Sheet, sheetOf } from "./sheet.ts";
import { comparedRows, onlyStrips, stripsOf } from "./strips.ts";

export interface Reference extends Size {
  readonly sheet: Sheet;
  /** The score of a rendition of the picture, which is read to its end and closed; on one background if so told. */
  readonly score: (rendition: Rows, background?: number) => number;
  /** The score of a rendition of the sheet. */
  readonly scoreSheet: (rendition: Rows, background?: number) => number;
}

/** Bytes that a kept reference holds. */
export function keptReferenceBytes(picture: Pick<Picture, "width" | "height" | "opaque">): number {
  return keptBytes({ ...picture, height: comparedRows(picture) });
}

/** @param keeps what is compared of the picture stays in memory; otherwise the picture is read anew for each score */
export function referenceOf(picture: Picture, keeps: boolean): Reference {
  const strips = stripsOf(picture);
  const read = () => onlyStrips(firstFrame(picture), strips);
  const open = keeps ? kept(read) : read;
  const rows = open();
  try {
    const sheet = sheetOf(rows, picture, strips);
    return {
      width: picture.width,
      height: picture.height,
      sheet,
      score: (rendition, background) => compareRows(open(), onlyStrips(rendition, strips), tileOf(strips), background),
      scoreSheet: (rendition, background) =>
        compareRows(firstFrame(sheet.picture), rendition, sheet.tiles && SHEET_TILE, background),
    };
  } finally {
    rows.close();
  }
}
