/** What the header of a PNG says of its pixels. */

/** Color types of IHDR. */
export const COLOR_TYPE = { gray: 0, rgb: 2, palette: 3, grayAlpha: 4, rgba: 6 } as const;
export type ColorType = (typeof COLOR_TYPE)[keyof typeof COLOR_TYPE];

/** Samples per pixel of each color type. */
export const SAMPLES: Readonly<Record<ColorType, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly depth: number;
  readonly type: ColorType;
  readonly interlaced: boolean;
}
