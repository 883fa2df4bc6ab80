/** How counts of a batch change. */
import type { Counts } from "./rules.ts";

/** An object more that was done. */
export function withDone(
  counts: Counts,
  { before, after }: { readonly before: number; readonly after: number },
): Counts {
  return {
    ...counts,
    done: counts.done + 1,
    bytesBefore: counts.bytesBefore + before,
    bytesAfter: counts.bytesAfter + after,
  };
}

/** What was found turned out to be a result. */
export function withoutOne(counts: Counts, bytes: number): Counts {
  return { ...counts, found: counts.found - 1, foundBytes: counts.foundBytes - bytes };
}
