/** Credits that are reserved within an hour of the clock, by a name. Pure: the clock is an argument. */

const HOUR_MS = 3_600_000;

/** By name, the hour since 1970 in which it reserved last, and how many. */
export type Hours = Map<string, { readonly hour: number; readonly credits: number }>;

/** Seconds until the hour ends in which no more credits may be reserved under a name; 0 when some may be. */
export function restOfHour(
  hours: Hours,
  bound: { readonly name: string; readonly most: number } | undefined,
  now: number,
): number {
  if (!bound) return 0;
  const known = hours.get(bound.name);
  const reserved = known?.hour === Math.floor(now / HOUR_MS) ? known.credits : 0;
  return reserved < bound.most ? 0 : Math.max(1, Math.ceil((HOUR_MS - (now % HOUR_MS)) / 1000));
}

export function countThisHour(hours: Hours, name: string, now: number): void {
  const hour = Math.floor(now / HOUR_MS);
  for (const [other, known] of hours) if (known.hour !== hour) hours.delete(other);
  hours.set(name, { hour, credits: (hours.get(name)?.credits ?? 0) + 1 });
}
