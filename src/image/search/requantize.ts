/** The attempt at a smaller file from the coefficients of the original: no loss but the one that is asked for. */
import { parallel, maximum, held } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Coefficients, RequantizeSettings } from "../codec/format.ts";
import type { Extent } from "../pixels/picture.ts";
import { pictureOf, pictureEstimate } from "../plan/planned-picture.ts";
import type { Attempt } from "./attempt.ts";
import { comparingBytes, fits, resultDecodeEstimate, searchMs, triesOf } from "./estimates.ts";
import { tiersFor } from "./memory-tiers.ts";
import { aimedAt, patienceOf } from "./presets.ts";
import type { Encode, PictureEncoder } from "./probe.ts";
import { referenceOf } from "./reference.ts";
import { samplePart } from "./sample.ts";
import { searchedScore, searchIn } from "./search-pixels.ts";
import { smallestAbove } from "./search.ts";
import { asStored, canDivide, type Task, type WritableFormat, writableIn } from "./task.ts";

/** Searches among coarser divisors of the coefficients. */
export function requantize(task: Task): Attempt | null {
  const { stored, plan, picture, settings } = task;
  const targetScore = searchedScore(task);
  const format = writableIn(task);
  const { coefficients } = stored.format;
  if (targetScore === undefined || !format || !coefficients || !canDivide(task)) return null;
  const lying = asStored(plan, stored);
  const work = maximum(pictureEstimate(stored, lying), requantizeEstimate(task, coefficients));
  const ms = requantizeMs(task, format, coefficients);
  const leanIn = (interlaced: boolean) => {
    const judging = parallel(held(comparingBytes(picture)), resultDecodeEstimate(format, picture, { interlaced }));
    return { bytes: parallel(judging, work).bytes, ms };
  };
  const triesFinal = fits(task, leanIn(settings.progressive));
  const lean = leanIn(triesFinal && settings.progressive);
  const goal = {
    format,
    settings,
    targetScore: aimedAt(targetScore, picture),
    patience: patienceOf(task.objective),
    keepsResults: true,
    triesFinal,
    upperBoundBytes: Infinity,
    trace: task.trace,
  };
  return {
    name: "requantize",
    onCoefficients: true,
    ...searchIn(
      tiersFor(task, format, false, () => lean),
      async (session, timeSlice, keepsCompared) => {
        const encoder = divided(task, coefficients, timeSlice);
        const reference = await referenceOf(pictureOf(stored, lying), keepsCompared, timeSlice);
        const found = await smallestAbove(goal, reference, encoder, timeSlice, session.deadline);
        return found && session.rendition(found);
      },
    ),
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

export function requantizeEstimate({ stored, unchanged, settings }: Task, coefficients: Coefficients) {
  const { bytes, facts } = stored;
  const { quality } = settings;
  return coefficients.estimate(bytes, facts, { quality, progressive: true, turn: unchanged?.turn ?? 1 });
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
