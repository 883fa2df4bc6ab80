/** What the encoder of GIF does for a quality. */
import { type Reduction, reductionFor } from "../../codec/quantize.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { errorFor } from "../png/quality.ts";

export interface Tuning {
  readonly reduction: Reduction;
  /** How far a pixel may be from its color if that makes the code shorter. */
  readonly tolerance: number;
  /** How much a pixel of an animation may change without being drawn: a sum of weighted squares of levels. */
  readonly drift: number;
  /** How long full code tables are kept: what is tried. */
  readonly patience: readonly [number, ...number[]];
  /** Fewer colors without any tolerance, which are tried besides; absent where nothing but colors beyond 256 is lost. */
  readonly fewer?: FewerColors;
}

/** Colors that are kept of what is drawn. */
interface FewerColors {
  /** So many are left at least, however little fewer would err. */
  readonly least: number;
  /** The error that their palette may leave, in the unit of Oklab's lightness. */
  readonly error: number;
}

/** From here up nothing is lost but colors beyond 256. */
const EXACT_QUALITY = 95;

/** So many colors are left of what is drawn at least: what is small keeps a color of its own. */
const LEAST_COLORS = 16;

/**
 * Codes made shorter lose less than colors taken away, as long as the loss is small: 256 colors are kept down to a
 * quality of 70, and 80 looks about as good as in other formats. So it is in photographs; in drawings, where every edge is seen,
 * 16 to 64 colors without tolerance look better and take fewer bytes.
 */
export function tuningFor({ lossless, quality, effort }: EncodeSettings): Tuning {
  const loss = lossless ? 0 : Math.max(0, EXACT_QUALITY - quality);
  return {
    reduction: { ...reductionFor(lossless ? 100 : quality + 15), sharp: true },
    tolerance: Math.min(0.09, loss * 0.0024),
    drift: Math.round((loss / 3) ** 2),
    patience: effort > 0.25 ? [0.9, 0] : [0.9],
    ...(loss > 0 && { fewer: { least: LEAST_COLORS, error: errorFor(quality) } }),
  };
}
