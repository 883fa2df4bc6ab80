/** How much work a PNG file is worth, and the choice among what is worth trying. */
import type { FilterStrategy } from "../../../../wasm/pixels/png.ts";
import { compress } from "./compress.ts";
import { bandsOfPixels, type Look, type Representation } from "./representation.ts";

/** How the rows are filtered and compressed. */
export interface Choice {
  readonly representation: Representation;
  readonly strategy: FilterStrategy;
  /** Of deflate, 1 to 12. */
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
/** Seconds for the last compression at full effort; half the effort, which is usual, may take a thirteenth of them. */
const MAX_SECONDS = 2;
const EFFORT_POWER = 3.7;
/** The level that takes matches only where they pay: for photographs the best of all, and the fastest. */
const PHOTOGRAPH_LEVEL = 1;
/** How much larger than with matches a photograph may become by it, for a third of the time; and when there is time. */
const PHOTOGRAPH_LOSS = 1.02;
const PHOTOGRAPH_GAIN = 0.98;
/** From this level on there is time. */
const PATIENT_LEVEL = 8;
/** A sample that takes less than this part of its raw size is no photograph. */
const PHOTOGRAPH_RATIO = 0.06;
/** Enough to tell choices apart. */
export const TRIAL_LEVEL = 4;
const STRATEGIES: readonly FilterStrategy[] = ["none", "sum", "entropy", "bigrams", "sub"];
/** How many of these are tried up to which effort. */
const LITTLE_EFFORT = { effort: 0.25, strategies: 2 };
const USUAL_EFFORT = { effort: 0.5, strategies: 3 };
/** Choosing filters by entropy takes as long as everything else: only for a gain of this much. */
const WORTHWHILE = 0.99;

/** The level of deflate for `pixels` pixels at an effort of 0 to 1; `ratio` is how far a trial compressed them. */
export function levelFor(pixels: number, effort: number, ratio = 1): number {
  const seconds = MAX_SECONDS * effort ** EFFORT_POWER;
  const kind = ratio < FLAT_RATIO ? "flat" : "photograph";
  const affordable = LEVELS.find((row) => (row[kind] * pixels) / 1_000_000 <= seconds);
  return affordable ? affordable.level : FASTEST_LEVEL;
}

/** Tries representations and filter strategies on the sample; the smallest wins. */
export function choose(
  { representations, sample }: Look,
  { width, pixels }: { width: number; pixels: number },
  { effort, movedFor }: { effort: number; movedFor?: FilterStrategy },
): Choice {
  const size = { width, height: sample.length / (width * 4) };
  const known = new Map<string, number>();
  const measure: Measure = (trial) => {
    const key = `${representations.indexOf(trial.representation)} ${trial.strategy} ${trial.level}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const pieces = compress(trial, size, bandsOfPixels(sample, width));
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, paletteBytes(trial.representation));
    known.set(key, bytes);
    return bytes;
  };
  return (
    choiceForPhotograph(representations, measure, {
      sampleBytes: sample.length,
      isPatient: levelFor(pixels, effort) >= PATIENT_LEVEL,
      careful: movedFor ?? "entropy",
    }) ??
    choiceForOthers(representations, measure, {
      rawBytes: sample.length * 0.75,
      pixels,
      effort,
      first: movedFor ? [movedFor] : [],
    })
  );
}

/** Bytes that the sample becomes. */
type Measure = (trial: Choice) => number;

function choiceForPhotograph(
  [representation, ...others]: Look["representations"],
  measure: Measure,
  { sampleBytes, isPatient, careful }: { sampleBytes: number; isPatient: boolean; careful: FilterStrategy },
): Choice | null {
  if (others.length > 0 || representation.depth < 8 || representation.palette) return null;
  const photograph = { representation, strategy: "sum", level: PHOTOGRAPH_LEVEL } as const;
  const bytes = measure(photograph);
  if (bytes < sampleBytes * PHOTOGRAPH_RATIO) return null;
  const limit = isPatient ? PHOTOGRAPH_GAIN : PHOTOGRAPH_LOSS;
  if (bytes > measure({ ...photograph, level: TRIAL_LEVEL }) * limit) return null;
  const other = { ...photograph, strategy: careful };
  return measure(other) < bytes * WORTHWHILE ? other : photograph;
}

function choiceForOthers(
  representations: Look["representations"],
  measure: Measure,
  { rawBytes, pixels, effort, first }: { rawBytes: number; pixels: number; effort: number; first: FilterStrategy[] },
): Choice {
  const tried = [LITTLE_EFFORT, USUAL_EFFORT].find((row) => effort <= row.effort);
  const strategies = [...first, ...STRATEGIES.slice(0, tried?.strategies)];
  let best: Omit<Choice, "level"> = { representation: representations[0], strategy: "sum" };
  let least = Infinity;
  for (const representation of representations) {
    for (const strategy of strategies) {
      const bytes = measure({ representation, strategy, level: TRIAL_LEVEL });
      if (bytes < least) [best, least] = [{ representation, strategy }, bytes];
    }
  }
  return { ...best, level: levelFor(pixels, effort, least / rawBytes) };
}

function paletteBytes({ palette }: Representation): number {
  return palette ? 24 + palette.length : 0;
}
