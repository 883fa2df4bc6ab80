/** A batch in figures: how far it is, what it saved, and what it would take. */
import { figure } from "./cards.js";
import { bytesText, countText, durationText, h } from "./dom.js";

/** @import { BatchRecord } from "./shapes.d.ts" */

/**
 * Objects that need no more work.
 * @param {BatchRecord["counts"]} counts
 */
function overOf({ done, skipped, failed }) {
  return done + skipped + failed;
}

/**
 * @param {number} before
 * @param {number} saved
 */
function shareText(before, saved) {
  return before === 0 ? "" : `${((saved / before) * 100).toFixed(1)} % of ${bytesText(before)}`;
}

/**
 * How far a batch is, as a sentence.
 * @param {BatchRecord} batch
 */
export function progressText({ counts, dry_run: isDryRun, events, state }) {
  const { found, listed } = counts;
  const all = `${countText(found)}${listed ? "" : " so far"}`;
  if (isDryRun) return listed ? `${all} found` : `${all} found, listing`;
  const over = overOf(counts);
  if (events && listed && over === found && state === "running") return `${countText(over)} over, waiting for new ones`;
  return `${countText(over)} of ${all}`;
}

/**
 * The share that is over, for a bar; undefined where nobody knows.
 * @param {BatchRecord} batch
 */
export function shareOf({ counts, state }) {
  if (state === "done") return 1;
  return counts.listed && counts.found > 0 ? overOf(counts) / counts.found : undefined;
}

/** @param {BatchRecord} batch */
export function countFigures({ counts }) {
  const { done, skipped, failed, others, bytes_before: before, bytes_after: after } = counts;
  return h(
    "dl",
    { class: "figures" },
    figure("Done", countText(done), before > 0 ? shareText(before, before - after) + " saved" : undefined),
    figure("Saved", bytesText(Math.max(0, before - after))),
    figure("Kept as they are", countText(skipped), others > 0 ? `and ${countText(others)} it is not about` : undefined),
    figure("Failed", countText(failed)),
  );
}

/** @param {NonNullable<BatchRecord["estimate"]>} estimate */
export function estimateFigures({ objects, bytes, credits, dollars, bytes_saved: saved, rests_on: base }) {
  const failed = base.sampled_failed > 0 ? `, of which ${countText(base.sampled_failed)} failed` : "";
  return [
    h(
      "dl",
      { class: "figures", "aria-label": "Estimate" },
      figure("Objects", countText(objects), bytesText(bytes)),
      figure("Saved", base.sampled > base.sampled_failed ? bytesText(saved) : "unknown", shareText(bytes, saved)),
      figure("Credits", countText(credits), "at most"),
      figure("Platform's bill", `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`, "beyond what the plan includes"),
    ),
    h(
      "p",
      { class: "hint" },
      `Rests on a list of ${countText(base.listed)} and a trial of ${countText(base.sampled)} objects (${bytesText(base.sampled_bytes)}${failed}), ` +
        `which took ${durationText(base.sampled_ms)} of processor time. For each object: ${base.queue_operations} operations of the queue, ` +
        `${base.calls} calls, ${base.rows} rows, ${base.reads} reads and ${base.writes} write.`,
    ),
  ];
}
