/** What the encoder of GIF does for a quality. */
import type { EncodeSettings } from "../../format.ts";
import type { Reduction } from "../../quantize.ts";

export interface Tuning {
  readonly reduction: Reduction;
  /** How far a pixel may be from its color if that makes the code shorter. */
  readonly tolerance: number;
  /** How much a pixel of an animation may change without being drawn: a sum of weighted squares of levels. */
  readonly drift: number;
  /** How long full code tables are kept: what is tried. */
  readonly patience: readonly [number, ...number[]];
}

export function tuningFor({ lossless, quality, effort }: EncodeSettings): Tuning {
  const loss = lossless ? 0 : Math.max(0, 95 - quality) / 95;
  return {
    reduction: { colors: 256, dither: 1, sharp: true },
    tolerance: loss * 0.1,
    drift: Math.round(loss * loss * 600),
    patience: effort > 0.25 ? [0.9, 0] : [0.9],
  };
}
