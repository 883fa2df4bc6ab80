/** Writes still pictures: files that stay, and files that are only looked at. */
import { parallel, held, type Estimate, serial } from "../../../../wasm/estimate.ts";
import { type FilterStrategy, pngWriterBytes } from "../../../../wasm/pixels/png-writer.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { fileShare } from "../../codec/complexity.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import { assemble, assembleMeanwhile } from "./assemble.ts";
import { choose, chooseOnPart, choosingEstimate } from "./choose.ts";
import { type Choice, compress, compressEstimate, lengthOf, pngBandsOfPixels } from "./compress.ts";
import { type Compression, compressionFor, lastCompressionMs, ratioOf, PROBE_LEVEL } from "./levels.ts";
import { type Look, lookAt, lookEstimate, samplePixels } from "./look.ts";
import type { Limits } from "./representation.ts";
import type { Measured } from "./sample.ts";

export interface WriteOptions extends Limits {
  /** 0 to 1. */
  readonly effort: number;
  /** Chunks that say what the colors mean, to stand before the palette. */
  readonly colorChunks?: readonly Uint8Array[];
  /** What is known of this picture from probes. */
  readonly measured?: Measured;
}

/** The file of a still picture, pixels exact. */
export async function writeStill(picture: Picture, options: WriteOptions, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { colorChunks = [] } = options;
  const { width, height } = picture;
  const look = await lookAt(picture, options, timeSlice);
  try {
    const choice = await choose(look, width, { ...options, pixels: width * height }, timeSlice);
    return await assembleMeanwhile(choice, { width, height, bands: look.bands() }, colorChunks, timeSlice);
  } finally {
    await look.close();
  }
}

/** What the survey of a picture holds besides its sample: its colors, up to those of a palette. */
const SURVEY_BYTES = 512 << 10;
/** A bit for each color, where one is sought that can stand for transparency. */
const COLORS_BYTES = 2 << 20;
/**
 * The part of its raw size that a photograph takes as a file: up to two thirds, and more while its memory grows. Frames
 * that are joined take about half, and for a moment twice.
 */
const RESULT_RATIO = 0.95;

/** The estimate of `writeStill`. */
export function stillEstimate(picture: Extent, effort: number): Estimate {
  const pixels = picture.width * picture.height;
  const ratio = ratioOf(picture);
  const work = serial(choosingEstimate(pixels, effort, ratio), {
    bytes: 0,
    ms: lastCompressionMs(pixels, effort, ratio),
  });
  return { bytes: stillBytes(picture, effort), ms: work.ms + lookEstimate(pixels).ms };
}

function stillBytes(picture: Extent, effort: number): number {
  const { width, height, opaque, frames } = picture;
  const pixels = width * height;
  const survey = samplePixels(pixels) * 4 + SURVEY_BYTES + (opaque && frames === 1 ? 0 : COLORS_BYTES);
  const raw = pixels * (opaque ? 3 : 4);
  // A flat picture is worth the highest level.
  const { level } = compressionFor(pixels * frames, effort, 0);
  const file = raw * RESULT_RATIO * fileShare(picture, "filtered");
  return Math.ceil(file) + survey + pngWriterBytes(width, level, raw);
}

// ---- probes ----

interface ProbeOptions {
  /** The filter that the samples were moved for. */
  readonly movedFor?: FilterStrategy;
  /** Takes up what was found out, for when the picture is written to stay. */
  readonly measured?: Measured;
}

/** Finding the best filter takes too long for probes of larger pictures; for the smallest it is always worth it. */
const LARGE_PIXELS = 1 << 18;
const SMALL_PIXELS = 1 << 16;
const PROBE_EFFORT = 0.1;
const PROBE: Compression = { level: PROBE_LEVEL, kind: "photograph" };

/**
 * A quick file of a still picture, pixels exact: about a fifth of the time of the usual effort, and 5 to 20 % more
 * bytes.
 */
export async function writeProbe(picture: Picture, options: ProbeOptions, timeSlice: TimeSlice): Promise<Uint8Array> {
  const look = await lookAt(picture, {}, timeSlice);
  try {
    const choice = await probeChoice(look, picture, options, timeSlice);
    if (choice.pieces) return assemble(choice.representation, picture, [], choice.pieces);
    return await assembleMeanwhile(choice, { ...sizeOf(picture), bands: look.bands() }, [], timeSlice);
  } finally {
    await look.close();
  }
}

/** The estimate of `writeProbe`. */
export function probeEstimate(picture: Extent): Estimate {
  const pixels = picture.width * picture.height;
  const ratio = ratioOf(picture);
  const choosing = pixels <= LARGE_PIXELS ? [choosingEstimate(pixels, PROBE_EFFORT, ratio)] : [];
  const { ms } = serial(
    lookEstimate(pixels),
    ...choosing,
    compressEstimate({ ...PROBE, strategy: "sum" }, pixels, ratio),
  );
  return parallel(held(stillBytes(picture, PROBE_EFFORT)), { bytes: 0, ms });
}

/** The filter that samples were moved for, or what is best now, perhaps as it was written to find that out. */
async function probeChoice(
  look: Look,
  { width, height }: Size,
  { movedFor, measured }: ProbeOptions,
  timeSlice: TimeSlice,
): Promise<Choice & { readonly pieces?: readonly Uint8Array[] }> {
  const pixels = width * height;
  const [representation] = look.representations;
  if (!movedFor && pixels <= (measured ? LARGE_PIXELS : SMALL_PIXELS)) {
    const choice = look.representations.some(({ palette }) => palette)
      ? await chooseOnPart(look, width, measured ?? new Map(), timeSlice)
      : await choose(look, width, { pixels, effort: PROBE_EFFORT, measured }, timeSlice);
    return choice.tried ?? { representation: choice.representation, strategy: choice.strategy, ...PROBE };
  }
  return { representation, strategy: movedFor ?? (representation.palette ? "none" : "sum"), ...PROBE };
}

/** About how many bytes `writeStill` would need for the first frame, found quickly on a sample. */
export async function guessStillBytes(picture: Picture, timeSlice: TimeSlice): Promise<number> {
  const { width, height } = picture;
  const look = await lookAt(picture, {}, timeSlice);
  await look.close();
  const { representations, sample } = look;
  const rows = sample.length / (width * 4);
  const source = { width, height: rows, bands: pngBandsOfPixels(sample, width) };
  const pieces = await compress({ representation: representations[0], strategy: "sum", ...PROBE }, source, timeSlice);
  return (lengthOf(pieces) * height) / rows;
}

/** The estimate of `guessStillBytes`; it holds no more than writing does. */
export function guessStillEstimate(picture: Extent): Estimate {
  const pixels = picture.width * picture.height;
  const sampled = Math.min(pixels, LARGE_PIXELS * 4);
  const { ms } = compressEstimate({ ...PROBE, strategy: "sum" }, sampled, ratioOf(picture));
  return { bytes: 0, ms: ms + lookEstimate(pixels * picture.frames).ms };
}

function sizeOf({ width, height }: Size): Size {
  return { width, height };
}
