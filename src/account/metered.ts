/** What a meter is told and asked, and what it answers. */
import type { NamedResult } from "./known-results.ts";
import type { Ask, Block, Granted, Taken } from "./ledger.ts";
import type { Found } from "./receipts.ts";
import type { UseAsk } from "./token-uses.ts";

/** Which key a processed image is counted for, and its bytes before and after. */
export interface Spent {
  readonly key: string;
  /** One for each result; absent: one. */
  readonly credits?: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Milliseconds of processor time that it took; absent: not known. */
  readonly cpuMs?: number;
  /** The result, where it is to be found again. */
  readonly known?: NamedResult;
  /** The same under the name of its original's bytes, where the original was fetched. */
  readonly knownByBytes?: NamedResult;
  /** The claim of a request with `reuse`: others that wait for its result find it now. */
  readonly claim?: string;
}

/** Which key work failed for, and the milliseconds of processor time that it took. */
export interface Failure {
  readonly key: string;
  readonly ms: number;
  /** What of that was no processor time, but memory that was held for nothing. */
  readonly idleMs?: number;
  /** The claim of a request with `reuse`: one of those that wait does the work instead. */
  readonly claim?: string;
}

/** A request with `reuse` that was given an earlier result: its claim ends, and one of those that wait looks. */
export interface Unneeded {
  readonly claim?: string;
}

/** What became of the final of a delivery whose credit was reserved. */
export interface EndOfFinal {
  readonly isMade: boolean;
  /** Milliseconds of processor time that it took, its draft included. */
  readonly cpuMs: number;
}

/** A request that may be sent again under its name must find what became of it. */
export interface RepeatableAsk extends Ask {
  /** The name of the receipt. */
  readonly receipt?: string;
  /** The upload token that it comes with. */
  readonly use?: UseAsk;
}

/** What a request found under the name of its receipt: its answer, somebody at work, or that it has just begun. */
type Opened = Exclude<Found, { state: "free" }> | (Extract<Found, { state: "free" }> & { readonly token: string });

export interface TakenWithReceipt extends Taken {
  /** Absent where the request may not begin, or has no name. */
  readonly opened?: Opened;
  /** The upload token has no use left, or has ended: nothing was counted or reserved. */
  readonly isSpent?: true;
  /** The upload token of which a use was taken. */
  readonly use?: string;
}

/** How a request ended that had reserved credits: what they were spent for, or that they are free again. */
export interface Outcome {
  readonly lease: number;
  /** All credits that were reserved. */
  readonly reserved: number;
  readonly spent?: Spent;
  readonly unspent?: Failure | Unneeded;
}

/** What an isolate did with requests of one key that it admitted by itself, or ended. */
export interface Batch {
  /** A batch whose answer was lost comes again under its name, and is counted once. */
  readonly id: string;
  readonly key: string;
  /** Requests that were admitted from blocks. */
  readonly used: readonly Block[];
  readonly outcomes: readonly Outcome[];
  /** What was not used of blocks. */
  readonly unused: readonly Block[];
}

/** What an isolate tells an account's meter in one call. */
export interface Telling {
  /** Those that the meter has counted already are counted no second time. */
  readonly batches: readonly Batch[];
  /** Whose next requests the isolate would admit by itself; absent: nobody's. */
  readonly ask?: Ask;
}

/** What the meter answers once the batches are written. */
export interface Told {
  readonly granted?: Granted;
}
