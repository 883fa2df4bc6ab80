/** `Server-Timing` of a processing answer: how long each part of the pipeline took. */
import { startStopwatch } from "../image/pixels/stopwatch.ts";
import type { Ports } from "../pipeline/job.ts";
import type { Caller } from "../scheduler/caller.ts";

/**
 * Ports that time themselves, and the header's value once the pipeline ran: `wait` (for a place and for a turn, where
 * there was none at once), `fetch` (the original from its origin), `decode`, `operations`, `encode` (with the search
 * for a quality), `store`, `total`, in milliseconds. The clock of a deployed Worker stands still while it computes:
 * there the middle three are what the work declared, without the time that others had the thread, and computing since
 * the last pause counts for `store` and `total` only once the clock moves again.
 */
export function timed(
  ports: Ports,
  now: () => number,
  caller: Pick<Caller, "waitedMs"> = { waitedMs: 0 },
): { readonly ports: Ports; readonly header: () => string } {
  const startedAt = now();
  const waitedBefore = caller.waitedMs;
  const stopwatch = startStopwatch();
  const spent = { fetch: 0, store: 0 };
  const measure = async <T>(part: keyof typeof spent, work: () => Promise<T>): Promise<T> => {
    const before = now();
    try {
      return await work();
    } finally {
      spent[part] += now() - before;
    }
  };
  const header = (): string => {
    const wait = caller.waitedMs;
    const total = now() - startedAt + waitedBefore;
    const { fetch, store } = spent;
    const { decode, operations, encode } = stopwatch.spent;
    const parts = { ...(wait >= 1 && { wait }), fetch, decode, operations, encode, store, total };
    return Object.entries(parts)
      .map(([name, milliseconds]) => `${name};dur=${Math.max(0, Math.round(milliseconds))}`)
      .join(", ");
  };
  const clocked: Ports = {
    ...ports,
    stopwatch,
    readOriginal: (...asked) => measure("fetch", () => ports.readOriginal(...asked)),
    keepTemporarily: (encoded) => measure("store", () => ports.keepTemporarily(encoded)),
    openStore: async (...named) => {
      const put = await ports.openStore(...named);
      return (encoded) => measure("store", () => put(encoded));
    },
  };
  return { ports: clocked, header };
}
