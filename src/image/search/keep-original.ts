/** Attempts that hand the original back, without its metadata, where it shows all that is asked for. */
import { parallel, held } from "../../../wasm/estimate.ts";
import { pictureEstimate } from "../plan/planned-picture.ts";
import type { Attempt } from "./attempt.ts";
import { TARGET_SCORE } from "./presets.ts";
import { asStored, hasCoefficients, isEncodedOtherwise, type Task } from "./task.ts";

/** Keeps a file that was already reduced as far as the preset allows: once more would add one loss to another. */
export function keepMarked(task: Task): Attempt | null {
  const { stored, objective } = task;
  if (objective.kind !== "smart") return null;
  const mark = stored.format.mark?.read(stored.bytes);
  return mark !== undefined && mark <= TARGET_SCORE[objective.preset] ? kept(task, true) : null;
}

/** Keeps a file that has the size that is asked for. */
export function keepFitting(task: Task): Attempt | null {
  const { unchanged, objective, stored } = task;
  if (isEncodedOtherwise(task, stored)) return null;
  return objective.kind === "size" && (unchanged?.original?.length ?? Infinity) <= objective.bytes
    ? kept(task, true)
    : null;
}

/**
 * Keeps the original where nothing smaller was made. Files of kinds that browsers do not show are kept only if nothing
 * may be lost.
 */
export function keepOriginal(task: Task): Attempt | null {
  const { stored, objective, format } = task;
  if (objective.kind === "size" || !format.write) return null;
  const isShown = !stored.format.coefficients || hasCoefficients(stored);
  const attempt = objective.kind === "lossless" || isShown ? kept(task, false) : null;
  return attempt && { ...attempt, isFallback: true };
}

function kept(task: Task, isFinal: boolean): Attempt | null {
  const { stored, plan, unchanged } = task;
  const original = unchanged?.original;
  if (!original) return null;
  return {
    name: "keep original",
    estimate: parallel(pictureEstimate(stored, asStored(plan, stored)), held(original.copiedBytes)),
    mayBeat: (best) => !best || best.file.bytes.length >= original.length,
    run: async (session, timeSlice) => ({
      ...(await session.original(original, timeSlice)),
      isOriginal: true,
      isFinal,
    }),
  };
}
