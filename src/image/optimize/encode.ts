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
import { canScore } from "./score.ts";
import { better, smallestAbove } from "./search.ts";
import { SHEET_BYTES } from "./sheet.ts";

export interface Optimized {
  readonly bytes: Uint8Array;
  /** SSIMULACRA 2.1 against the picture that was encoded, where it was taken. */
  readonly score?: number;
}

/** Rows that are read at a time where they are not looked at. */
const BAND_ROWS = 32;

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
  const unchanged = !plan.changesPixels && target === stored.format;
  const settings = encodeSettings(aim, target, task.progressive);
  if (!unchanged) return encodePicture(task, settings);
  if (!target.encode) return rewritten(task, settings);
  const made = await (aim.kind === "lossless" ? encodeExactly(task, settings) : encodePicture(task, settings));
  const original = withoutMetadata(stored);
  return made && made.bytes.length < original.length ? made : { bytes: original, score: 100 };
}

/** A format that is not written is written anew as it is, be the result smaller or not. */
async function rewritten(task: Task, settings: EncodeSettings): Promise<Optimized> {
  const { bytes, format } = task.stored;
  if (!format.recompress) throw new ApiError(422, "output.format cannot be written");
  return (await recompressed(task, settings)) ?? { bytes, score: 100 };
}

/** The original, as it may be handed out. */
function withoutMetadata({ bytes, format }: Stored): Uint8Array {
  const stripped = format.strip?.(bytes) ?? bytes;
  return stripped.length < bytes.length ? stripped : bytes;
}

/** The same picture in the same format, nothing of it changed; null when only the original is that. */
async function encodeExactly(task: Task, settings: EncodeSettings): Promise<Optimized | null> {
  const { format } = task.stored;
  const smaller = await recompressed(task, settings);
  if (smaller) return smaller;
  if (!format.recompress && format.can.lossless) return encodePicture(task, settings);
  await readThrough(task);
  return null;
}

/** The same pixels in the same format, without decoding them; null where there is nothing to win this way. */
async function recompressed({ stored }: Task, settings: EncodeSettings): Promise<Optimized | null> {
  const { bytes, facts, format } = stored;
  const { recompress, recompressPeakBytes } = format;
  if (!recompress || !recompressPeakBytes) return null;
  const { progressive } = settings;
  const peakBytes = recompressPeakBytes(bytes, facts);
  const smaller = await isolateBudget.run(peakBytes, () => recompress(bytes, facts, { progressive }));
  return smaller && { bytes: smaller, score: 100 };
}

/** Decodes a picture that is handed back as it is, so that a damaged one is refused. */
async function readThrough({ stored, plan }: Task): Promise<void> {
  await isolateBudget.run(picturePeakBytes(stored, plan), () => {
    for (const { rows } of pictureOf(stored, plan).open()) while (rows.read(BAND_ROWS));
  });
}

async function encodePicture(task: Task, wanted: EncodeSettings): Promise<Optimized> {
  const { stored, plan, target, aim } = task;
  const { encode, encodePeakBytes } = target;
  if (!encode || !encodePeakBytes) throw new ApiError(422, "output.format cannot be written");
  const decoded = pictureOf(stored, plan);
  const picture = target.can.alpha || decoded.opaque ? decoded : flattened(decoded);
  const settings = isSmall(task, picture) ? carefulSettings(wanted, target) : wanted;
  const sourceBytes = picturePeakBytes(stored, plan);
  const encoderBytes = encodePeakBytes(picture, settings);
  if (aim.kind === "size") {
    const pixels = { peakBytes: sourceBytes + encoderBytes, encode: (tried: EncodeSettings) => encode(picture, tried) };
    return fitted(task, settings, aim.bytes, requantizer(task) ?? pixels);
  }
  if (aim.kind !== "smart" || aim.preset === "ultra" || !canSearch(target, picture)) {
    return isolateBudget.run(sourceBytes + encoderBytes, () => ({ bytes: encode(picture, settings) }));
  }
  const goal = TARGET_SCORE[aim.preset];
  const format = { ...target, encode };
  const decodeBytes = resultDecodeBytes(target, picture);
  const scoreBytes = SHEET_BYTES + scorePeakBytes(picture) * (picture.opaque ? 1 : 2);
  // A format decodes in the memory that it encodes in; the best result so far is kept beside.
  const peakBytes = sourceBytes + scoreBytes + Math.max(encoderBytes, decodeBytes) + encoderBytes / 4;
  const requantized = requantizer(task);
  if (!requantized) {
    if (isolateBudget.canHold(peakBytes)) {
      return isolateBudget.run(peakBytes, () => smallestAbove(picture, format, settings, goal));
    }
    return encodeUnscored(picture, format, settings, sourceBytes);
  }
  const leanBytes = scoreBytes + decodeBytes + Math.max(sourceBytes, requantized.peakBytes);
  if (!isolateBudget.canHold(leanBytes)) return (await recompressed(task, settings)) ?? { bytes: stored.bytes };
  const found = await isolateBudget.run(leanBytes, () =>
    smallestAbove(picture, format, settings, goal, requantized.encode),
  );
  // Coefficients keep the chroma they have; pixels can be written with less.
  if (stored.facts.subsample === "4:2:0" || !isolateBudget.canHold(peakBytes)) return found;
  const other = await isolateBudget.run(peakBytes, () => smallestAbove(picture, format, settings, goal));
  return better(found, other, goal);
}

/** The best file that is as small as asked; the original, if it is small enough and nothing else changes. */
async function fitted(
  { stored, plan, target }: Task,
  settings: EncodeSettings,
  limitBytes: number,
  { encode, peakBytes }: { encode: (settings: EncodeSettings) => Uint8Array; peakBytes: number },
): Promise<Optimized> {
  if (!plan.changesPixels && target === stored.format && stored.bytes.length <= limitBytes) {
    return { bytes: stored.bytes, score: 100 };
  }
  return isolateBudget.run(peakBytes, () => ({ bytes: largestWithin(encode, settings, limitBytes) }));
}

/**
 * A way to a smaller file of the same picture that never turns it into pixels, where the format has one and nothing
 * changes but the quality: there is no loss but the one that is asked for, and source and result are never held at once.
 */
function requantizer({ stored, plan, target }: Task) {
  const { bytes, facts, format } = stored;
  const { recompress, recompressPeakBytes, requantizes } = format;
  if (!recompress || !recompressPeakBytes || plan.changesPixels || target !== format) return null;
  if (!requantizes?.(bytes)) return null;
  const encode = ({ quality, progressive }: EncodeSettings) =>
    recompress(bytes, facts, { quality, progressive }) ?? bytes;
  return { peakBytes: recompressPeakBytes(bytes, facts), encode };
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
  { can, encode, encodePeakBytes }: FormatDefinition & Required<Pick<FormatDefinition, "encode">>,
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
