/**
 * What one job may take of an isolate's processor time: whose it is, how much it has taken, and where it ends. All of
 * it is counted in declared milliseconds, since the clock of a deployed isolate stands still while it computes.
 */
import type { Estimate } from "../../wasm/estimate.ts";
import { ApiError } from "../errors.ts";
import { OVERRUN_OF_BOUND } from "../limits/isolate.ts";
import { Caller } from "./caller.ts";
import { observed, type TimeSlice } from "./time-slice.ts";

interface Terms {
  /** Whose job it is, and how long it may wait; absent: as `account` and `signal` say. */
  readonly caller?: Caller | undefined;
  /** Whose job it is; absent: the service's own. */
  readonly account?: string | undefined;
  /** Declared milliseconds that the job may take; absent: any. */
  readonly maxMs?: number | undefined;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time slice of work that was admitted as a whole, and that this is a part of: its parts are not admitted again.
   */
  readonly within?: TimeSlice | undefined;
  /** The limits of that work. */
  readonly whole?: JobLimits | undefined;
}

/** A piece of work as it is counted: its time slice, and what is asked at the end of its pauses. */
interface Counted {
  readonly timeSlice: (own: TimeSlice) => TimeSlice;
  /** @throws TooLong when the job has taken far more than it may; the reason of the signal when nobody waits for it */
  readonly throwIfAborted: () => void;
}

export class JobLimits {
  readonly caller: Caller;
  private readonly maxMs: number;
  readonly signal: AbortSignal | undefined;
  readonly within: TimeSlice | undefined;
  private readonly whole: JobLimits | undefined;
  private taken = 0;
  private begun = false;
  private isLast = false;

  constructor({ caller, account, maxMs = Number.POSITIVE_INFINITY, signal, within, whole }: Terms = {}) {
    this.caller = caller ?? new Caller({ account, signal });
    this.maxMs = maxMs;
    this.signal = signal ?? caller?.signal;
    this.within = within;
    this.whole = whole;
  }

  /** Milliseconds that the job's work has declared so far, whatever became of it. */
  get takenMs(): number {
    return this.taken;
  }

  /** Some of the job's work has begun: refusing the rest of it would waste what is done. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /** Whether the job may take work of this estimate besides what it has taken. */
  affords({ ms }: Pick<Estimate, "ms">): boolean {
    return this.taken + ms <= (this.isLast ? this.mostMs : this.maxMs);
  }

  /** Milliseconds that are left of what the job may take; of parts, of what all of them may. */
  get leftMs(): number {
    return this.whole ? this.whole.leftMs : this.maxMs - this.taken;
  }

  /**
   * A search took more than it was to take: what is left to do makes the file all the same, and may take as long as the
   * job may at all.
   */
  goOn(): void {
    this.isLast = true;
  }

  /** The same for the parts of work that was admitted as a whole, and has begun: `within` is its time slice. */
  partOf(within: TimeSlice): JobLimits {
    return new JobLimits({ caller: this.caller, signal: this.signal, within, whole: this });
  }

  /**
   * Begins a piece of work, and counts what it declares. An estimate that was too low ends no work: only what the job
   * may take does.
   */
  count(): Counted {
    this.begun = true;
    return this.countReading();
  }

  /** Counts what is declared before any work of the job begins: all of that may still be refused. */
  countReading(): Counted {
    return {
      timeSlice: (own) => observed(own, (spentMs) => (this.taken += spentMs)),
      throwIfAborted: () => {
        this.signal?.throwIfAborted();
        if (this.taken > this.mostMs) throw new TooLong();
      },
    };
  }

  /** Where the job ends, whatever it is at. */
  private get mostMs(): number {
    return this.maxMs * OVERRUN_OF_BOUND;
  }
}

/** The job takes more processor time than it may, whatever else is going on. */
export class TooLong extends ApiError {
  constructor() {
    super(
      422,
      "This takes more processor time than one request may have: ask for fewer pixels, fewer frames, another output.format, " +
        "or output.quality in place of a search for it",
    );
  }
}
