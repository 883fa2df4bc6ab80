/** Originals that do not exist, remembered in the isolate for a while: who asks again is told so at once. */
import { MAX_CACHED_MISSING_ORIGINALS, MISSING_CACHE_SECONDS } from "../limits.ts";
import { Recent } from "../recent.ts";

/** Until when, by the prefix of an original's results; milliseconds since 1970. */
const missing = new Recent<number>(MAX_CACHED_MISSING_ORIGINALS);

export function noteMissing(key: string, now: number): void {
  missing.set(originalOf(key), now + MISSING_CACHE_SECONDS * 1_000);
}

export function isMissing(key: string, now: number): boolean {
  return (missing.get(originalOf(key)) ?? 0) > now;
}

function originalOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}
