/**
 * The memory that a search through pixels may have. What it must have decides which files it tries. What it may have
 * besides saves time and nothing else: the file is the same without it. So a search has two tiers, a fast one and a lean
 * one, and begins in the first of them that is free. Of photographs in four formats the lean one took up to a third more
 * time, mostly a tenth; one between them took hardly less than that, so there is none.
 */
import { parallel, maximum, NO_WORK, held, type Estimate } from "../../../wasm/estimate.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { collectEstimate } from "../pixels/buffered.ts";
import type { Extent } from "../pixels/picture.ts";
import {
  comparingBytes,
  fits,
  resultBytes,
  resultDecodeEstimate,
  sourceEstimate,
  triesMs,
  triesOf,
} from "./estimates.ts";
import type { Goal } from "./goal.ts";
import { comparedPixelsEstimate } from "./reference.ts";
import { samplePart } from "./sample.ts";
import { sixteenBitTask, type Task, type WritableFormat } from "./task.ts";

/** Larger pictures are computed anew each time that they are read. */
const MAX_KEPT_PIXELS = 4_000_000;

/** What decides which files a search tries: what it has memory for. */
type Course = Pick<Goal, "keepsResults" | "triesFinal">;

/** A tier for a search: what it keeps in it that saves time, and the estimate of the search with that. */
interface Tier {
  readonly estimate: Estimate;
  /** The pixels are computed once. */
  readonly keepsPixels: boolean;
  /** What is compared of the picture stays in memory, where its pixels do not. */
  readonly keepsCompared: boolean;
}

/** A fast tier, and a lean one where that is much smaller. */
export type Tiers = readonly [fast: Tier, ...lean: Tier[]];

/** A search through pixels, and its tiers. */
export interface TieredSearch extends Course {
  readonly tiers: Tiers;
}

/** The search that tries most files in the memory there is; null where there is not enough even for the least of it. */
export function fullSearch(task: Task, format: WritableFormat): TieredSearch | null {
  const { picture } = task;
  const mayKeep = picture.frames === 1 && picture.width * picture.height <= MAX_KEPT_PIXELS && !isThere(task);
  const own = (triesFinal: boolean, keepsPixels: boolean) =>
    pixelsEstimate(task, format, { keepsResults: true, triesFinal }, keepsPixels);
  const keepsPixels = mayKeep && fits(task, own(false, true));
  const triesFinal = fits(task, own(true, keepsPixels));
  if (!fits(task, own(triesFinal, keepsPixels))) return null;
  const tiers = tiersFor(task, format, keepsPixels, (keeps) => own(triesFinal, keeps));
  return fits(task, tiers[0].estimate) ? { tiers, keepsResults: true, triesFinal } : null;
}

/** Whether the pixels are in memory anyhow. */
function isThere({ stored, plan }: Task): boolean {
  return stored.isBuffered === true && !plan.changesPixels;
}

/**
 * The search for which least is to be kept, and fewest files are to be tried: its estimate says where even that does
 * not fit.
 */
export function leastSearch(task: Task, format: WritableFormat): TieredSearch {
  const course = { keepsResults: false, triesFinal: false };
  const own = () => pixelsEstimate(task, format, course, false);
  return { ...course, tiers: tiersFor(task, format, false, own) };
}

/** A lean tier that saves less than this beside the fast one saves nothing that matters. */
const LEAST_SAVING_BYTES = 1 << 20;

/**
 * The tiers of a search: the lean one alone where the fast one does not fit.
 * @param keepsPixels the pixels may be kept
 * @param own the estimate of the search, without what is kept of what is compared
 */
export function tiersFor(
  task: Task,
  { write }: WritableFormat,
  keepsPixels: boolean,
  own: (keepsPixels: boolean) => Estimate,
): Tiers {
  const tierOf = (keeps: boolean, isFast: boolean): Tier => {
    // A format that shows what it would write reads the picture for that, while it is compared: nothing has two decoders at once.
    const keepsCompared = !keeps && !isThere(task) && (isFast || write.study !== undefined);
    const compared = keepsCompared ? comparedPixelsEstimate(task.picture) : NO_WORK;
    return { estimate: parallel(own(keeps), compared), keepsPixels: keeps, keepsCompared };
  };
  // Buffered pixels show whether there is alpha at all: without them another file may be written.
  const [fast, lean] = [tierOf(keepsPixels, true), tierOf(keepsPixels && !task.picture.opaque, false)];
  if (!fits(task, fast.estimate)) return [lean];
  return lean.estimate.bytes + LEAST_SAVING_BYTES <= fast.estimate.bytes ? [fast, lean] : [fast];
}

/** The estimate of a search through pixels. */
function pixelsEstimate(
  task: Task,
  format: WritableFormat,
  { triesFinal, keepsResults }: Course,
  keepsPixels: boolean,
): Estimate {
  const { picture, settings } = task;
  const sixteenBit = keepsResults ? sixteenBitTask(task) : null;
  const source = maximum(sourceEstimate(task), ...(sixteenBit ? [sourceEstimate(sixteenBit)] : []));
  const pixels = keepsPixels ? collectEstimate(picture) : NO_WORK;
  const { write } = format;
  const encode = write.estimate(picture, { ...settings, probe: true });
  const final = write.estimate(sixteenBit?.picture ?? picture, settings);
  const decode = resultDecodeEstimate(format, picture, { interlaced: triesFinal && settings.progressive });
  const comparing = held(comparingBytes(picture, write.qualities.tilesOfSmall));
  // A format decodes in the memory that it encodes in.
  const work = maximum(encode, final, decode);
  const results = keepsResults ? resultBytes(format, sixteenBit?.picture ?? picture, settings) : 0;
  const bytes = source.bytes + pixels.bytes + comparing.bytes + work.bytes + results;
  // The picture is read for what renditions are compared with, for every try of the whole, and for the result.
  const tried = samplePart(picture) < 1 ? triesOf(picture, "usual").whole : 0;
  // No try is the result where that has more bits than what is compared.
  const isTried = triesFinal && !sixteenBit;
  const readings = keepsPixels ? (sixteenBit ? 2 : 1) : 1 + 2 * tried + (isTried ? 0 : 1);
  const lastMs = isTried && !write.study ? 0 : chosenMs(format, sixteenBit?.picture ?? picture, settings);
  const ms = source.ms * readings + pixels.ms + triesMs(format, picture, settings, task.start !== undefined) + lastMs;
  return { bytes: Math.ceil(bytes), ms };
}

/** Milliseconds of writing the result once it is known what to choose: whatever that is, on average. */
function chosenMs(format: WritableFormat, picture: Extent, settings: EncodeSettings): number {
  const { write } = format;
  const all = write.variants.map((variant) => write.estimate(picture, { ...settings, ...variant }).ms);
  return all.reduce((sum, ms) => sum + ms, 0) / all.length;
}
