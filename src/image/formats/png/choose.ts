/** The choice among representations, filters and levels of deflate, made by probes on a sample. */
import { type Estimate, times } from "../../../../wasm/estimate.ts";
import type { FilterStrategy } from "../../../../wasm/pixels/png-writer.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { type Choice, compressEstimate } from "./compress.ts";
import { type Compression, compressionFor, ICON_PIXELS, PHOTOGRAPH_LEVEL, PROBE_LEVEL } from "./levels.ts";
import { type Look, samplePixels } from "./look.ts";
import type { Representation, Representations } from "./representation.ts";
import { type Measured, Sample, type Tried } from "./sample.ts";

interface Choosing {
  /** The pixels of the whole picture, all frames. */
  readonly pixels: number;
  /** 0 to 1. */
  readonly effort: number;
  /** The filter that the samples were moved for. */
  readonly movedFor?: FilterStrategy | undefined;
  /** What earlier probes on this picture found. */
  readonly measured?: Measured | undefined;
}

const PROBE: Compression = { level: PROBE_LEVEL, kind: "photograph" };

/** Tries representations and filter strategies on the sample of a look; the smallest wins. */
export async function choose(
  look: Look,
  width: number,
  choosing: Choosing,
  timeSlice: TimeSlice,
): Promise<Choice & { readonly tried: Tried | undefined }> {
  const sample = new Sample(look, width, choosing.measured);
  const { representations } = look;
  const choice =
    (await choiceForPhotograph(representations, sample, choosing, timeSlice)) ??
    (await choiceForOthers(representations, sample, choosing, timeSlice));
  return { ...choice, tried: sample.tried };
}

/**
 * Tries few filter strategies on a part of the sample of a picture that a palette holds: enough to be looked at and to
 * be held against other probes.
 */
export async function chooseOnPart(
  look: Look,
  width: number,
  measured: Measured,
  timeSlice: TimeSlice,
): Promise<Choice & { readonly tried: Tried | undefined }> {
  const sample = new Sample(look, width, measured);
  const choices = choicesOf(look.representations, { effort: 0 });
  const [best] = await smallestOf(choices, sample.part() ?? sample, timeSlice);
  await sample.bytes(best, timeSlice);
  return { ...best, tried: sample.tried };
}

/**
 * Compressions of the whole sample, about, at the usual effort and beyond: few remain promising after a part of it, and
 * of what is flat often one, which is not tried on the whole.
 */
const PROBES = { usual: { flat: 1.5, photograph: 3 }, more: { flat: 2.5, photograph: 5 } };
/** The part of its raw size up to which a picture is flat, and from which on it is a photograph. */
const RATIOS = { flat: 0.06, photograph: 0.15 };

/**
 * The estimate of choosing how to write a picture of this size.
 * @param ratio how small it becomes, of its raw size
 */
export function choosingEstimate(pixels: number, effort: number, ratio: number): Estimate {
  const probe = compressEstimate({ ...PROBE, strategy: "entropy" }, samplePixels(pixels), ratio);
  const { flat, photograph } = effort <= USUAL_EFFORT.effort ? PROBES.usual : PROBES.more;
  const share = Math.min(1, Math.max(0, (ratio - RATIOS.flat) / (RATIOS.photograph - RATIOS.flat)));
  return times(flat + (photograph - flat) * share, probe);
}

// ---- photographs ----

/** A sample that takes less than this part of its raw size is no photograph. */
const PHOTOGRAPH_RATIO = 0.06;
/** How much larger than with matches a photograph may become by its own level, for a third of the time. */
const PHOTOGRAPH_LOSS = 1.02;
/** How much smaller it must be than with matches when there is time for a level of so much patience. */
const PHOTOGRAPH_GAIN = 0.98;
const PATIENT_LEVEL = 10;
/** Choosing filters by entropy takes as long as everything else: only for a gain of this much. */
const WORTHWHILE = 0.99;

/** For pictures of many colors that hardly repeat; null for others. */
async function choiceForPhotograph(
  [representation, ...others]: Representations,
  sample: Sample,
  { pixels, effort, movedFor = "entropy" }: Choosing,
  timeSlice: TimeSlice,
): Promise<Choice | null> {
  if (others.length > 0 || representation.depth < 8 || representation.palette) return null;
  const photograph = { representation, strategy: "sum", level: PHOTOGRAPH_LEVEL, kind: "photograph" } as const;
  const bytes = await sample.bytes(photograph, timeSlice);
  if (bytes < sample.pixels() * 4 * PHOTOGRAPH_RATIO) return null;
  const isPatient = compressionFor(pixels, effort).level >= PATIENT_LEVEL;
  const limit = isPatient ? PHOTOGRAPH_GAIN : PHOTOGRAPH_LOSS;
  if (bytes > (await sample.bytes({ ...photograph, level: PROBE_LEVEL }, timeSlice)) * limit) return null;
  const other = { ...photograph, strategy: movedFor };
  return (await sample.bytes(other, timeSlice)) < bytes * WORTHWHILE ? other : photograph;
}

// ---- all others ----

const STRATEGIES: readonly FilterStrategy[] = ["none", "sum", "entropy", "bigrams", "sub"];
/** How many of the strategies are tried up to which effort; beyond, all are. */
const LITTLE_EFFORT = { effort: 0.25, strategies: 2 };
const USUAL_EFFORT = { effort: 0.5, strategies: 3 };

async function choiceForOthers(
  representations: Representations,
  sample: Sample,
  { pixels, effort, movedFor }: Choosing,
  timeSlice: TimeSlice,
): Promise<Choice> {
  const choices = choicesOf(representations, { effort, movedFor });
  const { best, ratio } = await bestOf(choices, sample, timeSlice);
  // Several indices in a byte are compressed as one.
  const bytesPerPixel = Math.min(1, best.representation.depth / 8);
  return { ...best, ...compressionFor(pixels * bytesPerPixel, effort, ratio) };
}

/** What there is to choose from with an effort. */
function choicesOf(representations: Representations, { effort, movedFor }: Pick<Choosing, "effort" | "movedFor">) {
  const tried = [LITTLE_EFFORT, USUAL_EFFORT].find((row) => effort <= row.effort);
  const strategies = [...(movedFor ? [movedFor] : []), ...STRATEGIES.slice(0, tried?.strategies)];
  const isFirst = (representation: Representation) => representation === representations.find(({ palette }) => palette);
  return representations.flatMap((representation) =>
    strategies
      // Without a filter it makes no difference which index stands for which color.
      .filter((strategy) => strategy !== "none" || !representation.palette || isFirst(representation))
      .map((strategy): Choice => ({ representation, strategy, ...PROBE })),
  );
}

/**
 * What is larger by more than this on a part is not the smallest on the whole: on 100 pictures it was by at most 1.04.
 */
const PROMISING = 1.05;
/** The same of filters that are chosen by entropy, which takes longest: 185 drawings became no larger by it. */
const PROMISING_SLOW = 1.02;
/**
 * Choosing filters by entropy takes longest: it is not tried where choosing them by sums takes more than so many times
 * the least. On 27 drawings it took at most 8 percent less than that.
 */
const NEAR_SUM = 1.12;

/** The smallest, and about which part of its raw size it takes; on a part where that tells the choices apart. */
async function bestOf(
  choices: readonly Choice[],
  sample: Sample,
  timeSlice: TimeSlice,
): Promise<{ readonly best: Choice; readonly ratio: number }> {
  const part = choices.length > 1 ? sample.part() : null;
  const tried = part ?? sample;
  const sizes = await sizesOf(choices, tried, timeSlice);
  const least = Math.min(...sizes.values());
  const most = ({ strategy }: Choice) => least * (part ? (strategy === "entropy" ? PROMISING_SLOW : PROMISING) : 1);
  const promising = choices.filter((choice) => (sizes.get(choice) ?? Infinity) <= most(choice));
  const isSure = part === null || promising.length === 1;
  const [best, bytes] = isSure ? [promising[0]!, least] : await smallestOf(promising, sample, timeSlice);
  return { best, ratio: bytes / ((isSure ? tried : sample).pixels() * 3) };
}

/** What choices make of a sample, without those that are slow and take too much by what is known of others. */
async function sizesOf(
  choices: readonly Choice[],
  sample: Sample,
  timeSlice: TimeSlice,
): Promise<ReadonlyMap<Choice, number>> {
  const sizes = new Map<Choice, number>();
  const bySum = new Map<Representation, number>();
  const isIcon = sample.pixels() <= ICON_PIXELS;
  const isSlow = ({ strategy }: Choice) => strategy === "entropy" && !isIcon;
  for (const choice of choices.toSorted((one, other) => Number(isSlow(one)) - Number(isSlow(other)))) {
    const least = Math.min(...sizes.values());
    if (isSlow(choice) && (bySum.get(choice.representation) ?? 0) > least * NEAR_SUM) continue;
    const bytes = await sample.bytes(choice, timeSlice);
    sizes.set(choice, bytes);
    if (choice.strategy === "sum") bySum.set(choice.representation, bytes);
  }
  return sizes;
}

async function smallestOf(
  choices: readonly Choice[],
  sample: Sample,
  timeSlice: TimeSlice,
): Promise<[Choice, bytes: number]> {
  const sizes: number[] = [];
  for (const choice of choices) sizes.push(await sample.bytes(choice, timeSlice));
  const least = Math.min(...sizes);
  const best = choices[sizes.indexOf(least)];
  if (!best) throw new RangeError("nothing to choose from");
  return [best, least];
}
