/** What the attempts take, composed of what decoders, encoders and the score declare. */
import { parallel, held, type Estimate, serial, times } from "../../../wasm/estimate.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import { byDetail } from "../codec/complexity.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { type Size, whole } from "../pixels/geometry.ts";
import type { Extent } from "../pixels/picture.ts";
import { pictureOf, pictureEstimate } from "../plan/planned-picture.ts";
import { flattenEstimate } from "../steps/flatten.ts";
import { hasManyTiles, sampleBytes, samplePart, sampleSize } from "./sample.ts";
import { scoreEstimate } from "./score.ts";
import type { Task, WritableFormat } from "./task.ts";

/**
 * Renditions that a search mostly looks at: of tiles, or of a picture that is its own sample, and of the whole beside
 * tiles. Where a format shows what it would write, as many for each choice that it leaves. Qualities of flat pictures
 * are farther from where searches begin: so many times as many are looked at.
 */
const TRIES = { tiles: 1.4, sample: 2.5, whole: 1.4, flat: 1.25 };
const PREVIEWED_TRIES = { tiles: 0.75, sample: 0.4, whole: 0.45, flat: 1 };
/** Coarser divisors of coefficients have no quality to begin at: more of them are tried on the whole. */
const DIVIDED_TRIES = { ...TRIES, whole: 1.8 };
/** From where the search in a neighbor of the picture ended fewer renditions are looked at. */
const STARTED_TRIES = { ...TRIES, tiles: 1.1, sample: 1.4, whole: 1.3 };
/**
 * Of many tiles more renditions are looked at, unless a neighbor says as much: what they say of a large picture saves
 * tries of it.
 */
const TRIES_OF_MANY = { tiles: 2.5, whole: 1.25 };

/** Renditions that a search mostly looks at which writes files. */
export function triesOf(picture: Size, kind: "divided" | "started" | "usual"): typeof TRIES {
  const tries = { divided: DIVIDED_TRIES, started: STARTED_TRIES, usual: TRIES }[kind];
  return hasManyTiles(picture) && kind !== "started" ? { ...tries, ...TRIES_OF_MANY } : tries;
}

/** The estimate of looking at a result of this format: decoding it, and comparing it with the picture. */
export function judgeEstimate(format: FormatDefinition, picture: Extent): Estimate {
  return serial(resultDecodeEstimate(format, picture), scoreEstimate(picture));
}

/** The estimate of decoding a result that is not written yet, in one scan unless told otherwise. */
export function resultDecodeEstimate(
  format: FormatDefinition,
  { width, height, opaque, frames, bits }: Extent,
  { interlaced = false, subsample = "4:2:0" }: Partial<Pick<Facts, "interlaced" | "subsample">> = {},
): Estimate {
  const facts: Facts = {
    width,
    height,
    orientation: 1,
    frames,
    loops: 0,
    alpha: !opaque,
    colorspace: "YCbCr",
    interlaced,
    subsample,
    depth: 24,
    ...(bits !== undefined && { bits }),
    quality: 80,
  };
  return format.read.estimate(facts, { box: whole(facts), width, height });
}

/** Bytes that a pixel of a result takes that is kept while another is made: those of photographs up to 0.4. */
const RESULT_PIXEL_BYTES = 0.6;

/** Bytes of a result that is kept while another is made. */
export function resultBytes({ write }: WritableFormat, picture: Extent, settings: EncodeSettings): number {
  return Math.min(write.estimate(picture, settings).bytes / 4, picture.width * picture.height * RESULT_PIXEL_BYTES);
}

/**
 * Bytes that comparing with a picture of this size holds, besides the two pictures: first with its sample, then whole.
 * @param tilesOfSmall whether pictures that stand for themselves by default are divided, too
 */
export function comparingBytes(picture: Extent, tilesOfSmall?: boolean): number {
  const { pixels, all } = sampleBytes(picture, tilesOfSmall);
  return Math.max(all, pixels + scoreEstimate(picture).bytes);
}

/** The estimate of encoding the picture once, decoded as it is written, as often as that reads it. */
export function encodeEstimate(task: Task, { write }: WritableFormat, settings: EncodeSettings): Estimate {
  const readings = write.readings?.(task.picture) ?? 1;
  return parallel(times(readings, sourceEstimate(task)), write.estimate(task.picture, settings));
}

/**
 * The estimate of the pixels that are to be encoded: decoded, worked on, and laid on white where the format has no
 * alpha.
 */
export function sourceEstimate({ stored, plan, picture }: Task): Estimate {
  const planned = pictureEstimate(stored, plan);
  return picture.opaque && !pictureOf(stored, plan).opaque ? parallel(planned, flattenEstimate(picture)) : planned;
}

/** Whether work of this estimate could ever run beside the original of its task. */
export function fits({ stored }: Task, estimate: Estimate): boolean {
  const { heldBytes = stored.bytes.length, bufferedBytes = 0 } = stored;
  return isolateBudget.canHold(parallel(estimate, held(bufferedBytes)), heldBytes);
}

/** Of flat pictures fewer choices are tried: they have no more colors than a palette. */
const FLAT_CHOICES = 0.2;

/** Milliseconds of the tries of a search through pixels, the reading of the picture left out. */
export function triesMs(format: WritableFormat, picture: Extent, settings: EncodeSettings, isStarted = false): number {
  const { study, variants } = format.write;
  if (!study)
    return searchMs(
      picture,
      (extent) => tryMs(format, extent, { ...settings, ...variants[0], probe: extent !== picture }),
      triesOf(picture, isStarted ? "started" : "usual"),
    );
  const encodingMs = (extent: Extent, studied: boolean) => {
    const of = { ...settings, progressive: false, probe: true, studied };
    const all = variants.map((variant) => format.write.estimate(extent, { ...of, ...variant }).ms);
    return all.reduce((sum, ms) => sum + ms, 0) * byDetail(picture, FLAT_CHOICES, 1);
  };
  const previewed = (extent: Extent) => {
    const all = encodingMs(extent, true);
    const decode = resultDecodeEstimate(format, extent).ms;
    return extent === picture ? all / variants.length + decode : all + decode * variants.length;
  };
  // What is found out of the sample, and of the whole where that is another picture, is found out once.
  const studying = (extent: Extent) => encodingMs(extent, false) - encodingMs(extent, true);
  const sample = { ...picture, ...sampleSize(picture), frames: 1 };
  const once = studying(sample) + (samplePart(picture) < 1 ? studying(picture) / variants.length : 0);
  return once + searchMs(picture, previewed, PREVIEWED_TRIES);
}

/** Milliseconds of writing a file and decoding it. */
function tryMs(format: WritableFormat, extent: Extent, settings: EncodeSettings): number {
  return format.write.estimate(extent, settings).ms + resultDecodeEstimate(format, extent).ms;
}

/**
 * Milliseconds of a search that looks at renditions of the sample, and then of the whole picture where that is another.
 * @param oneMs of making and decoding one rendition of the whole, or one of the sample for each choice that there is
 */
export function searchMs(picture: Extent, oneMs: (extent: Extent) => number, tries = TRIES): number {
  const sample = { ...picture, ...sampleSize(picture), frames: 1 };
  const sampleMs = oneMs(sample) + scoreEstimate(sample).ms;
  const more = byDetail(picture, tries.flat, 1);
  if (samplePart(picture) === 1) return more * tries.sample * sampleMs;
  const wholeMs = oneMs(picture) + scoreEstimate(picture).ms;
  return more * (tries.tiles * sampleMs + tries.whole * wholeMs);
}
