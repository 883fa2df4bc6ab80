/** What JPEG files are encoded with. */

/** Chroma resolution: full, half the columns, or half the columns and rows. */
export type Subsampling = "4:4:4" | "4:2:2" | "4:2:0";

export interface EncoderOptions {
  /** Pixels, at most 65535. */
  readonly width: number;
  readonly height: number;
  /** 1 to 100 on jpegli's scale, fractions allowed. */
  readonly quality: number;
  /** 4:2:0 by default. */
  readonly subsampling?: Subsampling;
  /** Several scans, coarse to fine: smaller files that take longer to decode. */
  readonly progressive?: boolean;
  /**
   * Values are rounded to the nearest, which takes less time, in place of weighing their bits against their errors,
   * which gives files 3 % smaller that look the same.
   */
  readonly fast?: boolean;
  /** One component; of RGBA rows the luma. */
  readonly gray?: boolean;
  /** ICC profile to embed; none by default, which means sRGB. No other metadata is written. */
  readonly profile?: Uint8Array;
  /** Bytes that a block of the result will take, by which work is declared; those of a photograph by default. */
  readonly blockBytes?: number;
}

/** Sampling factors of luma against chroma. */
export const FACTORS = { "4:4:4": [1, 1], "4:2:2": [2, 1], "4:2:0": [2, 2] } as const;
