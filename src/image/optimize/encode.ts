/** The file that an aim asks for, and never a larger one than there was. */
import { scorePeakBytes } from "../../../wasm/score/score.ts";
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../budget.ts";
import { WHITE } from "../color.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { whole } from "../geometry.ts";
import type { Aim } from "../output.ts";
import type { Picture } from "../picture.ts";
import { pictureOf, picturePeakBytes, type Stored } from "../pipeline.ts";
import type { Plan } from "../plan.ts";
import { flatten } from "../steps/flatten.ts";
import { largestWithin } from "./fit.ts";
import { carefulSettings, encodeSettings, TARGET_SCORE } from "./presets.ts";
import {
  asStored,
  inOneScan,
  type Kept,
  keptOf,
  readThrough,
  recompressed,
  type Requantizer,
  requantizer,
} from "./rewrite.ts";
import { canScore } from "./score.ts";
import { better, smallestAbove } from "./search.ts";
import { SHEET_BYTES } from "./sheet.ts";

export interface Optimized {
  readonly bytes: Uint8Array;
  /** SSIMULACRA 2.1 against the picture that was encoded, where it was taken. */
  readonly score?: number;
}

/** What is to be written: a stored picture, as planned, in a format. */
export interface Task {
  readonly stored: Stored;
  readonly plan: Plan;
  readonly target: FormatDefinition;
  readonly aim: Aim;
  readonly progressive: boolean;
}

/**
 * Encodes a picture as its aim asks. When neither pixels nor format change, the smaller of the result and the original
 * without its metadata is returned.
 * @throws ApiError 422 when the job does not fit into memory, 503 when too many wait
 */
export async function encodeFor(task: Task): Promise<Optimized> {
  const { stored, plan, target, aim } = task;
  const kept = keptOf(stored, plan, target);
  const settings = encodeSettings(aim, target, task.progressive);
  if (!kept) return encodePicture(task, settings, null);
  if (!target.encode) return rewritten(kept, settings);
  const exactly = aim.kind === "lossless";
  const made = await (exactly ? encodeExactly(task, settings, kept) : encodePicture(task, settings, kept));
  // Files that cannot be requantized are of kinds that browsers do not show.
  const original = exactly || (target.requantizes?.(stored.bytes) ?? true) ? kept.original : null;
  if (made && (!original || made.bytes.length < original.length)) return made;
  return { bytes: original ?? stored.bytes, score: 100 };
}

/** A format that is not written is written anew as it is, be the result smaller or not. */
async function rewritten(kept: Kept, settings: EncodeSettings): Promise<Optimized> {
  const { bytes, format } = kept.stored;
  if (!format.recompress) throw new ApiError(422, "output.format cannot be written");
  return (await recompressed(kept, settings)) ?? { bytes, score: 100 };
}

/** The same picture in the same format, nothing of it changed; null when only the original is that. */
async function encodeExactly(task: Task, settings: EncodeSettings, kept: Kept): Promise<Optimized | null> {
  const { format } = task.stored;
  const smaller = await recompressed(kept, settings);
  if (smaller) return smaller;
  if (!format.recompress && format.can.lossless) return encodePicture(task, settings, kept);
  await readThrough(kept);
  return null;
}

/** Null when the original is the best there is. */
async function encodePicture(task: Task, wanted: EncodeSettings, kept: Kept): Promise<Optimized | null>;
async function encodePicture(task: Task, wanted: EncodeSettings, kept: null): Promise<Optimized>;
async function encodePicture(task: Task, wanted: EncodeSettings, kept: Kept | null): Promise<Optimized | null> {
  const { stored, plan, target, aim } = task;
  const { encode, encodePeakBytes } = target;
  if (!encode || !encodePeakBytes) throw new ApiError(422, "output.format cannot be written");
  const decoded = pictureOf(stored, plan);
  const picture = target.can.alpha || decoded.opaque ? decoded : flattened(decoded);
  const settings = isSmall(task, picture) ? carefulSettings(wanted, target) : wanted;
  const peaks = peaksOf(task, picture, encodePeakBytes(picture, settings), kept);
  const searches = aim.kind === "smart" && aim.preset !== "ultra" && canSearch(target, picture);
  if (kept && !isolateBudget.canHold(searches ? peaks.lean : peaks.blind)) {
    const simpler = await inOneScan(kept);
    if (simpler) return encodePicture({ ...task, stored: simpler.stored }, wanted, simpler);
  }
  const way = kept && requantizer(kept);
  if (aim.kind === "size") {
    if (kept?.original && kept.original.length <= aim.bytes) return null;
    const { finish, peakBytes } = way ?? {
      finish: (tried: EncodeSettings) => encode(picture, tried),
      peakBytes: peaks.blind,
    };
    return isolateBudget.run(peakBytes, () => ({ bytes: largestWithin(finish, settings, aim.bytes) }));
  }
  if (!searches) return isolateBudget.run(peaks.blind, () => ({ bytes: encode(picture, settings) }));
  const goal = TARGET_SCORE[aim.preset];
  const format = { ...target, encode };
  const search = (from: Picture, by?: Requantizer) => smallestAbove(from, format, settings, goal, by);
  const fits = isolateBudget.canHold(peaks.search);
  if (!kept || !way) {
    if (fits) return isolateBudget.run(peaks.search, () => search(picture));
    return encodeUnscored(picture, format, settings, peaks.source);
  }
  if (!isolateBudget.canHold(peaks.lean)) return recompressed(kept, settings);
  const lying = pictureOf(stored, asStored(plan, stored));
  const found = await isolateBudget.run(peaks.lean, () => search(lying, way));
  // Coefficients keep the chroma they have; pixels can be written with less.
  if (stored.facts.subsample === "4:2:0" || !fits) return found;
  return better(found, await isolateBudget.run(peaks.search, () => search(picture)), goal);
}

type Encoder = FormatDefinition & Required<Pick<FormatDefinition, "encode">>;

/** Bytes that the ways to encode a picture hold at most. */
interface Peaks {
  /** Decoding and steps alone. */
  readonly source: number;
  /** Encoding once. */
  readonly blind: number;
  /** Searching for a quality. */
  readonly search: number;
  /** The same with coefficients of the original in place of pixels; endless where it cannot be. */
  readonly lean: number;
}

function peaksOf({ stored, plan, target }: Task, picture: Picture, encoder: number, kept: Kept | null): Peaks {
  const source = picturePeakBytes(stored, plan);
  const decoder = resultDecodeBytes(target, picture);
  const score = SHEET_BYTES + scorePeakBytes(picture) * (picture.opaque ? 1 : 2);
  const way = kept && requantizer(kept);
  const lying = picturePeakBytes(stored, asStored(plan, stored));
  return {
    source,
    blind: source + encoder,
    // A format decodes in the memory that it encodes in; the best result so far is kept beside.
    search: source + score + Math.max(encoder, decoder) + encoder / 4,
    lean: way ? score + decoder + Math.max(lying, way.peakBytes) : Number.POSITIVE_INFINITY,
  };
}

/** Whether a score is promised that the picture is too small for. */
function isSmall({ aim }: Task, picture: Picture): boolean {
  return aim.kind === "smart" && aim.preset !== "ultra" && picture.frames === 1 && !canScore(picture);
}

/** Whether a quality can be searched for: the format has one, and the picture is one that can be scored in good time. */
function canSearch({ can, maxScoredPixels }: FormatDefinition, picture: Picture): boolean {
  const inTime = picture.width * picture.height <= (maxScoredPixels ?? Infinity);
  return can.quality && picture.frames === 1 && inTime && canScore(picture);
}

/** Bytes that decoding a result of this size holds at most. */
function resultDecodeBytes(target: FormatDefinition, { width, height, opaque }: Picture): number {
  const facts = {
    width,
    height,
    orientation: 1,
    frames: 1,
    loops: 0,
    alpha: !opaque,
    colorspace: "YCbCr",
    interlaced: false,
    subsample: "4:2:0",
    depth: 24,
    quality: 80,
  } as const;
  return target.decodePeakBytes(facts, { box: whole(facts), width, height });
}

/**
 * A picture that is too large to be scored beside its encoding: at the quality that reaches the preset's target on
 * average, or exactly, where that takes less memory.
 * @throws ApiError 422 when the job does not fit into memory either way
 */
async function encodeUnscored(
  picture: Picture,
  { can, encode, encodePeakBytes }: Encoder,
  settings: EncodeSettings,
  sourceBytes: number,
): Promise<Optimized> {
  const encodeAt = (chosen: EncodeSettings) => ({
    peakBytes: sourceBytes + (encodePeakBytes?.(picture, chosen) ?? 0),
    run: () => encode(picture, chosen),
  });
  const lossy = encodeAt(settings);
  if (isolateBudget.canHold(lossy.peakBytes) || !can.lossless) {
    return isolateBudget.run(lossy.peakBytes, () => ({ bytes: lossy.run() }));
  }
  const exact = encodeAt({ ...settings, lossless: true });
  return isolateBudget.run(exact.peakBytes, () => ({ bytes: exact.run(), score: 100 }));
}

/** The picture on white, for formats without alpha. */
function flattened(picture: Picture): Picture {
  return {
    ...picture,
    opaque: true,
    *open() {
      for (const frame of picture.open()) yield { ...frame, rows: flatten(frame.rows, WHITE) };
    },
  };
}
