/** Tone and color by factors. */
import * as v from "valibot";

import { decimal, record } from "../../fields.ts";
import { saturate } from "../steps/color-matrices.ts";
import { filter } from "../steps/filter.ts";
import { toneSteps } from "../steps/tone.ts";

/** More makes nothing visible that this does not. */
const MAX_FACTOR = 10;
/** A power is its inverse: below this, every level but white is black. */
const MIN_GAMMA = 0.1;

const factor = v.optional(decimal(0, MAX_FACTOR), 1);

export const tone = filter({
  summary:
    "Factors on encoded values, as CSS filters have them, in this order: `brightness`, `contrast` around the middle, `gamma` (above 1 brightens), `saturation` (0 is gray); 1 changes nothing.",
  params: record({
    brightness: factor,
    contrast: factor,
    gamma: v.optional(decimal(MIN_GAMMA, MAX_FACTOR), 1),
    saturation: factor,
  }),
  plan({ brightness, contrast, gamma, saturation }, { size }) {
    const isBent = brightness !== 1 || contrast !== 1 || gamma !== 1;
    const curve = (level: number): number => {
      const lit = Math.min(1, level * brightness);
      return Math.min(1, Math.max(0, (lit - 0.5) * contrast + 0.5)) ** (1 / gamma);
    };
    return toneSteps(size, {
      curve: isBent ? curve : undefined,
      matrix: saturation === 1 ? undefined : saturate(saturation),
    });
  },
});
