/**
 * Shares of an isolate that invocations hold: bytes of memory, milliseconds of work, places.
 *
 * The platform may end an invocation at any point, and nothing of it runs afterward that would give back what it holds. So
 * every lease beats: a timer, which ends with its invocation, says that the holder lives. A lease that was silent for too
 * long is not counted, until it is heard of again.
 */

/** The time between two beats. */
const BEAT_MS = 1_000;
/** The silence after which a holder counts as dead: far longer than any stretch of work, in which no timer fires. */
const SILENT_MS = 30_000;

export interface Lease {
  readonly amount: number;
  /** Whose it is, where that matters. */
  readonly owner: string;
  /** Sets the amount that is held from now on. */
  readonly hold: (amount: number) => void;
  /** Says that the holder lives. */
  readonly beat: () => void;
  /** Gives everything back; a second call changes nothing. */
  readonly leave: () => void;
}

export interface LeasesOptions {
  /** Milliseconds, of any beginning; by default the clock of the isolate. */
  readonly now?: () => number;
  /** Called at the beginning of events in which a lease beats. */
  readonly onEvent?: () => void;
  /** Milliseconds of silence after which a lease does not count. */
  readonly silentMs?: number;
}

export class Leases {
  private readonly seenAt = new Map<Lease, number>();
  private readonly now: () => number;
  private readonly onEvent: () => void;
  private readonly silentMs: number;

  constructor({ now = () => performance.now(), onEvent = () => undefined, silentMs = SILENT_MS }: LeasesOptions = {}) {
    this.now = now;
    this.onEvent = onEvent;
    this.silentMs = silentMs;
  }

  /** How many leases live. */
  get count(): number {
    return this.living().length;
  }

  /** The sum of all living leases. */
  get sum(): number {
    return this.living().reduce((sum, { amount }) => sum + amount, 0);
  }

  /** The largest living lease. */
  get largest(): number {
    return this.living().reduce((most, { amount }) => Math.max(most, amount), 0);
  }

  /** The sum of the living leases of one owner. */
  sumOf(owner: string): number {
    return this.living().reduce((sum, lease) => (lease.owner === owner ? sum + lease.amount : sum), 0);
  }

  /** How many living leases one owner has. */
  countOf(owner: string): number {
    return this.living().filter((lease) => lease.owner === owner).length;
  }

  /** All living leases, the one that was heard of least recently first. */
  living(): readonly Lease[] {
    const since = this.now() - this.silentMs;
    for (const [lease, seenAt] of this.seenAt) if (seenAt < since) this.seenAt.delete(lease);
    return [...this.seenAt.keys()];
  }

  /** Takes a lease, which lives until its holder leaves or its invocation ends. */
  join(first: number, owner = ""): Lease {
    let amount = first;
    let isGone = false;
    const beat = () => {
      if (!isGone) this.seenAt.set(lease, this.now());
    };
    const timer = setInterval(() => {
      this.onEvent();
      beat();
    }, BEAT_MS);
    const lease: Lease = {
      owner,
      get amount() {
        return amount;
      },
      hold(now) {
        amount = now;
        beat();
      },
      beat,
      leave: () => {
        isGone = true;
        clearInterval(timer);
        this.seenAt.delete(lease);
      },
    };
    beat();
    return lease;
  }

  /** Counts only those that are heard of again: after an invocation was ended in its midst. */
  renew(): void {
    this.seenAt.clear();
  }
}
