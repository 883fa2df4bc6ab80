/** What a batch is told to do, as it is kept. */
import type { Processing } from "../contract/request.ts";
import { saidOf } from "../error-words.ts";

export const IN_PLACE = "in-place";

/** Another place for the results. */
export interface BatchTarget {
  readonly connector: string;
  /** What the names of results begin with, in place of the source's prefix. */
  readonly prefix: string;
}

export interface BatchRules {
  readonly source: {
    readonly connector: string;
    readonly prefix: string;
    /** Absent: names with the extension of an image. */
    readonly include?: readonly string[] | undefined;
    readonly exclude?: readonly string[] | undefined;
    /** Objects up to this name are left out. */
    readonly after?: string | undefined;
  };
  readonly processing: Processing;
  readonly target: BatchTarget | typeof IN_PLACE;
  /** Percent by which a result must be smaller to be written. */
  readonly onlyIfSmaller: number;
  readonly isDryRun: boolean;
  /** New objects are worked on as notifications tell of them: after those that are there, or alone. */
  readonly events?: true | "only" | undefined;
}

/** Whose batch it is, and who pays. */
export interface BatchOwner {
  readonly accountId: string;
  /** The name of the database that has the account's records. */
  readonly database: string;
  readonly keyId: string;
}

export interface Batch extends BatchOwner {
  readonly id: string;
  readonly createdAt: number;
  readonly rules: BatchRules;
  /** The bucket whose notifications it hears. Absent in what was kept by earlier versions. */
  readonly bucket?: string;
  /** Whether a notification of this id waits for the end. */
  readonly hasWebhook?: boolean;
}

export type BatchState = "listing" | "running" | "paused" | "done" | "failed" | "canceled";

/** Why a batch stands still that nobody has paused, or why it failed. */
export interface Trouble {
  readonly error: string;
  readonly message: string;
}

/** A refusal, as it is told beside its stable word. */
export function troubleOf(status: number, message: string): Trouble {
  return { error: saidOf(status, message).error, message };
}

/** What became of objects so far. */
export interface Counts {
  /** Listed objects that the rules are about. */
  readonly found: number;
  readonly foundBytes: number;
  /** Listed objects that they are not about. */
  readonly others: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** Bytes of objects that were done, before and after. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export const NO_COUNTS: Counts = {
  found: 0,
  foundBytes: 0,
  others: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  bytesBefore: 0,
  bytesAfter: 0,
};

/** What became of the objects that a dry run has worked on. */
export interface Sample {
  readonly objects: number;
  readonly failed: number;
  /** Bytes of those that did not fail, and what they would be afterwards. */
  readonly bytes: number;
  readonly bytesAfter: number;
  /** Milliseconds of processor time. */
  readonly ms: number;
}

/** What is told of a batch. */
export interface Progress {
  readonly state: BatchState;
  readonly counts: Counts;
  readonly trouble?: Trouble | undefined;
  /** The name up to which the list was read. */
  readonly cursor?: string | undefined;
  readonly isListed: boolean;
  /** Parts of the list that were read. Absent in what was kept by earlier versions. */
  readonly parts?: number;
  /** Of a dry run: what the objects showed that it has worked on. */
  readonly sample?: Sample | undefined;
  /** When it has heard of a new object last. */
  readonly heardAt?: number | undefined;
  readonly updatedAt: number;
}

export interface FailedObject {
  readonly key: string;
  readonly error: string;
  readonly message: string;
  readonly at: number;
}

/** An object in the hands of whoever holds the token. */
export interface ClaimedObject {
  readonly key: string;
  readonly token: string;
  readonly batch: Batch;
  /** The store of originals has shown that it compares versions. */
  readonly isProven: boolean;
  /** A notification told of it, and nobody has begun it before: a mark of ours says that it is no new object, but a result. */
  readonly isHeard: boolean;
}

/** How a picture looks, where the batch asks for that, and the processor time that it took, for a dry run. */
interface Made {
  readonly phash?: string | undefined;
  readonly ms?: number;
}

/** What came of an object, or why it is to be tried again. */
export type ObjectOutcome =
  | ({ readonly kind: "done"; readonly before: number; readonly after: number } & Made)
  | ({ readonly kind: "skipped" } & Made)
  | ({ readonly kind: "failed" } & Trouble)
  /** A notification has told of what a batch has written itself. */
  | { readonly kind: "own" }
  /** It was replaced while it was worked on. */
  | { readonly kind: "changed" }
  /** A fault of ours. */
  | { readonly kind: "fault" }
  /** No memory here just now. */
  | { readonly kind: "crowded" }
  /** Its store asks for time, or the key's window of requests is full: nobody goes on for a while. */
  | { readonly kind: "wait"; readonly why: "store" | "window"; readonly seconds?: number | undefined }
  /** The batch cannot go on without its owner. */
  | ({ readonly kind: "halt" } & Trouble);
