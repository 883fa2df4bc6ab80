/** Ranges of bytes of a file, put in order so that looking at many of them takes a time that follows their number. */

/** From a byte up to, and without, another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The same bytes in ranges that neither meet nor are empty, the first one first. */
export function merged(ranges: readonly Range[]): Range[] {
  const all: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (from >= to) continue;
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** Whether a range shares a byte with one of several that were merged. */
export function meets(several: readonly Range[], { from, to }: Range): boolean {
  let low = 0;
  let high = several.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((several[middle]?.to ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  return (several[low]?.from ?? Infinity) < to;
}
