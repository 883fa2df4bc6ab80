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

/** Bytes that samples of one picture became, by how they were written: what trials found out need not be tried again. */
export type Measured = Map<string, number>;

/** The sample of a picture as it was written at TRIAL_LEVEL. */
export interface Tried extends Choice {
  readonly pieces: readonly Uint8Array[];
}

/** A sample of a picture, what it became so far, and the smallest of that. */
class Sample {
  tried: Tried | undefined;
  private least = Infinity;
  private readonly look: Pick<Look, "representations" | "sample">;
  private readonly width: number;
  private readonly measured: Measured;

  constructor(look: Pick<Look, "representations" | "sample">, width: number, measured: Measured = new Map()) {
    this.look = look;
    this.width = width;
    this.measured = measured;
  }

  get pixels(): number {
    return this.look.sample.length / 4;
  }

  bytes(choice: Choice): number {
    const { representations, sample } = this.look;
    const key = `${representations.indexOf(choice.representation)} ${choice.strategy} ${choice.level}`;
    const before = this.measured.get(key);
    if (before !== undefined) return before;
    const size = { width: this.width, height: this.pixels / this.width };
    const pieces = compress(choice, size, bandsOfPixels(sample, this.width));
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, paletteBytes(choice.representation));
    this.measured.set(key, bytes);
    if (choice.level === TRIAL_LEVEL && bytes < this.least) [this.least, this.tried] = [bytes, { ...choice, pieces }];
    return bytes;
  }

  /** A smaller sample: some rows here and there. */
  part(): Sample {
    const { width } = this;
    const { representations, sample } = this.look;
    const count = Math.ceil(Math.max(PART_PIXELS, this.pixels * PART) / (width * PART_ROWS));
    const gap = (this.pixels / width - count * PART_ROWS) / count;
    const stride = width * 4;
    const rows = new Uint8Array(count * PART_ROWS * stride);
    for (let index = 0; index < count; index++) {
      const from = Math.floor(gap / 2 + index * (gap + PART_ROWS)) * stride;
      rows.set(sample.subarray(from, from + PART_ROWS * stride), index * PART_ROWS * stride);
    }
    return new Sample({ representations, sample: rows }, width);
  }
}

/** Rows of a part, which is several of such, and its pixels at least, and beside those of the whole. */
const PART_ROWS = 16;
const PART_PIXELS = 1 << 15;
const PART = 1 / 4;
/** A part of more pixels than this part of the whole would save nothing. */
const WORTH_PARTING = 0.6;
/** What is larger by more than this on a part is not the smallest on the whole: on 100 pictures it was by at most 1.04. */
const PROMISING = 1.08;

interface Choosing {
  readonly effort: number;
  readonly movedFor?: FilterStrategy | undefined;
  readonly measured?: Measured | undefined;
}

/** Tries representations and filter strategies on the sample; the smallest wins. */
export function choose(
  look: Look,
  { width, pixels }: { width: number; pixels: number },
  { effort, movedFor, measured }: Choosing,
): Choice & { readonly tried: Tried | undefined } {
  const { representations } = look;
  const sample = new Sample(look, width, measured);
  const choice =
    choiceForPhotograph(representations, sample, {
      isPatient: levelFor(pixels, effort) >= PATIENT_LEVEL,
      careful: movedFor ?? "entropy",
    }) ?? choiceForOthers(representations, sample, { pixels, effort, first: movedFor ? [movedFor] : [] });
  return { ...choice, tried: sample.tried };
}

function choiceForPhotograph(
  [representation, ...others]: Look["representations"],
  sample: Sample,
  { isPatient, careful }: { isPatient: boolean; careful: FilterStrategy },
): Choice | null {
  if (others.length > 0 || representation.depth < 8 || representation.palette) return null;
  const photograph = { representation, strategy: "sum", level: PHOTOGRAPH_LEVEL } as const;
  const bytes = sample.bytes(photograph);
  if (bytes < sample.pixels * 4 * PHOTOGRAPH_RATIO) return null;
  const limit = isPatient ? PHOTOGRAPH_GAIN : PHOTOGRAPH_LOSS;
  if (bytes > sample.bytes({ ...photograph, level: TRIAL_LEVEL }) * limit) return null;
  const other = { ...photograph, strategy: careful };
  return sample.bytes(other) < bytes * WORTHWHILE ? other : photograph;
}

function choiceForOthers(
  representations: Look["representations"],
  sample: Sample,
  { pixels, effort, first }: { pixels: number; effort: number; first: FilterStrategy[] },
): Choice {
  const tried = [LITTLE_EFFORT, USUAL_EFFORT].find((row) => effort <= row.effort);
  const strategies = [...first, ...STRATEGIES.slice(0, tried?.strategies)];
  const isFirst = (representation: Representation) => representation === representations.find(({ palette }) => palette);
  const choices = representations.flatMap((representation) =>
    strategies
      // Without a filter it makes no difference which index stands for which color.
      .filter((strategy) => strategy !== "none" || !representation.palette || isFirst(representation))
      .map((strategy) => ({ representation, strategy, level: TRIAL_LEVEL })),
  );
  const [best, least] = smallestOf(promising(choices, sample), sample);
  return { ...best, level: levelFor(pixels, effort, least / (sample.pixels * 3)) };
}

/** Those that are among the smallest on a part of the sample, where that is quicker than to try them all on all of it. */
function promising(choices: readonly Choice[], sample: Sample): readonly Choice[] {
  const isSmall = sample.pixels * WORTH_PARTING < Math.max(PART_PIXELS, sample.pixels * PART);
  if (choices.length === 1 || isSmall) return choices;
  const part = sample.part();
  const [, least] = smallestOf(choices, part);
  return choices.filter((choice) => part.bytes(choice) <= least * PROMISING);
}

function smallestOf(choices: readonly Choice[], sample: Sample): [best: Choice, bytes: number] {
  const sizes = choices.map((choice) => sample.bytes(choice));
  const least = Math.min(...sizes);
  return [choices[sizes.indexOf(least)]!, least];
}

function paletteBytes({ palette }: Representation): number {
  return palette ? 24 + palette.length : 0;
}
