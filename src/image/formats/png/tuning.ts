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

interface Level {
  readonly level: number;
  /** Seconds per megapixel that it takes for a photograph, and for a picture of flat areas. */
  readonly photograph: number;
  readonly flat: number;
}

/** Roughly measured; from 10 on deflate parses near-optimally, which pays most. */
const LEVELS: readonly Level[] = [
  { level: 12, photograph: 1.2, flat: 1.2 },
  { level: 11, photograph: 0.9, flat: 0.4 },
  { level: 10, photograph: 0.6, flat: 0.2 },
  { level: 9, photograph: 0.4, flat: 0.05 },
  { level: 8, photograph: 0.25, flat: 0.04 },
  { level: 7, photograph: 0.1, flat: 0.03 },
  { level: 6, photograph: 0.06, flat: 0.02 },
];
/** A picture is flat when it takes less than this part of its raw size. */
const FLAT_RATIO = 0.08;
const FASTEST_LEVEL = 5;
/** Seconds for the last compression at full effort; half the effort may take a quarter of them. */
const MAX_SECONDS = 2.4;
/** Enough to tell choices apart. */
export const TRIAL_LEVEL = 4;
const STRATEGIES: readonly FilterStrategy[] = ["none", "sum", "bigrams", "sub", "entropy"];
const LITTLE_EFFORT = 0.25;

/** The level of deflate for `pixels` pixels at an effort of 0 to 1; `ratio` is how far a trial compressed them. */
export function levelFor(pixels: number, effort: number, ratio = 1): number {
  const seconds = MAX_SECONDS * effort ** 2;
  const kind = ratio < FLAT_RATIO ? "flat" : "photograph";
  const affordable = LEVELS.find((row) => (row[kind] * pixels) / 1_000_000 <= seconds);
  return affordable ? affordable.level : FASTEST_LEVEL;
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
  return { ...best, level: levelFor(pixels, effort, least / (sample.length * 0.75)) };
}

function paletteBytes({ palette }: Representation): number {
  return palette ? 24 + palette.length : 0;
}
