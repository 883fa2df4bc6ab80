/**
 * Requests that isolates hold in blocks and have not made yet, by key: they fill the key's window until they are told or given
 * back, and lapse with the reservation of their credits.
 */
import { addCount, type ExpiringCounts, forgetEnded, sumOf, takeCount } from "./expiring-counts.ts";

export type Lent = Map<string, ExpiringCounts>;

/** How many requests of a key are held somewhere. */
export function lentOf(lent: Lent, key: string): number {
  const ofKey = lent.get(key);
  return ofKey ? sumOf(ofKey) : 0;
}

/** @param second since 1970: when they lapse */
export function lend(lent: Lent, key: string, second: number, requests: number): void {
  const ofKey: ExpiringCounts = lent.get(key) ?? new Map();
  addCount(ofKey, second, requests);
  lent.set(key, ofKey);
}

/** They were made, or are given back: those that have lapsed are held no more. */
export function unlend(lent: Lent, key: string, second: number, requests: number): void {
  const ofKey = lent.get(key);
  if (!ofKey) return;
  takeCount(ofKey, second, requests);
  if (ofKey.size === 0) lent.delete(key);
}

/** Forgets what has lapsed. @param latest the second in which requests lapse that are lent now */
export function lapse(lent: Lent, now: number, latest: number): void {
  for (const [key, ofKey] of lent) {
    forgetEnded(ofKey, now, latest);
    if (ofKey.size === 0) lent.delete(key);
  }
}
