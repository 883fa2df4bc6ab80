/** Tone and color by numbers. */
import * as v from "valibot";

import { flag, integer, record } from "../../fields.ts";
import { whiteBalance } from "../color/daylight.ts";
import { fromLinear, toLinear } from "../color/light.ts";
import { sharpenSteps } from "../steps/blur.ts";
import {
  type ColorMatrix,
  compose,
  GRAYSCALE,
  IDENTITY,
  INVERT,
  rotateHue,
  saturate,
} from "../steps/color-matrices.ts";
import { operation } from "../steps/operation.ts";
import { toneSteps } from "../steps/tone.ts";

const percent = v.optional(integer(-100, 100), 0);
const strength = v.optional(integer(0, 100), 0);

const Adjust = record({
  exposure: percent,
  temperature: percent,
  tint: percent,
  brightness: percent,
  contrast: percent,
  gamma: percent,
  highlights: percent,
  shadows: percent,
  vibrance: percent,
  hue: v.optional(integer(-180, 360), 0),
  saturation: percent,
  grayscale: v.optional(flag(), false),
  invert: v.optional(flag(), false),
  sharpen: strength,
  unsharp: strength,
});
type Adjust = v.InferOutput<typeof Adjust>;

/** Standard deviations, in pixels, of what `sharpen` and `unsharp` bring out: the finest detail, and edges. */
const SHARPEN_SIGMA = 0.8;
const UNSHARP_SIGMA = 2.5;

export const adjust = operation({
  summary:
    "Adjusts tone and color, in this order: exposure, temperature, tint, brightness, contrast, gamma, highlights and shadows, vibrance, hue, saturation, grayscale, invert, sharpen, unsharp. 0 changes nothing.",
  params: Adjust,
  plan(params, { size, opaque }) {
    const { highlights, shadows, vibrance } = params;
    const tone = toneSteps(size, {
      curve: curveOf(params),
      gain: highlights || shadows ? (luma) => relit(luma, shadows / 100, highlights / 100) : undefined,
      vibrance: vibrance / 100,
      matrix: matrixOf(params),
    });
    return [
      ...tone,
      ...sharpenSteps({ ...size, opaque }, SHARPEN_SIGMA, params.sharpen / 50),
      ...sharpenSteps({ ...size, opaque }, UNSHARP_SIGMA, params.unsharp / 50),
    ];
  },
});

/**
 * What becomes of each level c, 0 to 1, with v a hundredth of each parameter:
 * exposure `c * 4^v` and the white balance in linear light; then on encoded values
 * brightness `c + v / 2`; contrast `(c - 0.5) * k + 0.5` with k = `1 + v` below 0 and `1 / (1 - 0.99 v)`, at most 8,
 * above; gamma `c ^ (2 ^ -v)`.
 */
function curveOf({ exposure, temperature, tint, brightness, contrast, gamma }: Adjust) {
  const light = exposure !== 0 || temperature !== 0 || tint !== 0;
  if (!light && brightness === 0 && contrast === 0 && gamma === 0) return undefined;
  const gains = whiteBalance(temperature / 100, tint / 100).map((gain) => gain * 4 ** (exposure / 100));
  const slope = contrast <= 0 ? 1 + contrast / 100 : Math.min(8, 1 / (1 - (0.99 * contrast) / 100));
  const power = 2 ** (-gamma / 100);
  return (level: number, channel: 0 | 1 | 2) => {
    const exposed = light ? fromLinear(toLinear(level) * gains[channel]!) : level;
    const contrasted = (exposed + brightness / 200 - 0.5) * slope + 0.5;
    return Math.min(1, Math.max(0, contrasted)) ** power;
  };
}

/**
 * The factor that lifts (or lowers) the dark and the bright tones: luma Y becomes `Y + a * Y * (1 - Y)^3`, mirrored
 * for highlights, where a is up to 2 toward the middle and 1 away from it. That is monotone, keeps black and white,
 * and reaches 0.2 at a quarter of the range.
 */
function relit(luma: number, shadows: number, highlights: number): number {
  const from = Math.max(luma, 1e-6);
  const lifted = bent(from, shadows);
  return (1 - bent(1 - lifted, -highlights)) / from;
}

function bent(tone: number, amount: number): number {
  return tone + amount * (amount > 0 ? 2 : 1) * tone * (1 - tone) ** 3;
}

function matrixOf({ hue, saturation, grayscale, invert }: Adjust): ColorMatrix | undefined {
  const parts = [
    ...(hue % 360 === 0 ? [] : [rotateHue(hue)]),
    ...(saturation === 0 ? [] : [saturate(1 + saturation / 100)]),
    ...(grayscale ? [GRAYSCALE] : []),
    ...(invert ? [INVERT] : []),
  ];
  return parts.length === 0 ? undefined : parts.reduce(compose, IDENTITY);
}
