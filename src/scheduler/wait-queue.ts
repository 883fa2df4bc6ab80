/**
 * A queue of those who wait for something that they share. A waiter comes by itself to see whether its turn has come:
 * nothing is handed over, so an invocation that was ended meanwhile cannot keep it. Events that free something call the
 * waiters, which is a mark that each of them finds a moment later (`scheduler/poll.ts`); once a second they come anyway,
 * which says that they live. A waiter that has not come for a while is not in the queue any more; one that was only late
 * stands where it stood as soon as it comes again.
 *
 * Accounts take turns, round by round; the waiters of one account keep their order. A newcomer joins a round that has not
 * begun, behind all that is in it: nobody gets before the first in the queue, and a waiter is passed by no more than one of
 * each other account for each of its own account that is before it. Only what goes on stands before all that has not begun:
 * who has had a turn comes to an end, and what it holds is free.
 */
import { type Pause, pollUntil } from "./poll.ts";

/** The longest time after which a waiter comes to see. */
const COME_MS = 1_000;
/**
 * How often a waiter looks whether it was called: the first in the queue, for which something may lie idle, at once; others
 * the more seldom the further they stand behind it and the longer they have waited, within these bounds.
 */
const LEAST_LOOK_MS = 1;
const MOST_LOOK_MS = 16;
const LOOK_PART = 1 / 128;
/** For how many looks a waiter lets those before it come first that were called with it: they may have been ended. */
const LOOKS_BEHIND = 2;
/** The silence after which a waiter counts as dead. Longer than any stretch of work, in which nobody can come. */
const SILENT_MS = 5_000;

/** The waiter at the head of a queue, as those behind it see it. */
export interface Head {
  /** How often somebody went that stood behind it. */
  readonly passes: number;
  /** What it waits for, in whatever unit the queue is about. */
  readonly needs: number;
}

/** Where a waiter stands when it comes. */
export interface Standing {
  readonly first: boolean;
  readonly last: boolean;
  /** The waiter at the head of the queue. */
  readonly head: Head;
}

/** Somebody who waits. */
export interface Waiting {
  /** Those without an account are one account. */
  readonly account?: string;
  /** Aborted when the waiter gives up: it leaves the queue. */
  readonly signal?: AbortSignal | undefined;
  /** What is waited for, in whatever unit the queue is about. */
  readonly needs?: number;
  /** It goes on with what had its turn: before all who have not. */
  readonly goesOn?: boolean;
}

/**
 * Looks whether a waiter's turn has come, and takes what is waited for.
 * @returns whether it did; or the milliseconds after which looking again makes sense
 */
type Claim = (standing: Standing) => boolean | number;

interface Place extends Head {
  readonly account: string;
  readonly round: number;
  readonly ticket: number;
  readonly since: number;
  passes: number;
  seenAt: number;
  isCalled: boolean;
}

interface WaitQueueOptions {
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  /** Called at the beginning of events that a waiter comes by. */
  readonly onEvent: () => void;
  /** Waiters behind the first may go. */
  readonly everybody?: boolean;
  /** How time passes between two looks; by a timer, unless told. */
  readonly pause?: Pause | undefined;
}

export class WaitQueue {
  private places: readonly Place[] = [];
  private tickets = 0;
  /** The round of whoever went last. */
  private round = 0;
  private readonly options: WaitQueueOptions;

  constructor(options: WaitQueueOptions) {
    this.options = options;
  }

  /** How many wait, and live. */
  get length(): number {
    this.dropSilent();
    return this.places.length;
  }

  /** The waiter at the head; undefined where nobody waits. */
  get head(): Head | undefined {
    this.dropSilent();
    return this.places[0];
  }

  /** Milliseconds that the longest waiter has waited so far; 0 where nobody waits. */
  get longestMs(): number {
    this.dropSilent();
    const since = Math.min(...this.places.map((place) => place.since));
    return this.places.length > 0 ? this.options.now() - since : 0;
  }

  /** Whether somebody waits who is of another account. */
  hasOthersThan(account: string): boolean {
    this.dropSilent();
    return this.places.some((place) => place.account !== account);
  }

  /**
   * Waits until `claim` says that it took what is waited for.
   * @throws what `claim` throws, the reason of the signal
   */
  async wait(claim: Claim, { account = "", signal, needs = 0, goesOn }: Waiting = {}): Promise<void> {
    const place = this.placeOf(account, needs, goesOn);
    try {
      this.come(place);
      // What was freed a moment ago is theirs who were called for it.
      place.isCalled = this.isBehindCalled(place);
      if (place.isCalled) await this.called(place, signal, COME_MS);
      for (; ; this.come(place)) {
        signal?.throwIfAborted();
        const [head = place] = this.places;
        const taken = claim({ first: head === place, last: this.places.at(-1) === place, head });
        if (taken === true) {
          this.round = Math.max(this.round, place.round);
          for (const passed of this.places.slice(0, this.places.indexOf(place))) passed.passes++;
          return;
        }
        await this.called(place, signal, taken === false ? COME_MS : Math.min(COME_MS, Math.max(1, taken)));
      }
    } finally {
      this.places = this.places.filter((other) => other !== place);
      this.call();
    }
  }

  /**
   * Waits until `take` gives what is waited for.
   * @param orElse is asked where it gives nothing: when looking again makes sense, as a claim says it
   * @throws as `wait`, and what `orElse` throws
   */
  async take<Own>(
    take: (standing: Standing) => Own | undefined,
    orElse: (standing: Standing) => number | false,
    waiting?: Waiting,
  ): Promise<Own> {
    let own: Own | undefined;
    await this.wait((standing) => {
      own = take(standing);
      return own !== undefined || orElse(standing);
    }, waiting);
    if (own === undefined) throw new Error("a queue was left without what was waited for");
    return own;
  }

  /** Has the first come to see; or everybody, in the order in which they stand, where others than the first may go. */
  call(): void {
    for (const place of this.options.everybody ? this.places : this.places.slice(0, 1)) place.isCalled = true;
  }

  /** Empties the queue: whoever lives comes again, to its old place. */
  renew(): void {
    for (const place of this.places) place.isCalled = true;
    this.places = [];
  }

  private placeOf(account: string, needs: number, goesOn = false): Place {
    const last = this.places.findLast((place) => place.account === account);
    const round = goesOn ? this.round : Math.max(this.round, last?.round ?? 0) + 1;
    const since = this.options.now();
    return { account, round, ticket: ++this.tickets, since, needs, passes: 0, seenAt: 0, isCalled: false };
  }

  private come(place: Place): void {
    place.seenAt = this.options.now();
    place.isCalled = false;
    this.dropSilent();
    if (this.places.includes(place)) return;
    this.places = [...this.places, place].toSorted((a, b) => a.round - b.round || a.ticket - b.ticket);
  }

  /** Waits until the waiter is called, gives up, or so many milliseconds are over. */
  private async called(place: Place, signal: AbortSignal | undefined, afterMs: number): Promise<void> {
    const { now, onEvent, pause } = this.options;
    const until = now() + afterMs;
    let looksBehind = 0;
    const isTurn = () => place.isCalled && (!this.isBehindCalled(place) || ++looksBehind > LOOKS_BEHIND);
    const everyMs = () => Math.min(this.lookMs(place), Math.max(LEAST_LOOK_MS, until - now()));
    await pollUntil(() => isTurn() || now() >= until || signal?.aborted === true, { everyMs, pause, onEvent });
  }

  /** Whether somebody stands before a waiter who was called and has not come yet. */
  private isBehindCalled(place: Place): boolean {
    return this.places.slice(0, Math.max(0, this.places.indexOf(place))).some(({ isCalled }) => isCalled);
  }

  private lookMs(place: Place): number {
    const position = this.places.indexOf(place);
    if (position === 0) return LEAST_LOOK_MS;
    const waitedMs = this.options.now() - place.since;
    return Math.min(MOST_LOOK_MS, Math.max(LEAST_LOOK_MS, position, waitedMs * LOOK_PART));
  }

  private dropSilent(): void {
    const since = this.options.now() - SILENT_MS;
    if (this.places.some(({ seenAt }) => seenAt < since)) {
      this.places = this.places.filter(({ seenAt }) => seenAt >= since);
    }
  }
}
