/** How much work a PNG file is worth, and the choice among what is worth trying. */
import type { FilterStrategy } from "../../../../wasm/pixels/png.ts";
import { compress } from "./compress.ts";
import { bandsOfPixels, type Look, type Representation } from "./representation.ts";

/** How the rows are filtered and compressed. */
export interface Choice {
  readonly representation: Representation;
  readonly strategy: FilterStrategy;
  /** Of deflate, 2 to 12. */
  readonly level: number;
}

/** What each level of deflate takes for a photograph, roughly; from 10 on it parses near-optimally. */
const LEVELS: readonly (readonly [level: number, secondsPerMegapixel: number])[] = [
  [12, 1.2],
  [11, 0.9],
  [10, 0.6],
  [9, 0.4],
  [8, 0.25],
  [7, 0.1],
  [6, 0.06],
];
const FASTEST_LEVEL = 5;
/** Seconds for the last compression at full effort; half the effort may take a quarter of them. */
const MAX_SECONDS = 2.4;
/** Enough to tell choices apart. */
export const TRIAL_LEVEL = 4;
const STRATEGIES: readonly FilterStrategy[] = ["none", "sum", "bigrams", "sub", "entropy"];
const LITTLE_EFFORT = 0.25;

/** The level of deflate for `pixels` pixels at an effort of 0 to 1. */
export function levelFor(pixels: number, effort: number): number {
  const seconds = MAX_SECONDS * effort ** 2;
  const affordable = LEVELS.find(([, cost]) => (cost * pixels) / 1_000_000 <= seconds);
  return affordable ? affordable[0] : FASTEST_LEVEL;
}

/** Tries representations and filter strategies on the sample; the smallest wins. */
export function choose({ representations, sample }: Look, width: number, pixels: number, effort: number): Choice {
  const height = sample.length / (width * 4);
  const strategies = effort < LITTLE_EFFORT ? STRATEGIES.slice(0, 2) : STRATEGIES;
  let best: Omit<Choice, "level"> = { representation: representations[0], strategy: "sum" };
  let least = Infinity;
  for (const representation of representations) {
    for (const strategy of strategies) {
      const trial = { representation, strategy, level: TRIAL_LEVEL };
      const pieces = compress(trial, { width, height }, bandsOfPixels(sample, width));
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, paletteBytes(representation));
      if (bytes < least) [best, least] = [{ representation, strategy }, bytes];
    }
  }
  return { ...best, level: levelFor(pixels, effort) };
}

function paletteBytes({ palette }: Representation): number {
  return palette ? 24 + palette.length : 0;
}
