/**
 * Images as they come into folders. The folders are looked through again and again: unlike the notifications of
 * operating systems, that works on network drives and in containers, and it is needed anyway to see that a file that is
 * being copied has stopped growing.
 */
import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

import { findOriginals, isIn, type Original } from "./files.ts";
import { type Options, UsageError } from "./options.ts";

/** How long a file must stay as it is before it is taken; slow copies stand still for tenths of seconds. */
const INTERVAL_MS = 1_000;
/** Of a large tree: looking takes at most one part in so many of the time. */
const REST = 10;

/**
 * Every image that is there, then each that is new or was changed, once it has stayed the same for an interval. It is
 * asked for the next image when there is somebody to process it.
 */
export async function* watchOriginals(
  { paths, out }: Pick<Options, "paths" | "out">,
  signal: AbortSignal,
  intervalMs = INTERVAL_MS,
): AsyncGenerator<Original> {
  const taken = new Map<string, string>();
  let before = new Map<string, string>();
  while (!signal.aborted) {
    const startedAt = performance.now();
    let givenMs = 0;
    // A folder that cannot be read now, such as a drive that was taken out, is no reason to forget its images.
    const originals = (await findOriginals(paths, out).catch(() => undefined)) ?? [];
    const seen = new Map<string, string>();
    for (const original of originals) {
      const state = await stateOf(original.path);
      if (signal.aborted) return;
      if (state === undefined) continue;
      seen.set(original.path, state);
      if (before.get(original.path) !== state || taken.get(original.path) === state) continue;
      taken.set(original.path, state);
      const givenAt = performance.now();
      yield original;
      givenMs += performance.now() - givenAt;
    }
    if (originals.length > 0) before = seen;
    const lookedMs = performance.now() - startedAt - givenMs;
    await wait(Math.max(intervalMs, lookedMs * REST), undefined, { signal }).catch(() => undefined);
  }
}

/** Changes whenever the file does; undefined while there is nothing in it. */
async function stateOf(path: string): Promise<string | undefined> {
  const about = await stat(path).catch(() => undefined);
  return about && about.size > 0 ? `${about.size} ${about.mtimeMs} ${about.ino}` : undefined;
}

/**
 * Results that came into a folder that is watched would be taken for new images.
 * @throws UsageError when they would
 */
export function refuseCircle({ paths, out }: Pick<Options, "paths" | "out">): void {
  if (out !== undefined && paths.some((path) => isIn(path, out))) {
    throw new UsageError("--out must be another folder than the one that --watch watches, and not one around it");
  }
}
