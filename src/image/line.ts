/**
 * A line of those who wait for something that they share. Whoever waits comes by itself to see whether it is its turn:
 * nothing is handed over, so that somebody whose invocation was ended meanwhile cannot keep it. Who has not come for a
 * while is not in the line any more; who was only late stands where it stood as soon as it comes again.
 *
 * Accounts take turns, round by round; those of one account keep their order. Who comes joins a round that has not begun,
 * behind all that is in it: nobody gets before the first in line, and whoever waits is passed by no more than one of each
 * other account for each of its own account that is before it.
 */

/** How long somebody waits at most before it comes to see. */
const COME_MS = 1_000;
/** Who has not come for so long does not live. Longer than any stretch of work, in which nobody can come. */
const SILENT_MS = 5_000;

/** Where somebody stands when it comes. */
export interface Standing {
  readonly first: boolean;
  readonly last: boolean;
}

/** Who waits. */
export interface Waiting {
  /** Those without one are one account. */
  readonly account?: string;
  /** Aborted when whoever waits gives up: it leaves the line. */
  readonly signal?: AbortSignal | undefined;
}

interface Place {
  readonly account: string;
  readonly round: number;
  readonly ticket: number;
  /** How many went that stood behind it. */
  passes: number;
  seenAt: number;
  call: () => void;
}

export interface LineOptions {
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  /** Called at the beginning of events that somebody comes by. */
  readonly onEvent: () => void;
  /** Others than the first may go. */
  readonly everybody?: boolean;
}

export class Line {
  private places: readonly Place[] = [];
  private tickets = 0;
  /** The round of whoever went last. */
  private round = 0;
  private readonly options: LineOptions;

  constructor(options: LineOptions) {
    this.options = options;
  }

  /** Those who wait, and live. */
  get length(): number {
    this.dropSilent();
    return this.places.length;
  }

  /** How often somebody who waits was passed by others, the most of all. */
  get mostPasses(): number {
    this.dropSilent();
    return this.places.reduce((most, { passes }) => Math.max(most, passes), 0);
  }

  /** Those of one account among them. */
  countOf(account: string): number {
    this.dropSilent();
    return this.places.filter((place) => place.account === account).length;
  }

  /**
   * Waits until `claim` says that it took what is waited for.
   * @throws what `claim` throws, the reason of the signal
   */
  async wait(claim: (standing: Standing) => boolean, { account = "", signal }: Waiting = {}): Promise<void> {
    const place = this.placeOf(account);
    try {
      for (this.come(place); ; this.come(place)) {
        signal?.throwIfAborted();
        const first = this.places[0] === place;
        if (claim({ first, last: this.places.at(-1) === place })) {
          this.round = Math.max(this.round, place.round);
          for (const passed of this.places.slice(0, this.places.indexOf(place))) passed.passes++;
          return;
        }
        await this.called(place, signal);
      }
    } finally {
      this.places = this.places.filter((other) => other !== place);
      this.call();
    }
  }

  /** The first comes to see; everybody, in the order in which they stand, where others than the first may go. */
  call(): void {
    for (const { call } of this.options.everybody ? this.places : this.places.slice(0, 1)) call();
  }

  /** Who does not come again is not in the line. */
  renew(): void {
    const places = this.places;
    this.places = [];
    for (const { call } of places) call();
  }

  private placeOf(account: string): Place {
    const last = this.places.findLast((place) => place.account === account);
    const round = Math.max(this.round, last?.round ?? 0) + 1;
    return { account, round, ticket: ++this.tickets, passes: 0, seenAt: 0, call: () => undefined };
  }

  private come(place: Place): void {
    place.seenAt = this.options.now();
    this.dropSilent();
    if (this.places.includes(place)) return;
    this.places = [...this.places, place].toSorted((a, b) => a.round - b.round || a.ticket - b.ticket);
  }

  private called(place: Place, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.options.onEvent();
        place.call();
      }, COME_MS);
      place.call = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", place.call);
        resolve();
      };
      signal?.addEventListener("abort", place.call, { once: true });
    });
  }

  private dropSilent(): void {
    const since = this.options.now() - SILENT_MS;
    if (this.places.some(({ seenAt }) => seenAt < since)) {
      this.places = this.places.filter(({ seenAt }) => seenAt >= since);
    }
  }
}
