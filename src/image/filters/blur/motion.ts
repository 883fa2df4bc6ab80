/** Blurs along a straight way. */
import { type Extent, openTaps, type Tap, TAPS_WHOLE, tapsEstimate } from "../../../../wasm/effects/blurs.ts";
import { effectStep, scaledGains } from "../../steps/effect.ts";
import type { GainSteps, Step } from "../../steps/operation.ts";

/** Samples that one pass takes; more of them are taken in two passes, whose numbers of samples multiply. */
const MAX_SAMPLES = 33;

/**
 * The mean over a straight way through each pixel, `reach` pixels to both sides, edges extended. The direction is in
 * degrees, clockwise from the right. Samples are at most a pixel apart and bilinear.
 */
export function motionSteps(extent: Extent, reach: number, degrees: number): Step[] {
  if (reach < 0.5) return [];
  const samples = 2 * Math.ceil(reach) + 1;
  const gains = scaledGains((map, scale) => motionSteps(map, reach * scale, degrees));
  if (samples <= MAX_SAMPLES) return [motionStep(extent, line(samples, (2 * reach) / (samples - 1), degrees), gains)];
  const near = Math.ceil(Math.sqrt(samples));
  const far = Math.ceil(samples / near);
  const spacing = (2 * reach) / (near * far - 1);
  return [
    motionStep(extent, line(near, spacing, degrees), gains),
    motionStep(extent, line(far, spacing * near, degrees)),
  ];
}

function motionStep(extent: Extent, taps: readonly Tap[], gains?: GainSteps): Step {
  const estimate = tapsEstimate(extent, taps);
  return effectStep(extent, { estimate, open: (rows) => openTaps(rows, taps), gains });
}

/** Samples on a line through the center, each shared by the four pixels around it. */
function line(samples: number, spacing: number, degrees: number): Tap[] {
  const across = Math.cos((degrees * Math.PI) / 180);
  const down = Math.sin((degrees * Math.PI) / 180);
  const weights = new Map<string, number>();
  for (let sample = 0; sample < samples; sample++) {
    const way = (sample - (samples - 1) / 2) * spacing;
    for (const [x, shareX] of shared(way * across)) {
      for (const [y, shareY] of shared(way * down)) {
        const key = `${x},${y}`;
        weights.set(key, (weights.get(key) ?? 0) + (shareX * shareY) / samples);
      }
    }
  }
  return wholeWeights(
    [...weights].map(([key, weight]) => {
      const [x = 0, y = 0] = key.split(",").map(Number);
      return { x, y, weight };
    }),
  );
}

/** The two whole numbers around a place, each with its share. */
function shared(place: number): readonly (readonly [number, number])[] {
  // What is a whole number but for the arithmetic is one.
  const exact = Math.abs(place - Math.round(place)) < 1e-9 ? Math.round(place) : place;
  const low = Math.floor(exact);
  const share = exact - low;
  return share === 0
    ? [[low, 1]]
    : [
        [low, 1 - share],
        [low + 1, share],
      ];
}

/** Weights, whose sum is 1, as whole numbers that add up: each takes over what rounding left of those before it. */
function wholeWeights(taps: readonly Tap[]): Tap[] {
  let exact = 0;
  let given = 0;
  const rounded = taps.map((tap) => {
    exact += tap.weight * TAPS_WHOLE;
    const weight = Math.round(exact) - given;
    given += weight;
    return { ...tap, weight };
  });
  return rounded.filter(({ weight }) => weight > 0);
}
