/**
 * What isolates of one data center leave for each other: batches that an account's meter is to be told. Whoever tells first
 * tells those of all, in one call and one row. They lie in the platform's cache, which costs nothing and may forget at any
 * moment: an isolate whose batch nobody has told tells it itself, and a meter counts a batch once, however often it is told.
 * Where there is no such cache, on the platform's shared domain for one, nothing is found and nothing kept.
 */
import type { Batch } from "./metered.ts";

/** A batch on a board. */
export interface Posted extends Batch {
  /** When it was closed, milliseconds since the epoch. */
  readonly at: number;
}

/** What lies on a board for a meter. */
export interface Sheet {
  readonly batches: readonly Posted[];
  /** Batches that the meter has written, the latest last. */
  readonly written: readonly string[];
}

export interface Board {
  /** @returns an empty sheet where nothing is kept */
  readonly read: (meter: string) => Promise<Sheet>;
  /** Replaces a sheet; of two that do so at once one is forgotten. */
  readonly write: (meter: string, sheet: Sheet) => Promise<void>;
}

const EMPTY: Sheet = { batches: [], written: [] };
/** Batches on a sheet: with more of them a meter is told at once. */
export const MAX_POSTED = 64;
/** Names of written batches: of as many as a busy sheet has in the time in which somebody asks for them. */
const MAX_WRITTEN = 4 * MAX_POSTED;
/** How long a sheet is kept that nobody writes to: longer than a batch may be told. */
const KEPT_SECONDS = 120;

/** @param base the address of the service, to which the platform's cache keeps names */
export function boardAt(base: string): Board {
  const nameOf = (meter: string) => new Request(`${base}/board/1/${encodeURIComponent(meter)}`);
  return {
    read: async (meter) => {
      try {
        const kept = await caches.default.match(nameOf(meter));
        return kept ? await kept.json<Sheet>() : EMPTY;
      } catch {
        return EMPTY;
      }
    },
    write: async (meter, { batches, written }) => {
      const headers = { "cache-control": `max-age=${KEPT_SECONDS}` };
      const sheet = { batches, written: written.slice(-MAX_WRITTEN) };
      await caches.default.put(nameOf(meter), Response.json(sheet, { headers })).catch(() => undefined);
    },
  };
}
