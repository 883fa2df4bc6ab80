/** What the steps of a notification need from the outside; a test puts faults between any two of these calls. */
import type { HeldBytes } from "../scheduler/held-bytes.ts";
import type { UploadStore } from "./bytes.ts";
import type { Notification } from "./deliver.ts";
import type { Attempt, Outcome } from "./record.ts";
import type { Store } from "./store.ts";

/** Makes texts unreadable at rest; the context binds each to what it is and whose. */
export interface Seal {
  readonly close: (text: string, context: string) => Promise<Uint8Array>;
  /** @throws ApiError 500 when it was sealed under another key or context */
  readonly open: (sealed: Uint8Array, context: string) => Promise<string>;
}

/** A message of the queue: never more than what is to be done, and to which record. */
export interface Message {
  readonly kind: "run" | "deliver";
  readonly id: string;
}

export interface Ports {
  readonly store: Store;
  readonly uploads: UploadStore;
  readonly seal: Seal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newClaim: () => string;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /**
   * Has the record's courier look at it at a moment, or earlier.
   * @param entry what an attempt came to that the record does not know yet
   */
  readonly wake: (id: string, at: number, entry?: JournalEntry) => Promise<void>;
  /** Tells the operator of a fault that the work survives. */
  readonly report: (id: string, error: unknown) => void;
}

/** An accepted job: what `accept` was given, read back. */
export interface Work {
  readonly id: string;
  readonly accountId: string;
  /** JSON, as it was given to `accept`. */
  readonly job: string;
  /** The memory is given back when `perform` has ended, or earlier by it. */
  readonly upload: HeldBytes | undefined;
}

/** What an attempt needs, whoever makes it. */
export interface AttemptPorts extends Pick<Ports, "seal" | "now" | "report"> {
  readonly retrySeconds: readonly number[];
  /** What signs for an account at this moment. */
  readonly secrets: (accountId: string) => Promise<readonly string[]>;
  readonly post: (notification: Notification) => Promise<Attempt>;
}

export interface RunPorts extends Ports, AttemptPorts {
  /**
   * Goes through the pipeline.
   * @param signal aborted when the work is to end, because somebody else will do it
   * @returns the members of the answer beside success, code and id
   * @throws ApiError below 500 when the job itself is at fault, 503 when there is no capacity; anything else is a fault
   *   of ours
   */
  readonly perform: (work: Work, signal: AbortSignal) => Promise<object>;
  /** Spends the credit that was reserved when the job was accepted, or gives it back, as the answer says. */
  readonly closeCredit: (work: Work, payload: string) => Promise<void>;
  /**
   * Joins the jobs of this isolate, or is alone among them.
   * @returns undefined when that is not possible now
   */
  readonly join: (alone: boolean) => Promise<Place | undefined>;
  /** Calls `renew` every RUN_RENEWAL_MS until the returned function is called. */
  readonly everyRenewal: (renew: () => void) => () => void;
  /** Calls `giveUp` when too little of the platform's time is left, unless the returned function is called before. */
  readonly whenLate: (giveUp: () => void) => () => void;
  /**
   * Asks for leave to make the first attempt of an account's notification here.
   * @returns what says that it is over; undefined where time is short, or endpoints of the account are waited for already:
   *   the record's courier makes it
   */
  readonly beginAttempt: (accountId: string) => (() => void) | undefined;
  /** Sends a message that comes after so many seconds. */
  readonly enqueue: (message: Message, delaySeconds: number) => Promise<void>;
}

/** A job's place among those that run in its isolate. */
export interface Place {
  /** Says that the job is alive. */
  readonly stay: () => void;
  readonly leave: () => void;
}

/** What an attempt came to, kept beside the record until the record says so too. */
export interface Journal {
  readonly read: () => Promise<JournalEntry | undefined>;
  readonly write: (entry: JournalEntry) => Promise<void>;
  readonly clear: () => Promise<void>;
}

export interface JournalEntry {
  readonly claim: string;
  readonly outcome: Outcome;
}

export interface CourierPorts extends AttemptPorts, Pick<Ports, "store" | "newClaim"> {
  readonly journal: Journal;
}
