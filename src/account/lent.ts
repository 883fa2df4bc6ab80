/**
 * Requests that isolates hold in blocks and have not made yet, by key and by the second in which their reservation ends: they
 * fill the key's window until they are told or given back, and lapse with the reservation of their credits.
 */

/** By key: how many requests, by the second since 1970 in which they lapse. */
export type Lent = Map<string, Map<number, number>>;

/** How many requests of a key are held somewhere. */
export function lentOf(lent: Lent, key: string): number {
  return (
    lent
      .get(key)
      ?.values()
      .reduce((sum, requests) => sum + requests, 0) ?? 0
  );
}

/** @param second since 1970: when they lapse */
export function lend(lent: Lent, key: string, second: number, requests: number): void {
  const ofKey = lent.get(key) ?? new Map<number, number>();
  ofKey.set(second, (ofKey.get(second) ?? 0) + requests);
  lent.set(key, ofKey);
}

/** They were made, or are given back: those that have lapsed are held no more. */
export function unlend(lent: Lent, key: string, second: number, requests: number): void {
  const ofKey = lent.get(key);
  if (!ofKey) return;
  const left = (ofKey.get(second) ?? 0) - requests;
  if (left > 0) ofKey.set(second, left);
  else ofKey.delete(second);
  if (ofKey.size === 0) lent.delete(key);
}

/** Forgets what has lapsed, or what was lent before the clock was set back. */
export function lapse(lent: Lent, now: number, latest: number): void {
  for (const [key, ofKey] of lent) {
    for (const second of ofKey.keys()) if (second * 1000 <= now || second > latest) ofKey.delete(second);
    if (ofKey.size === 0) lent.delete(key);
  }
}
