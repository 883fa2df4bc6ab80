/** The attempt at a smaller file from the coefficients of the original: no loss but the one that is asked for. */
import { beside, either, held } from "../../../wasm/price.ts";
import type { Breath } from "../breath.ts";
import type { Coefficients, RequantizeSettings } from "../format.ts";
import type { Extent } from "../picture.ts";
import { pictureOf, picturePrice, type Stored } from "../pipeline.ts";
import type { Attempt } from "./attempt.ts";
import type { Way } from "./candidates.ts";
import { patienceOf } from "./presets.ts";
import {
  comparingBytes,
  fits,
  resultDecodePrice,
  roomFor,
  searchMs,
  triesMs,
  triesOf,
  withReference,
} from "./prices.ts";
import { Reference } from "./reference.ts";
import { samplePart, sampleSize } from "./sample.ts";
import { searchedScore } from "./search-pixels.ts";
import { smallestAbove } from "./search.ts";
import { uncertainty } from "./strips.ts";
import { asStored, canDivide, type Task, type WritableFormat, writableIn } from "./task.ts";
import type { Encode } from "./trial.ts";

/**
 * Searches among coarser divisors of the coefficients, and among encodings of the pixels where these can be written with
 * less chroma, and at qualities between those at which divisors of coefficients grow.
 */
export function requantize(task: Task): Attempt | null {
  const { stored, plan, picture, settings, unchanged } = task;
  const targetScore = searchedScore(task);
  const format = writableIn(task);
  const { coefficients } = stored.format;
  if (targetScore === undefined || !format || !unchanged || !coefficients || !canDivide(task)) return null;
  const lying = asStored(plan, stored);
  const work = either(picturePrice(stored, lying), requantizePrice(task, coefficients));
  const ms = requantizeMs(task, format, coefficients);
  const leanIn = (interlaced: boolean) => {
    const looking = beside(held(comparingBytes(picture)), resultDecodePrice(format, picture, interlaced));
    return { bytes: beside(looking, work).bytes, ms };
  };
  const triesFinal = fits(task, leanIn(settings.progressive));
  const lean = leanIn(triesFinal && settings.progressive);
  const room = plan.view.orientation === 1 ? roomFor(task, format) : null;
  const least = room ? { bytes: either(lean, room.price).bytes, ms: lean.ms + pixelsMs(task, format) } : lean;
  const { price, keeps } = withReference(least, task, { pixels: room?.keepsPixels ? "needless" : "worthwhile" });
  const aim = targetScore + uncertainty(picture);
  const goal = {
    format,
    settings,
    targetScore: aim,
    patience: patienceOf(task.aim),
    isFrugal: false,
    triesFinal,
    triesExact: false,
    rivalBytes: Infinity,
    isAlone: true,
  };
  return {
    name: "requantize",
    price,
    async run(session, breath) {
      if (room?.keepsPixels) await session.keepPixels(breath);
      try {
        const compared = room ? session.picture : pictureOf(stored, lying);
        const ways = [divided(task, coefficients, breath)];
        if (room) ways.push(spareWay(task, session.way(format, breath)));
        const search = (reference: Reference) => smallestAbove(goal, reference, ways, breath);
        const found = await Reference.during(compared, keeps, breath, search);
        return found && session.rendition(found);
      } finally {
        session.dropPixels();
      }
    },
  };
}

/** Milliseconds of a search among divisors: the file is read for its sample, and for every try of the whole. */
function requantizeMs(task: Task, format: WritableFormat, coefficients: Coefficients): number {
  const { stored, plan, picture, settings } = task;
  const { bytes, facts } = stored;
  const pixels = picture.width * picture.height;
  const { quality } = settings;
  const trying = coefficients.price(bytes, facts, { quality, progressive: false }).ms;
  const tryMs = (extent: Extent) => {
    const part = (extent.width * extent.height) / pixels;
    return trying * part + resultDecodePrice(format, extent).ms;
  };
  const tries = searchMs(picture, tryMs, triesOf(picture, "divided"));
  const sampling = samplePart(picture) < 1 ? coefficients.price(bytes, facts, { progressive: false }).ms : 0;
  return picturePrice(stored, asStored(plan, stored)).ms + sampling + tries + requantizePrice(task, coefficients).ms;
}

/** Milliseconds of tries through pixels besides: next to none where these are a spare way. */
function pixelsMs({ stored, picture, settings }: Task, format: WritableFormat): number {
  return isSpare(stored) ? 0 : triesMs(format, { ...picture, ...sampleSize(picture) }, settings);
}

export function requantizePrice({ stored, unchanged, settings }: Task, coefficients: Coefficients) {
  const { bytes, facts } = stored;
  const { quality } = settings;
  return coefficients.price(bytes, facts, { quality, progressive: true, turn: unchanged?.turn ?? 1 });
}

/** Pixels of a file that halves its chroma are not worth trying with all of it: there is none to be had. */
function spareWay({ stored }: Task, way: Way): Way {
  return isSpare(stored) ? { ...way, spare: true, variants: [{ subsample: "4:2:0" }] } : way;
}

function isSpare({ facts }: Stored): boolean {
  return facts.subsample === "4:2:0";
}

/** The way through the coefficients: tries lie as the picture is stored, the result as it is handed out. */
export function divided({ stored, unchanged }: Task, coefficients: Coefficients, breath: Breath): Way {
  const { bytes, facts, format } = stored;
  const { turn, tag } = unchanged ?? { turn: 1, tag: 1 };
  const write = async (settings: RequantizeSettings) =>
    (await coefficients.requantize(bytes, facts, settings, breath)) ?? bytes;
  const encode: Encode = ({ quality, progressive }) => write({ quality, progressive });
  const finish: Encode = ({ quality, progressive }) => write({ quality, progressive, turn, tag });
  return {
    encode,
    finish: turn === 1 && tag === 1 ? encode : finish,
    variants: [{}],
    async onSample({ picture, tiles }) {
      const small = tiles && (await coefficients.requantize(bytes, facts, { progressive: false, tiles }, breath));
      if (!small) return { encode: async (settings) => format.write?.encode(picture, settings, breath) ?? bytes };
      const smallFacts = format.read.probe(small);
      return {
        encode: async ({ quality }) =>
          (await coefficients.requantize(small, smallFacts, { quality, progressive: false }, breath)) ?? small,
      };
    },
  };
}
