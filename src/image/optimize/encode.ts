/** The file that an aim asks for, and never a larger one than there was. */
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../budget.ts";
import { WHITE } from "../color.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import type { Aim } from "../output.ts";
import { firstFrame, type Picture } from "../picture.ts";
import { pictureOf, picturePeakBytes, type Stored } from "../pipeline.ts";
import { type Plan, resizedOnly } from "../plan.ts";
import { flatten } from "../steps/flatten.ts";
import { fitted } from "./fit.ts";
import { carefulSettings, encodeSettings, TARGET_SCORE } from "./presets.ts";
import { inOneScan, type Kept, keptOf, readThrough, recompressed } from "./rewrite.ts";
import { canScore } from "./score.ts";
import { fitsSearch, searched } from "./smart.ts";

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
  /** Of the best file so far, in another format: one that is plainly larger need not be made. */
  readonly rivalBytes?: number | undefined;
  /** Called when nothing will read the file again, where that is before the end. */
  readonly whenRead?: (() => void) | undefined;
}

/**
 * Encodes a picture as its aim asks. When neither pixels nor format change, the smaller of the result and the original
 * without its metadata is returned. Null for a file that is plainly larger than its rival.
 * @throws ApiError 422 when the job does not fit into memory, 503 when too many wait
 */
export async function encodeFor(task: Task): Promise<Optimized | null> {
  const { stored, plan, target, aim } = task;
  const kept = keptOf(stored, plan, target);
  const settings = encodeSettings(aim, target, task.progressive);
  if (!kept) return marked(task, await encodePicture(task, settings, null));
  if (!target.encode) return rewritten(kept, settings);
  if (kept.original && isReduced(stored, aim)) {
    await readThrough(kept);
    return { bytes: kept.original, score: 100 };
  }
  const exactly = aim.kind === "lossless";
  const made = await (exactly
    ? encodeExactly(task, settings, kept)
    : marked(task, await encodePicture(task, settings, kept)));
  // Files that cannot be requantized are of kinds that browsers do not show.
  const original = exactly || (target.requantizes?.(stored.bytes) ?? true) ? kept.original : null;
  if (made && (!original || made.bytes.length < original.length)) return made;
  return { bytes: original ?? stored.bytes, score: 100 };
}

/** The result with a mark, by which it is known when it comes back. */
function marked<Result extends Optimized | null>({ aim, target }: Task, made: Result): Result {
  if (!made || aim.kind !== "smart" || !target.mark) return made;
  return { ...made, bytes: target.mark(made.bytes, TARGET_SCORE[aim.preset]) };
}

/** Whether the file was already reduced as far as the aim allows: once more would add one loss to another. */
function isReduced({ bytes, format }: Stored, aim: Aim): boolean {
  if (aim.kind !== "smart") return false;
  const mark = format.markOf?.(bytes);
  return mark !== undefined && mark <= TARGET_SCORE[aim.preset];
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

/** Null when the original is the best there is, or the rival. */
async function encodePicture(task: Task, wanted: EncodeSettings, kept: Kept | null): Promise<Optimized | null> {
  const { stored, plan, target, aim } = task;
  const { encode, encodePeakBytes } = target;
  if (!encode || !encodePeakBytes) throw new ApiError(422, "output.format cannot be written");
  const planned = pictureOf(stored, plan);
  const decoded = target.can.animation ? planned : still(planned);
  const picture = target.can.alpha || decoded.opaque ? decoded : flattened(decoded);
  const settings = isSmall(task, picture) ? carefulSettings(wanted, target) : wanted;
  const format = { ...target, encode, encodePeakBytes };
  const subject = { stored, plan, picture, format, settings, rivalBytes: task.rivalBytes, whenRead: task.whenRead };
  if (aim.kind === "smart" && canSearch(target, picture)) {
    const simpler = kept || fitsSearch(subject) ? null : await inOneScan(stored);
    if (simpler) return encodePicture({ ...task, stored: simpler }, wanted, null);
    return searched(subject, kept, TARGET_SCORE[aim.preset]);
  }
  const reencoded = aim.kind === "size" ? null : await reencode(task, settings);
  if (reencoded) return reencoded;
  const blindBytes = picturePeakBytes(stored, plan) + encodePeakBytes(picture, settings);
  const simpler = isolateBudget.canHold(blindBytes) ? null : await inOneScan(stored, kept?.note);
  if (simpler && !kept) return encodePicture({ ...task, stored: simpler }, wanted, null);
  if (simpler && kept) return encodePicture({ ...task, stored: simpler }, wanted, { ...kept, stored: simpler });
  if (aim.kind === "size") return fitted(subject, kept, aim.bytes);
  return isolateBudget.run(blindBytes, () => ({ bytes: encode(picture, settings) }));
}

/** The picture in its own format by a shortcut, where there is one that fits into memory. */
async function reencode({ stored, plan, target }: Task, settings: EncodeSettings): Promise<Optimized | null> {
  const { bytes, format, stopwatch } = stored;
  const wanted = target === format ? resizedOnly(plan) : null;
  const shortcut = wanted && target.reencode?.(bytes, settings, wanted, stopwatch);
  if (!shortcut || !isolateBudget.canHold(shortcut.peakBytes)) return null;
  const made = await isolateBudget.run(shortcut.peakBytes, shortcut.run);
  return made && { bytes: made };
}

/** Whether a score is promised that the picture is too small for. */
function isSmall({ aim }: Task, picture: Picture): boolean {
  return aim.kind === "smart" && picture.frames === 1 && !canScore(picture);
}

/** Whether a quality can be searched for: the format has one, and the picture is one that can be scored in good time. */
function canSearch({ can, maxScoredPixels }: FormatDefinition, picture: Picture): boolean {
  const inTime = picture.width * picture.height <= (maxScoredPixels ?? Infinity);
  return can.quality && inTime && canScore(picture);
}

/** The first frame of a picture, for formats without animation. */
function still(picture: Picture): Picture {
  if (picture.frames === 1) return picture;
  const open = () => [{ delayMs: 0, rows: firstFrame(picture) }];
  return { ...picture, frames: 1, loops: 1, open };
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
