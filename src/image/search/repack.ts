/** The attempt that holds the original as it is in a file of another format, from which it can be made again. */
import { parallel, held } from "../../../wasm/estimate.ts";
import { asItIs } from "../containers/stripped.ts";
import { onlyTurns } from "../plan/plan.ts";
import type { Attempt } from "./attempt.ts";
import { keepsColors, type Task } from "./task.ts";

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
