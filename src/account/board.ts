/**
 * What isolates of one data center leave for each other: batches that an account's meter is to be told. Whoever tells first
 * tells those of all, in one call and one row. They lie in the platform's cache, which costs nothing and may forget at any
 * moment: an isolate whose batch nobody has told tells it itself, and a meter counts a batch once, however often it is told.
 * Where there is no such cache, on the platform's shared domain for one, nothing is found and nothing kept.
 */
import * as v from "valibot";

import { MAX_BLOCK_REQUESTS } from "../limits/accounts.ts";
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

/** Far more than any of these numbers is, and far less than would spoil a sum. */
const MOST = 2 ** 40;
const MOST_CREDITS = 1_000;
const MOST_OUTCOMES = 16 * MAX_BLOCK_REQUESTS;
const count = (most: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(most));
const number = v.pipe(v.number(), v.minValue(0), v.maxValue(MOST));
const text = v.pipe(v.string(), v.maxLength(256));
const claim = v.optional(text);
const block = v.strictObject({ requests: count(MOST_OUTCOMES), lease: count(Number.MAX_SAFE_INTEGER) });
const blocks = v.pipe(v.array(block), v.maxLength(MOST_OUTCOMES));

/** What may lie on a board: what isolates of this version post. Outcomes that somebody waits for are never posted. */
const Posting = v.strictObject({
  id: v.pipe(v.string(), v.uuid()),
  key: text,
  used: blocks,
  outcomes: v.pipe(
    v.array(
      v.strictObject({
        lease: count(Number.MAX_SAFE_INTEGER),
        reserved: count(MOST_CREDITS),
        spent: v.optional(
          v.strictObject({
            key: text,
            credits: v.optional(count(MOST_CREDITS)),
            bytesIn: number,
            bytesOut: number,
            claim,
          }),
        ),
        unspent: v.optional(v.union([v.strictObject({ key: text, ms: number, claim }), v.strictObject({ claim })])),
      }),
    ),
    v.maxLength(MOST_OUTCOMES),
  ),
  unused: blocks,
  at: v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)),
});
const Kept = v.object({
  batches: v.pipe(v.array(v.unknown()), v.maxLength(2 * MAX_POSTED)),
  written: v.pipe(v.array(text), v.maxLength(2 * MAX_WRITTEN)),
});

/**
 * What of a kept sheet is one. Whoever has a Worker on the same zone, or had another version of this one, can keep anything
 * under any name: what it kept must not end the requests of an account, nor spoil the sums of its meter.
 */
export function sheetOf(kept: unknown): Sheet {
  const parsed = v.safeParse(Kept, kept);
  if (!parsed.success) return EMPTY;
  const { batches, written } = parsed.output;
  return { batches: batches.filter((batch): batch is Posted => v.is(Posting, batch)), written };
}

/** @param base the address of the service, to which the platform's cache keeps names */
export function boardAt(base: string): Board {
  const nameOf = (meter: string) => new Request(`${base}/board/1/${encodeURIComponent(meter)}`);
  return {
    read: async (meter) => {
      try {
        const kept = await caches.default.match(nameOf(meter));
        return kept ? sheetOf(await kept.json()) : EMPTY;
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
