/**
 * Counts that end by themselves, by the second since 1970 in which they do: few entries, however much is counted. What ends is
 * forgotten, and so is what seems to have been counted after now: the clock was set back since.
 */

/** By the second in which they end. */
export type ExpiringCounts = Map<number, number>;

/** @param second since 1970: when it ends */
export function addCount(counts: ExpiringCounts, second: number, count: number): void {
  counts.set(second, (counts.get(second) ?? 0) + count);
}

/** Takes back what was counted: of what has ended nothing is left. */
export function takeCount(counts: ExpiringCounts, second: number, count: number): void {
  const left = (counts.get(second) ?? 0) - count;
  if (left > 0) counts.set(second, left);
  else counts.delete(second);
}

export function sumOf(counts: ExpiringCounts): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

/**
 * @param now milliseconds since 1970
 * @param latest the second in which a count ends that begins now
 */
export function forgetEnded(counts: ExpiringCounts, now: number, latest: number): void {
  for (const second of counts.keys()) if (second * 1000 <= now || second > latest) counts.delete(second);
}
