/**
 * The memory that a search through pixels may have. What it must have decides which files it tries. What it may have
 * besides saves time and nothing else: the file is the same without it. So a search has two tiers, a fast one and a lean
 * one, and begins in the first of them that is free. Of photographs in four formats the lean one took up to a third more
 * time, mostly a tenth; one between them took hardly less than that, so there is none.
 */
import { parallel, maximum, NO_WORK, held, type Estimate } from "../../../wasm/estimate.ts";
import { byDetail, fullness } from "../codec/complexity.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { collectEstimate } from "../pixels/buffered.ts";
import type { Extent } from "../pixels/picture.ts";
import { comparingBytes, fits, resultDecodeEstimate, sourceEstimate, triesMs, triesOf } from "./estimates.ts";
import { isSmall } from "./presets.ts";
import { comparedPixelsEstimate, type Keeping, preparedSampleEstimate, preparedWholeEstimate } from "./reference.ts";
import { samplePart, sampleSize } from "./sample.ts";
import { sixteenBitTask, type Task, type WritableFormat } from "./task.ts";

/** Larger pictures are computed anew each time that they are read. */
const MAX_KEPT_PIXELS = 4_000_000;

/** What decides which files a search tries. */
interface Course {
  /** The best result so far is kept while another is made. */
  readonly keepsResults: boolean;
  /** The whole picture is tried as it is written to stay, in several scans where it may have them. */
  readonly triesFinal: boolean;
  /** A file without loss can be made beside. */
  readonly triesExact: boolean;
  /** One would be tried where that is worth while, but has no memory here: the search ends there without a file. */
  readonly leavesExact?: boolean;
}

/** A tier for a search: what it keeps in it that saves time, and the estimate of the search with that. */
export interface Tier {
  readonly estimate: Estimate;
  /** The pixels are computed once. */
  readonly keepsPixels: boolean;
  /** What is kept of what renditions are compared with. */
  readonly reference: Keeping;
}

/** A fast tier, and a lean one where that is much smaller. */
export type Tiers = readonly [fast: Tier, ...lean: Tier[]];

/** A search through pixels, and its tiers. */
export interface TieredSearch extends Course {
  readonly tiers: Tiers;
  /** The estimate without what is kept of the reference. */
  readonly own: (keepsPixels: boolean) => Estimate;
}

/** The search that tries most files in the memory there is; null where there is not enough even for the least of it. */
export function fullSearch(task: Task, format: WritableFormat): TieredSearch | null {
  return searchWith(task, format, true);
}

/** Memory that is set aside for what is hardly ever made: from here on it is too much. */
const MUCH_BYTES = 6 << 20;
/** As full as nothing flat is, by what the file of the original takes. */
const PHOTOGRAPHIC = 0.3;

/**
 * The same search without the memory of a file without loss, which hardly a photograph comes to: of one that does,
 * nothing is made here. Null where that would save little, or where such a file is to be expected.
 */
export function searchWithoutExact(task: Task, format: WritableFormat): TieredSearch | null {
  const { picture } = task;
  const isPhotograph = picture.opaque && fullness(picture) >= PHOTOGRAPHIC;
  // Of small pictures files without loss are often tried.
  if (!isPhotograph || isSmall(picture)) return null;
  const full = searchWith(task, format, true);
  const lean = full?.triesExact ? searchWith(task, format, false) : null;
  const saves = full && lean && lean.tiers[0].estimate.bytes + MUCH_BYTES <= full.tiers[0].estimate.bytes;
  return saves ? { ...lean, leavesExact: true } : null;
}

function searchWith(task: Task, format: WritableFormat, mayTryExact: boolean): TieredSearch | null {
  const { picture } = task;
  const isSmall = picture.frames === 1 && picture.width * picture.height <= MAX_KEPT_PIXELS;
  const isBuffered = task.stored.isBuffered === true && !task.plan.changesPixels;
  const lean = { keepsResults: true, triesFinal: false };
  const keepsPixels = isSmall && !isBuffered && fits(task, pixelsEstimate(task, format, lean, true));
  const final = pixelsEstimate(task, format, { ...lean, triesFinal: true }, keepsPixels);
  const triesFinal = fits(task, final);
  const usual = triesFinal ? final : pixelsEstimate(task, format, lean, keepsPixels);
  if (!fits(task, usual)) return null;
  const exact = withExact(usual, task, format);
  const triesExact = mayTryExact && fits(task, exact);
  const withIts = (estimate: Estimate) => {
    if (triesExact) return withExact(estimate, task, format);
    return mayTryExact ? estimate : withQuarter(estimate, task, format);
  };
  const most = withIts(usual);
  const own = (keeps: boolean) =>
    keeps === keepsPixels ? most : withIts(pixelsEstimate(task, format, { ...lean, triesFinal }, keeps));
  const worth = (keeps: boolean) => worthKeeping(format, keeps || isBuffered);
  const tiers = tiersFor(task, keepsPixels, own, worth, format.write.qualities.tilesOfSmall);
  return fits(task, tiers[0].estimate) ? { tiers, own, keepsResults: true, triesFinal, triesExact } : null;
}

/**
 * The search for which least is to be kept, and fewest files are to be tried: its estimate says where even that does
 * not fit.
 */
export function leastSearch(task: Task, format: WritableFormat): TieredSearch {
  const course = { keepsResults: false, triesFinal: false, triesExact: false };
  const own = () => pixelsEstimate(task, format, course, false);
  const worth = () => worthKeeping(format, false);
  return { ...course, own, tiers: tiersFor(task, false, own, worth, format.write.qualities.tilesOfSmall) };
}

/** Whether the pixels that renditions are compared with are worth being kept. */
export type Worth = "needless" | "worthwhile" | "necessary";

/**
 * A format that shows what it would write reads the picture for that, while it is compared: nothing has two decoders at
 * once, so one of the two sides is kept.
 */
function worthKeeping({ write }: WritableFormat, keepsPixels: boolean): Worth {
  if (keepsPixels) return "needless";
  return write.study ? "necessary" : "worthwhile";
}

/** What may be kept of a reference, the quickest first. */
const KEEPINGS: readonly Keeping[] = [
  { pixels: true, prepared: true },
  { pixels: true, prepared: false },
  { pixels: false, prepared: true },
  { pixels: false, prepared: false },
];

/**
 * Pixels up to which what comparisons need of the whole is kept besides, by formats that show what they would write:
 * they look at several renditions of it, and the memory for two saves no time.
 */
const MAX_PREPARED_PIXELS = 1_500_000;

/** What may be kept of the reference of a task, the quickest first. */
function keepingsFor({ picture, format }: Task, worth: Worth): readonly Keeping[] {
  const keepings = KEEPINGS.filter(({ pixels }) => worth === "worthwhile" || pixels === (worth === "necessary"));
  const [most] = keepings;
  const isPrepared = picture.width * picture.height <= MAX_PREPARED_PIXELS && samplePart(picture) < 1;
  return most && isPrepared && format.write?.study ? [{ ...most, whole: true }, ...keepings] : keepings;
}

/** A lean tier that saves less than this beside the fast one saves nothing that matters. */
export const LEAST_SAVING_BYTES = 1 << 20;

/**
 * The tiers of a search: the quickest and the smallest of those that fit; the smallest alone where none does.
 * @param mayKeep the pixels may be kept
 * @param own the estimate of the search, without what is kept of the reference
 * @param worth of the pixels of the reference, where those of the picture are kept and where they are not
 * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
 */
export function tiersFor(
  task: Task,
  mayKeep: boolean,
  own: (keepsPixels: boolean) => Estimate,
  worth: (keepsPixels: boolean) => Worth,
  tilesOfSmall?: boolean,
): Tiers {
  // Buffered pixels show whether there is alpha at all: without them another file may be written.
  const all = mayKeep && task.picture.opaque ? [true, false] : [mayKeep];
  const tiers = all.flatMap((keepsPixels) => {
    const estimate = own(keepsPixels);
    return keepingsFor(task, worth(keepsPixels)).map((reference): Tier => {
      return { estimate: parallel(estimate, referenceEstimate(task, reference, tilesOfSmall)), keepsPixels, reference };
    });
  });
  const fitting = tiers.filter(({ estimate }) => fits(task, estimate));
  const [fast] = fitting;
  const lean = (fast ? fitting : tiers).reduce((least, tier) =>
    tier.estimate.bytes < least.estimate.bytes ? tier : least,
  );
  return fast && lean.estimate.bytes + LEAST_SAVING_BYTES <= fast.estimate.bytes ? [fast, lean] : [fast ?? lean];
}

function referenceEstimate(
  { picture }: Task,
  { pixels, prepared, whole = false }: Keeping,
  tilesOfSmall?: boolean,
): Estimate {
  return parallel(
    pixels ? comparedPixelsEstimate(picture) : NO_WORK,
    maximum(
      prepared ? preparedSampleEstimate(picture, tilesOfSmall) : NO_WORK,
      whole ? preparedWholeEstimate(picture) : NO_WORK,
    ),
  );
}

/** Bytes that a pixel of a result takes that is kept while another is made: those of photographs up to 0.4. */
const RESULT_PIXEL_BYTES = 0.6;

/** The estimate of a search through pixels. */
function pixelsEstimate(
  task: Task,
  format: WritableFormat,
  { triesFinal, keepsResults }: Omit<Course, "triesExact">,
  keepsPixels: boolean,
): Estimate {
  const { picture, settings } = task;
  const sixteenBit = keepsResults ? sixteenBitTask(task) : null;
  const source = maximum(sourceEstimate(task), ...(sixteenBit ? [sourceEstimate(sixteenBit)] : []));
  const pixels = keepsPixels ? collectEstimate(picture) : NO_WORK;
  const encode = format.write.estimate(picture, { ...settings, probe: true });
  const final = format.write.estimate(sixteenBit?.picture ?? picture, settings);
  const decode = resultDecodeEstimate(format, picture, triesFinal && settings.progressive);
  const comparing = held(comparingBytes(picture, format.write.qualities.tilesOfSmall));
  // A format decodes in the memory that it encodes in.
  const work = maximum(encode, final, decode).bytes;
  const results = keepsResults ? Math.min(final.bytes / 4, picture.width * picture.height * RESULT_PIXEL_BYTES) : 0;
  const bytes = source.bytes + pixels.bytes + comparing.bytes + work + results;
  // The picture is read for what renditions are compared with, for every try of the whole, and for the result.
  const tried = samplePart(picture) < 1 ? triesOf(picture, "usual").whole : 0;
  // No try is the result where that has more bits than what is compared.
  const isTried = triesFinal && !sixteenBit;
  const readings = keepsPixels ? (sixteenBit ? 2 : 1) : 1 + 2 * tried + (isTried ? 0 : 1);
  const lastMs = isTried && !format.write.study ? 0 : chosenMs(format, sixteenBit?.picture ?? picture, settings);
  const ms = source.ms * readings + pixels.ms + triesMs(format, picture, settings, task.start !== undefined) + lastMs;
  return { bytes: Math.ceil(bytes), ms };
}

/** Milliseconds of writing the result once it is known what to choose: whatever that is, on average. */
function chosenMs(format: WritableFormat, picture: Extent, settings: EncodeSettings): number {
  const { write } = format;
  const all = write.variants.map((variant) => write.estimate(picture, { ...settings, ...variant }).ms);
  return all.reduce((sum, ms) => sum + ms, 0) / all.length;
}

/** Files without loss, or nearly, that are made of what is flat, their looks included; of photographs seldom one. */
const EXACT_FILES = { flat: 3, photograph: 0.1 };

/** An estimate with a file without loss made besides: where there are several kinds of it, or nothing else will do. */
function withExact(estimate: Estimate, { picture, settings }: Task, { write, can }: WritableFormat): Estimate {
  if (!can.lossless) return estimate;
  const lossy = write.estimate(picture, settings);
  const [nearLossless] = write.nearLosslessLevels ?? [];
  const exact = write.estimate(picture, {
    ...settings,
    lossless: true,
    ...(nearLossless !== undefined && { nearLossless }),
  });
  const files = byDetail(picture, EXACT_FILES.flat, EXACT_FILES.photograph);
  const ms = write.nearLosslessLevels ? exact.ms * files : 0;
  return { bytes: estimate.bytes + Math.max(0, exact.bytes - lossy.bytes), ms: estimate.ms + ms };
}

/**
 * An estimate with what tells whether a file without loss is worth trying: one of a quarter of the sample, in a fast pass.
 */
function withQuarter(estimate: Estimate, { picture, settings }: Task, { write }: WritableFormat): Estimate {
  if (!write.nearLosslessLevels) return estimate;
  const { width, height } = sampleSize(picture);
  const quarter = { ...picture, width, height: Math.ceil(height / 4) };
  const exact = write.estimate(quarter, { ...settings, lossless: true, effort: 0 });
  const lossy = write.estimate(picture, settings);
  return { bytes: estimate.bytes + Math.max(0, exact.bytes - lossy.bytes), ms: estimate.ms };
}
