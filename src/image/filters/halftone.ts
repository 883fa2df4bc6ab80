/** Printing screens. */
import * as v from "valibot";

import { halftoneEstimate, openHalftone, type Screen, SCREENS, THRESHOLDS } from "../../../wasm/effects/colors.ts";
import { decimal, oneOf, record } from "../../fields.ts";
import { effectStep } from "../steps/effect.ts";
import { filter } from "../steps/filter.ts";

export const halftone = filter({
  summary:
    "A printing screen: tones as dots, lines, rings or hatching that are `value` pixels apart, turned by `angle` degrees; `cmyk` prints dots of four inks. An area keeps its mean tone. `sharpness` sets how hard the edges are; a `value` of 0 or 1 changes nothing.",
  params: record({
    mode: v.optional(oneOf(SCREENS), "dot"),
    value: decimal(0, 100),
    angle: v.optional(decimal(-360, 360), 0),
    sharpness: v.optional(decimal(0, 100), 70),
  }),
  plan({ mode, value, angle, sharpness }, { size }) {
    if (value <= 1) return [];
    const period = Math.max(2, value);
    // A threshold runs through its whole range within half a period: at this slope an edge is one pixel wide.
    const hardest = Math.max(1, period / 2);
    const slope = 1 + (hardest - 1) * (sharpness / 100);
    const screen = { screen: mode, period, angle, slope, thresholds: thresholdsOf(mode) };
    return [effectStep(size, { estimate: halftoneEstimate(size, mode), open: () => openHalftone(size, screen) })];
  },
});

/**
 * The threshold for each value of a screen's function: the part of the screen where the function is below that value.
 * By these thresholds the part that is light equals the tone.
 */
function thresholdsOf(screen: Screen): Float32Array {
  const share = screen === "hatched" ? (value: number) => value ** 2 : (value: number) => value;
  if (screen === "dot" || screen === "cmyk") return dotThresholds();
  return Float32Array.from({ length: THRESHOLDS }, (_, index) => share(index / (THRESHOLDS - 1)));
}

/**
 * The distribution of `(2 + cos u + cos v) / 4`, counted on a quarter of a period, which is enough for its symmetry.
 */
function dotThresholds(): Float32Array {
  const samples = 256;
  const steps = THRESHOLDS - 1;
  const waves = Float64Array.from({ length: samples }, (_, index) => Math.cos(((index + 0.5) / samples) * Math.PI));
  const counts = new Uint32Array(steps);
  for (const u of waves) for (const w of waves) counts[Math.floor(((2 + u + w) / 4) * steps)]!++;
  const thresholds = new Float32Array(THRESHOLDS);
  let below = 0;
  for (let step = 0; step < steps; step++) {
    below += counts[step]!;
    thresholds[step + 1] = below / samples ** 2;
  }
  return thresholds;
}
