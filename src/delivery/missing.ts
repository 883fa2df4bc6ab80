/** Originals that do not exist, remembered in the isolate for a while: who asks again is told so at once. */
import { MAX_CACHED_MISSING_ORIGINALS, MISSING_CACHE_SECONDS } from "../limits.ts";

/** Until when, by the prefix of an original's results; milliseconds since 1970. */
const missing = new Map<string, number>();

export function noteMissing(key: string, now: number): void {
  const original = originalOf(key);
  missing.delete(original);
  missing.set(original, now + MISSING_CACHE_SECONDS * 1_000);
  const [oldest] = missing.keys();
  if (missing.size > MAX_CACHED_MISSING_ORIGINALS && oldest !== undefined) missing.delete(oldest);
}

export function isMissing(key: string, now: number): boolean {
  return (missing.get(originalOf(key)) ?? 0) > now;
}

function originalOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}
