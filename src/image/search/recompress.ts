/** Attempts that write the original anew, every pixel as it is: in its own format, or packed in a file of another. */
import { parallel, held } from "../../../wasm/estimate.ts";
import { asItIs } from "../containers/stripped.ts";
import { onlyTurns } from "../plan/plan.ts";
import type { Attempt } from "./attempt.ts";
import type { Rendition } from "./rendition.ts";
import { searchedScore } from "./search-pixels.ts";
import { canDivide, hasCoefficients, keepsColors, type Task } from "./task.ts";

/** A file of so few bytes is written anew without loss only: there is nothing worth searching for. */
const LEAST_BYTES = 1_000;

/**
 * A result of more than this part of the original may be larger than what loses nothing, once that is done thoroughly.
 */
const LITTLE_SAVED = 0.75;

/** Whether the original is so small that nothing but its recompression is tried. */
export function isTiny(task: Task): boolean {
  const { unchanged, stored, objective } = task;
  if (objective.kind !== "smart" || !unchanged?.original || !stored.format.recompress || hasCoefficients(stored))
    return false;
  return unchanged.original.length <= LEAST_BYTES;
}

/**
 * Recompresses what may lose nothing: by request, because it is tiny, or because its format is not written otherwise.
 */
export function recompressOnly(task: Task): Attempt | null {
  return isOnlyWay(task) ? recompressed(task) : null;
}

function isOnlyWay(task: Task): boolean {
  return task.objective.kind === "lossless" || !task.format.write || isTiny(task);
}

/**
 * Recompresses besides, where a search found nothing that looks as promised, or hardly anything smaller, and where a
 * result of a quality that was asked for is no smaller than the original.
 */
export function recompressToo(task: Task): Attempt | null {
  const { objective, format, unchanged, stored } = task;
  if (isOnlyWay(task)) return null;
  const isByNumber = objective.kind === "quality";
  const made = (objective.kind === "smart" || isByNumber) && format.write ? recompressed(task) : null;
  const attempt = made && { ...made, isFallback: true };
  // What is turned is not the original any more, but competes with it.
  const original = unchanged?.original?.length ?? stored.bytes.length;
  if (isByNumber) return attempt && { ...attempt, mayBeat: (best) => !best || best.file.bytes.length >= original };
  const targetScore = searchedScore(task) ?? 100;
  // Who asks for nothing but the same takes longer over it, and keeps colors as they are stored.
  const isClose = ({ file, score = 0, beatsExact = false }: Rendition) =>
    score < targetScore ||
    score === 100 ||
    file.bytes.length >= original ||
    (!canDivide(task) && !beatsExact && file.bytes.length > original * LITTLE_SAVED);
  return attempt && { ...attempt, mayBeat: (best) => !best || isClose(best) };
}

function recompressed({ stored, unchanged, settings, leavesCoefficients = false }: Task): Attempt | null {
  const { bytes, facts, format } = stored;
  const { recompress, coefficients } = format;
  if (!recompress || !unchanged || (coefficients && leavesCoefficients)) return null;
  const { turn, tag } = unchanged;
  const wanted = { progressive: settings.progressive, turn, tag };
  return {
    name: "recompress",
    estimate: recompress.estimate(bytes, facts, wanted),
    onCoefficients: coefficients !== undefined,
    async run(session, timeSlice) {
      const made = await recompress.run(bytes, facts, wanted, timeSlice);
      return made && session.rendition({ bytes: made, score: 100 });
    },
  };
}

/**
 * Packs an original of which nothing may be lost and nothing changes, without its metadata unless all of it is kept;
 * how it lies is told by the result.
 */
export function repackOriginal(task: Task): Attempt | null {
  const { objective, format, stored, plan } = task;
  const { bytes, facts } = stored;
  const { repack } = format;
  if (
    objective.kind !== "lossless" ||
    !repack?.takes(stored.format) ||
    stored.firstOnly ||
    !keepsColors(stored, objective)
  )
    return null;
  const original = task.keepsMetadata ? asItIs(bytes) : stored.format.strip?.(bytes, facts.orientation);
  if (!original) return null;
  if (!onlyTurns(plan, facts) || plan.view.orientation !== facts.orientation) return null;
  return {
    name: "repack",
    estimate: parallel(repack.estimate(bytes, facts), held(original.copiedBytes)),
    async run(session, timeSlice) {
      const made = await repack.run(original.file(), facts, timeSlice);
      return made && { ...session.rendition({ bytes: made, score: 100 }), hasMetadata: task.keepsMetadata === true };
    },
  };
}
