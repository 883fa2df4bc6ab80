/** Pictures written with a loss: in the colors of a palette, or in all colors but not quite the same. */
import { parallel, maximum, held, type Estimate, serial, times } from "../../../../wasm/estimate.ts";
import { nearEstimate } from "../../../../wasm/pixels/near.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { byDetail } from "../../codec/complexity.ts";
import { quantized, quantizedEstimate, type Reduction, reductionFor } from "../../codec/quantize.ts";
import type { EncodeSettings, Preview } from "../../codec/writer.ts";
import { type Extent, firstFrame } from "../../pixels/picture.ts";
import { type Known, keyOf, findingEstimate, knownBytes } from "./known.ts";
import { evenMs, type Moving, NEAR_FILTER, nearPicture } from "./near.ts";
import { colorsNeeded, errorFor, LEAST_COLORS, MOST_COLORS, searchedReduction, stepFor } from "./quality.ts";
import { animationEstimate, writeAnimation } from "./write-animation.ts";
import { guessStillEstimate, guessStillBytes, stillEstimate, probeEstimate, writeStill, writeProbe } from "./write.ts";

/** The effort for animations that are previewed only; their files are never written. */
const PROBE_EFFORT = 0.1;
/** Dithering may cost more than colors do: an exact file that is estimated at less than this is tried. */
const WORTH_TRYING = 2;

export interface LossyOptions {
  /** 1 to 99. */
  readonly quality: number;
  /** 0 to 1. */
  readonly effort: number;
  /** For its look, not for its bytes: written in a fast pass. */
  readonly probe: boolean;
  /** Colors or levels; by default the smaller of both that looks as the quality should. */
  readonly loss: EncodeSettings["loss"];
}

/** The file of a picture at a quality: in few colors or in all, or the exact one if that is smaller. */
export async function writeLossy(known: Known, options: LossyOptions, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { picture } = known;
  const { quality, effort, probe, loss } = options;
  if (picture.frames > 1) return writeAnimated(known, reductionFor(quality), probe ? PROBE_EFFORT : effort, timeSlice);
  if (!loss) return smallestOf(known, { quality, effort }, timeSlice);
  if (loss === "levels") {
    const moving = await movingFor(known, quality, timeSlice);
    const moved = nearPicture(picture, moving);
    const writing = { movedFor: NEAR_FILTER, measured: known.measuredOf(`${moving.step}`) } as const;
    return probe ? writeProbe(moved, writing, timeSlice) : writeStill(moved, { effort, ...writing }, timeSlice);
  }
  const reduction = await reductionInSearch(known, quality, timeSlice);
  const reduced = await known.reducedTo(reduction, probe, timeSlice);
  const measured = known.measuredOf(keyOf(reduction));
  return probe ? writeProbe(reduced, { measured }, timeSlice) : writeStill(reduced, { effort, measured }, timeSlice);
}

/**
 * How colors are taken away at a quality that is searched for: what is flat has indices that repeat by itself, and more colors
 * would undo that.
 */
async function reductionInSearch(known: Known, quality: number, timeSlice: TimeSlice): Promise<Reduction> {
  return searchedReduction(quality, { isCoherent: !(await known.isFlat(timeSlice)) });
}

/** How the samples of a picture are moved at a quality: without grain, errors that are passed on would cost the most bytes. */
async function movingFor(known: Known, quality: number, timeSlice: TimeSlice): Promise<Moving> {
  const passes = !(await known.isEven(timeSlice));
  return { step: stepFor(quality, passes), passes };
}

/**
 * Files that are written to find the smallest: in few colors, in all, or exactly; one or two of a photograph, and mostly one
 * of what is flat, which has all its colors: others are soon written.
 */
const FILES = { photograph: 1.5, flat: 1 };

type EstimatedOptions = Omit<LossyOptions, "quality"> & Pick<EncodeSettings, "studied">;

/**
 * The estimate of `writeLossy`, with all that is kept of the picture, whichever loss it was found out for. Colors are counted
 * before a file is begun.
 */
export function lossyEstimate(picture: Extent, options: EstimatedOptions): Estimate {
  const { effort, probe, studied = false } = options;
  const writing =
    picture.frames > 1
      ? animationEstimate(picture, effort)
      : maximum(stillEstimate(picture, effort), probeEstimate(picture));
  const known = held(knownBytes(picture, probe || studied) + quantizedEstimate(picture).bytes);
  const { bytes } = maximum(findingEstimate(picture), parallel(known, writing));
  return { bytes, ms: lossyMs(picture, options) };
}

function lossyMs(picture: Extent, { effort, probe, loss, studied = false }: EstimatedOptions): number {
  const { width, height, frames } = picture;
  const colors = studied ? quantizedEstimate(picture) : serial(findingEstimate(picture), quantizedEstimate(picture));
  const files = byDetail(picture, FILES.flat, FILES.photograph);
  if (frames > 1)
    return serial(colors, guessStillEstimate(picture), times(files, animationEstimate(picture, effort))).ms;
  const even = { bytes: 0, ms: studied ? 0 : evenMs(width * height) };
  const levels = nearEstimate(width, width * height);
  const writing = probe ? probeEstimate(picture) : stillEstimate(picture, effort);
  if (loss) return serial(even, loss === "levels" ? levels : colors, writing).ms;
  return serial(even, colors, levels, guessStillEstimate(picture), times(files, stillEstimate(picture, effort))).ms;
}

// ---- what a file will show ----

/** Points of score that go with an error of a palette: 20 drawings lose 25 points at 0.012 to 0.022. */
const POINTS_PER_ERROR = 1_600;
/** The part that indices that repeat add to it, where as much as possible is given for them. */
const LOST_BY_COHERENCE = 0.3;
/** Points of score that go with each step between levels. */
const POINTS_PER_STEP = 2.5;

/** Bytes of a file besides those of its pixels: of each color, and of all else. */
const COLOR_BYTES = 4;
const FILE_BYTES = 300;

type Loss = Pick<EncodeSettings, "quality" | "loss">;

/** What `writeLossy` shows of a still picture by a quality and a loss. */
export async function preview(known: Known, { quality, loss }: Loss, timeSlice: TimeSlice): Promise<Preview> {
  const { picture } = known;
  if (loss === "levels") {
    const moving = await movingFor(known, quality, timeSlice);
    const { step } = moving;
    const open = (turn: TimeSlice) => firstFrame(nearPicture(picture, moving), turn);
    return { key: `${step}`, exact: false, distortion: step * POINTS_PER_STEP, open };
  }
  if (loss !== "colors") return { key: "", exact: true, distortion: 0, open: (turn) => firstFrame(picture, turn) };
  const reduction = await reductionInSearch(known, quality, timeSlice);
  const { error, exact, gray, bits } = await known.palettes.estimate(reduction.colors, timeSlice);
  return {
    key: exact ? "" : keyOf(reduction),
    exact,
    gray,
    distortion: error * POINTS_PER_ERROR * (1 + LOST_BY_COHERENCE * (reduction.coherence ?? 0)),
    mostBytes: FILE_BYTES + COLOR_BYTES * reduction.colors + (picture.width * picture.height * bits) / 8,
    open: async (turn) => firstFrame(await known.reducedTo(reduction, true, turn), turn),
  };
}

// ---- the smallest of all ways ----

/** A palette whose error is at most this part of what a quality allows looks far better than it asks for. */
const AMPLE = 0.25;
/**
 * What a file in few colors may take of the bytes of one whose samples are moved. By these glows, skies and shadows have rings
 * and stripes, which an ample palette does not make; of grainy photographs in gray it takes twice as much.
 */
const WORTH = { ample: 1.35, other: 1.05 };
/** So much of an ample palette is tried where nothing has grain and all of it takes too many bytes. */
const AMPLE_PART = 0.25;
/** What takes fewer bytes for a pixel exactly is drawn: moved samples take more. */
const DRAWN_BYTES = 0.3;

type Settings = Pick<EncodeSettings, "quality" | "effort">;

/** A file in few colors. */
interface FewColors {
  readonly bytes: Uint8Array;
  readonly colors: number;
  /** The palette has every color of the picture. */
  readonly exact: boolean;
  /** The palette looks far better than the quality asks for. */
  readonly ample: boolean;
}

async function smallestOf(known: Known, settings: Settings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { picture } = known;
  const { quality, effort } = settings;
  const few = await inFewColors(known, settings, timeSlice);
  if (few?.exact && few.bytes.length < picture.width * picture.height * DRAWN_BYTES) return few.bytes;
  const moving = await movingFor(known, quality, timeSlice);
  const near = await writeStill(nearPicture(picture, moving), { effort, movedFor: NEAR_FILTER }, timeSlice);
  const most = near.length * (few?.ample ? WORTH.ample : WORTH.other);
  const isTooMuch = few?.ample && !moving.passes && few.bytes.length > most;
  const fewer = isTooMuch ? await inColors(known, fewerThan(few), settings, timeSlice) : few;
  const isFewer = fewer !== null && fewer.bytes.length <= most;
  const best = isFewer ? fewer.bytes : near;
  if (isFewer && fewer.exact) return best;
  if ((await known.exactBytes(timeSlice)) > best.length * (isFewer ? WORTH_TRYING : 1)) return best;
  const exact = await writeStill(picture, { effort }, timeSlice);
  return exact.length <= best.length ? exact : best;
}

/** How many colors are tried where so many take too many bytes. */
function fewerThan({ colors }: FewColors): number {
  return Math.max(Math.min(LEAST_COLORS, colors), colors * AMPLE_PART);
}

/** The file in as many colors as the quality needs; null where 256 do not look as good. */
async function inFewColors(known: Known, settings: Settings, timeSlice: TimeSlice): Promise<FewColors | null> {
  const { error } = await known.palette(MOST_COLORS, timeSlice);
  const needed = colorsNeeded(settings.quality, error);
  if (needed === null) return null;
  const usual = reductionFor(settings.quality).colors;
  const made = await inColors(known, Math.min(MOST_COLORS, Math.max(usual, needed)), settings, timeSlice);
  return { ...made, ample: made.error <= AMPLE * errorFor(settings.quality) };
}

/** The file in about so many colors. */
async function inColors(known: Known, about: number, { quality, effort }: Settings, timeSlice: TimeSlice) {
  const colors = Math.round(about);
  const choice = await known.palette(colors, timeSlice);
  const reduced = quantized(known.picture, choice, { colors, dither: reductionFor(quality).dither, sharp: false });
  const { exact, error } = choice;
  return { colors, exact, error, bytes: await writeStill(reduced, { effort }, timeSlice) };
}

/** The file of an animation in the colors of one palette, or the exact one. */
async function writeAnimated(
  known: Known,
  wanted: Omit<Reduction, "sharp">,
  effort: number,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { picture } = known;
  const reduction = { ...wanted, sharp: false };
  const choice = await known.palette(reduction.colors, timeSlice);
  const reduced = quantized(picture, choice, reduction);
  const file = await writeAnimation(reduced, { effort }, timeSlice);
  if (choice.exact) return file;
  if ((await known.exactBytes(timeSlice)) > (await guessStillBytes(reduced, timeSlice)) * WORTH_TRYING) return file;
  const exact = await writeAnimation(picture, { effort }, timeSlice);
  return exact.length <= file.length ? exact : file;
}
