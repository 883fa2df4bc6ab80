/**
 * Who holds some of what an isolate has: bytes of memory, milliseconds. An invocation can be ended in the midst of anything, and nothing of it runs any more that would give
 * back what it holds. So whoever holds something says from time to time that it lives, by a timer, which ends with its
 * invocation: what was not heard of for long is not counted, until it is heard of again.
 */

/** Between two signs of life. */
const BEAT_MS = 1_000;
/** Who was silent for so long does not live. Far longer than any stretch of work, in which no timer fires. */
const SILENT_MS = 30_000;

export interface Holder {
  readonly amount: number;
  /** Whose it is, where that matters. */
  readonly owner: string;
  /** From now on it holds so much. */
  readonly hold: (amount: number) => void;
  /** It lives. */
  readonly beat: () => void;
  /** It holds nothing any more; a second time changes nothing. */
  readonly leave: () => void;
}

export class Holders {
  private readonly seenAt = new Map<Holder, number>();
  private readonly now: () => number;
  private readonly onEvent: () => void;

  /**
   * @param now milliseconds, of any beginning
   * @param onEvent called at the beginning of events in which somebody is heard of
   */
  constructor(now: () => number, onEvent: () => void) {
    this.now = now;
    this.onEvent = onEvent;
  }

  /** What all hold together that live. */
  get sum(): number {
    return this.living().reduce((sum, { amount }) => sum + amount, 0);
  }

  /** The most that one of them holds. */
  get largest(): number {
    return this.living().reduce((most, { amount }) => Math.max(most, amount), 0);
  }

  /** What those of one owner hold that live. */
  sumOf(owner: string): number {
    return this.living().reduce((sum, holder) => (holder.owner === owner ? sum + holder.amount : sum), 0);
  }

  join(first: number, owner = ""): Holder {
    let amount = first;
    let isGone = false;
    const beat = () => {
      if (!isGone) this.seenAt.set(holder, this.now());
    };
    const timer = setInterval(() => {
      this.onEvent();
      beat();
    }, BEAT_MS);
    const holder: Holder = {
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
        this.seenAt.delete(holder);
      },
    };
    beat();
    return holder;
  }

  private living(): readonly Holder[] {
    const since = this.now() - SILENT_MS;
    for (const [holder, seenAt] of this.seenAt) if (seenAt < since) this.seenAt.delete(holder);
    return [...this.seenAt.keys()];
  }

  /** Nobody is counted who is not heard of again. */
  renew(): void {
    this.seenAt.clear();
  }
}
