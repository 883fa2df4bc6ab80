/** Somebody who asks for a share of the isolate: whose request it is, and how long it has waited. */
import type { Hindered } from "./admission.ts";
import { busy } from "./busy.ts";
import type { Lease } from "./leases.ts";

/** The account of work that the service does for itself. */
export const OWN_ACCOUNT = "";

interface CallerOptions {
  /** Whose request it is; absent: the service's own. */
  readonly account?: string | undefined;
  /** Whoever asks is no holder of a key: a visitor of a delivery, the bearer of an upload token. */
  readonly isGuest?: boolean;
  /** Milliseconds that the request may wait in all; absent: what the isolate allows. */
  readonly maxWaitMs?: number | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /** What the log says of its work should the platform end it. */
  readonly about?: Readonly<Record<string, unknown>>;
}

export class Caller {
  /** The name under which shares are counted: an account's guests are counted apart from its keys. */
  readonly account: string;
  readonly isGuest: boolean;
  readonly maxWaitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** What the log says of its work should the platform end it: whoever learns more of it adds that. */
  about: Readonly<Record<string, unknown>>;
  /** Milliseconds that the request has waited so far. */
  waitedMs = 0;
  /** Milliseconds for which it had all memory of originals to itself; of a part of it, as much less. Waiting does not count. */
  heldMs = 0;
  /** Since when memory that was given up keeps its work waiting: once for all of it. */
  readonly hindered: Hindered = {};
  /** What was assumed of the request's work before its estimate was known. */
  private assumed: Lease | undefined;

  constructor({ account = OWN_ACCOUNT, isGuest = false, maxWaitMs, signal, about = {} }: CallerOptions = {}) {
    this.account = isGuest ? `guests of ${account}` : account;
    this.isGuest = isGuest;
    this.maxWaitMs = maxWaitMs;
    this.signal = signal;
    this.about = about;
  }

  /** Adds to what is said of its work. */
  describe(more: Readonly<Record<string, unknown>>): void {
    this.about = { ...this.about, ...more };
  }

  /**
   * How long what the request waits for next may take to come.
   * @param usualMs for how long a request waits that says nothing else
   * @param now milliseconds, of any beginning
   * @returns says what is left of that, and throws ApiError 503 where nothing is
   */
  patience(usualMs: number, now: () => number): () => number {
    const until = now() + Math.max(0, (this.maxWaitMs ?? usualMs) - this.waitedMs);
    return () => {
      if (now() >= until) throw busy();
      return until - now();
    };
  }

  /** Counts a wait of the request. */
  async waits<Own>(wait: () => Promise<Own>, now: () => number): Promise<Own> {
    const since = now();
    try {
      return await wait();
    } finally {
      this.waitedMs += now() - since;
    }
  }

  /** Counts work of which no estimate is known yet, until its estimate is known or the request is over. */
  assume(lease: Lease): void {
    this.settle();
    this.assumed = lease;
  }

  /** The work that was assumed is known now, or will not come. */
  settle(): void {
    this.assumed?.leave();
    this.assumed = undefined;
  }
}
