/**
 * What one job may take of an isolate's processor time: whose it is, how much it has taken, and where it ends. All of it is
 * counted in declared milliseconds, since the clock of a deployed isolate stands still while it computes.
 */
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import { OVERRUN_FACTOR, OVERRUN_GRACE_MS, OVERRUN_OF_BOUND } from "../limits.ts";
import type { Breath } from "./breath.ts";

interface Terms {
  /** Whose job it is; absent: the service's own. */
  readonly account?: string | undefined;
  /** Declared milliseconds that the job may take; absent: any, and no price is held against the truth. */
  readonly maxMs?: number | undefined;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
  /** The breath of work that was admitted as a whole, and that this is a part of: its parts are not admitted again. */
  readonly within?: Breath | undefined;
}

/** A piece of work as it is counted: its breath, and what is asked at the end of its pauses. */
export interface Counted {
  readonly breath: (own: Breath) => Breath;
  /** @throws ApiError 422 when it has taken far more than its price; the reason of the signal when nobody waits for it */
  readonly throwIfAborted: () => void;
}

export class Allowance {
  readonly account: string | undefined;
  private readonly maxMs: number;
  readonly signal: AbortSignal | undefined;
  readonly within: Breath | undefined;
  private taken = 0;
  private begun = false;

  constructor({ account, maxMs = Number.POSITIVE_INFINITY, signal, within }: Terms = {}) {
    this.account = account;
    this.maxMs = maxMs;
    this.signal = signal;
    this.within = within;
  }

  /** Milliseconds that the job's work has declared so far, whatever became of it. */
  get takenMs(): number {
    return this.taken;
  }

  /** Some of the job's work has begun: refusing the rest of it would waste what is done. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /** Whether the job may take work of this price besides what it has taken. */
  affords({ ms }: Pick<Price, "ms">): boolean {
    return this.taken + ms <= this.maxMs;
  }

  /** The same for the parts of work that was admitted as a whole, and has begun: `within` is its breath. */
  partOf(within: Breath): Allowance {
    return new Allowance({ account: this.account, signal: this.signal, within });
  }

  /** Begins a piece of work, and counts what it declares. */
  count({ ms }: Pick<Price, "ms">): Counted {
    this.begun = true;
    const most = Math.min(this.taken + ms * OVERRUN_FACTOR + OVERRUN_GRACE_MS, this.maxMs * OVERRUN_OF_BOUND);
    const mostMs = Number.isFinite(this.maxMs) ? most : Number.POSITIVE_INFINITY;
    return {
      breath: (own) => ({
        spend: (spentMs) => {
          this.taken += spentMs;
          return own.spend(spentMs);
        },
        worked: () => own.worked(),
      }),
      throwIfAborted: () => {
        this.signal?.throwIfAborted();
        if (this.taken > mostMs) throw tooLong();
      },
    };
  }
}

/** The job takes more processor time than it may, whatever else is going on. */
export function tooLong(): ApiError {
  return new ApiError(
    422,
    "This takes more processor time than one request may have: ask for fewer pixels, fewer frames, another output.format, " +
      "or output.quality in place of a search for it",
  );
}
