/** The attempt at a smaller file from the coefficients of the original: no loss but the one that is asked for. */
import { parallel, maximum, held, type Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Coefficients, RequantizeSettings } from "../codec/format.ts";
import type { Extent } from "../pixels/picture.ts";
import type { Plan } from "../plan/plan.ts";
import { pictureOf, pictureEstimate, type Stored } from "../plan/planned-picture.ts";
import type { Attempt } from "./attempt.ts";
import { comparingBytes, fits, resultDecodeEstimate, searchMs, triesMs, triesOf } from "./estimates.ts";
import { fullSearch, tiersFor, type TieredSearch } from "./memory-tiers.ts";
import { aimedAt, patienceOf } from "./presets.ts";
import type { Encode, PictureEncoder } from "./probe.ts";
import { Reference } from "./reference.ts";
import { samplePart, sampleSize } from "./sample.ts";
import { searchedScore, searchIn } from "./search-pixels.ts";
import { smallestAbove } from "./search.ts";
import { asStored, canDivide, type Task, type WritableFormat, writableIn } from "./task.ts";

/**
 * Searches among coarser divisors of the coefficients, and among encodings of the pixels where these can be written
 * with less chroma, and at qualities between those at which divisors of coefficients grow.
 */
export function requantize(task: Task): Attempt | null {
  const division = divisionOf(task);
  return division && requantizeBy(task, division);
}

/**
 * Searches among coarser divisors alone, where encodings of the pixels are a spare way that takes much more memory:
 * hardly a photograph comes to it. Of one that does, nothing is made here.
 */
export function requantizeWithoutPixels(task: Task): Attempt | null {
  const division = divisionOf(task);
  if (!division?.pixels || !isSpare(task.stored)) return null;
  const { lean, pixels } = division;
  const isLarge = !pixels.tiers[0].keepsPixels && pixels.own(false).bytes >= lean.bytes + MUCH_BYTES;
  return isLarge && fits(task, pixels.tiers[0].estimate) ? requantizeBy(task, division, true) : null;
}

/** What memory set aside for nothing is too much. */
const MUCH_BYTES = 8 << 20;

/** What a task is divided by, and what that takes. */
interface Division {
  readonly format: WritableFormat;
  readonly coefficients: Coefficients;
  readonly targetScore: number;
  /** The picture as it is stored. */
  readonly lying: Plan;
  readonly triesFinal: boolean;
  /** The estimate, without what is kept of what renditions are compared with. */
  readonly lean: Estimate;
  /** The search through pixels besides; null where there is no memory for it, or the picture lies otherwise. */
  readonly pixels: TieredSearch | null;
}

/** How the coefficients of an original may be divided; null where they may not. */
function divisionOf(task: Task): Division | null {
  const { stored, plan, picture, settings, unchanged } = task;
  const targetScore = searchedScore(task);
  const format = writableIn(task);
  const { coefficients } = stored.format;
  if (targetScore === undefined || !format || !unchanged || !coefficients || !canDivide(task)) return null;
  const lying = asStored(plan, stored);
  const work = maximum(pictureEstimate(stored, lying), requantizeEstimate(task, coefficients));
  const ms = requantizeMs(task, format, coefficients);
  const leanIn = (interlaced: boolean) => {
    const judging = parallel(held(comparingBytes(picture)), resultDecodeEstimate(format, picture, interlaced));
    return { bytes: parallel(judging, work).bytes, ms };
  };
  const triesFinal = fits(task, leanIn(settings.progressive));
  const lean = leanIn(triesFinal && settings.progressive);
  const pixels = plan.view.orientation === 1 ? fullSearch(task, format) : null;
  return { format, coefficients, targetScore, lying, triesFinal, lean, pixels };
}

/** @param leavesOut the way through pixels is left to another attempt */
function requantizeBy(task: Task, division: Division, leavesOut = false): Attempt {
  const { format, coefficients, targetScore, lying, triesFinal, lean, pixels } = division;
  const { stored, picture, settings } = task;
  const own = (keepsPixels: boolean) =>
    pixels && !leavesOut
      ? { bytes: maximum(lean, pixels.own(keepsPixels)).bytes, ms: lean.ms + pixelsMs(task, format) }
      : lean;
  const mayKeep = pixels?.tiers[0].keepsPixels === true;
  const tiers = tiersFor(task, mayKeep, own, (keepsPixels) => (keepsPixels ? "needless" : "worthwhile"));
  const goal = {
    format,
    settings,
    targetScore: aimedAt(targetScore, picture),
    patience: patienceOf(task.objective),
    isFrugal: false,
    triesFinal,
    triesExact: false,
    upperBoundBytes: Infinity,
    trace: task.trace,
    isAlone: true,
  };
  return {
    name: "requantize",
    onCoefficients: true,
    ...searchIn(tiers, async (session, timeSlice, keeps) => {
      const shown = pixels ? session.picture : pictureOf(stored, lying);
      const ways = [divided(task, coefficients, timeSlice)];
      if (pixels) ways.push({ ...spareWay(task, session.encoder(format, timeSlice)), isLeftOut: leavesOut });
      const search = (compared: Reference) => smallestAbove(goal, compared, ways, timeSlice, session.deadline);
      const found = await Reference.during(shown, keeps, timeSlice, search);
      return found && session.rendition(found);
    }),
  };
}

/** Milliseconds of a search among divisors: the file is read for its sample, and for every try of the whole. */
function requantizeMs(task: Task, format: WritableFormat, coefficients: Coefficients): number {
  const { stored, plan, picture, settings } = task;
  const { bytes, facts } = stored;
  const pixels = picture.width * picture.height;
  const { quality } = settings;
  const trying = coefficients.estimate(bytes, facts, { quality, progressive: false }).ms;
  const tryMs = (extent: Extent) => {
    const part = (extent.width * extent.height) / pixels;
    return trying * part + resultDecodeEstimate(format, extent).ms;
  };
  const tries = searchMs(picture, tryMs, triesOf(picture, "divided"));
  const sampling = samplePart(picture) < 1 ? coefficients.estimate(bytes, facts, { progressive: false }).ms : 0;
  return (
    pictureEstimate(stored, asStored(plan, stored)).ms + sampling + tries + requantizeEstimate(task, coefficients).ms
  );
}

/** Milliseconds of tries through pixels besides: next to none where these are a spare way. */
function pixelsMs({ stored, picture, settings }: Task, format: WritableFormat): number {
  return isSpare(stored) ? 0 : triesMs(format, { ...picture, ...sampleSize(picture) }, settings);
}

export function requantizeEstimate({ stored, unchanged, settings }: Task, coefficients: Coefficients) {
  const { bytes, facts } = stored;
  const { quality } = settings;
  return coefficients.estimate(bytes, facts, { quality, progressive: true, turn: unchanged?.turn ?? 1 });
}

/** Pixels of a file that halves its chroma are not worth trying with all of it: there is none to be had. */
function spareWay({ stored }: Task, encoder: PictureEncoder): PictureEncoder {
  return isSpare(stored) ? { ...encoder, spare: true, variants: [{ subsample: "4:2:0" }] } : encoder;
}

function isSpare({ facts }: Stored): boolean {
  return facts.subsample === "4:2:0";
}

/** The way through the coefficients: tries lie as the picture is stored, the result as it is handed out. */
export function divided({ stored, unchanged }: Task, coefficients: Coefficients, timeSlice: TimeSlice): PictureEncoder {
  const { bytes, facts, format } = stored;
  const { turn, tag } = unchanged ?? { turn: 1, tag: 1 };
  const write = async (settings: RequantizeSettings) =>
    (await coefficients.requantize(bytes, facts, settings, timeSlice)) ?? bytes;
  const encode: Encode = ({ quality, progressive }) => write({ quality, progressive });
  const finish: Encode = ({ quality, progressive }) => write({ quality, progressive, turn, tag });
  return {
    encode,
    finish: turn === 1 && tag === 1 ? encode : finish,
    variants: [{}],
    async onSample({ picture, tiles }) {
      const small = tiles && (await coefficients.requantize(bytes, facts, { progressive: false, tiles }, timeSlice));
      if (!small) return { encode: async (settings) => format.write?.encode(picture, settings, timeSlice) ?? bytes };
      const smallFacts = format.read.factsOf(small);
      return {
        encode: async ({ quality }) =>
          (await coefficients.requantize(small, smallFacts, { quality, progressive: false }, timeSlice)) ?? small,
      };
    },
  };
}
