/** A batch as its owner sees it. */
import type { BatchEnded, BatchRecord } from "../contract/batch-record.ts";
import { estimateOf, NO_SAMPLE } from "./estimate.ts";
import type { Batch, Progress } from "./rules.ts";

/** What a notification of the end says. */
export function endText(batch: Batch, progress: Progress): string {
  const ended: BatchEnded = { success: true, code: 200, id: batch.id, batch: recordOf(batch, progress) };
  return JSON.stringify(ended);
}

export function recordOf(
  { id, createdAt, rules }: Batch,
  { state, trouble, counts, cursor, isListed, parts = 0, sample = NO_SAMPLE, heardAt, updatedAt }: Progress,
): BatchRecord {
  const { found, foundBytes, others, done, skipped, failed, bytesBefore, bytesAfter } = counts;
  const isEstimated = rules.isDryRun && isListed && state === "done";
  return {
    id,
    state,
    ...(trouble && { error: trouble.error, reason: trouble.message }),
    source: rules.source as BatchRecord["source"],
    target: rules.target,
    only_if_smaller: rules.onlyIfSmaller,
    dry_run: rules.isDryRun,
    ...(rules.events && { events: rules.events }),
    ...(heardAt !== undefined && { last_event_at: new Date(heardAt).toISOString() }),
    counts: {
      found,
      found_bytes: foundBytes,
      listed: isListed,
      others,
      done,
      skipped,
      failed,
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
    },
    ...(isEstimated && { estimate: estimateOf(rules, counts, sample, parts) }),
    ...(cursor !== undefined && { cursor }),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
