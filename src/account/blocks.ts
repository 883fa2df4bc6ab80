/**
 * An account's requests in this isolate: its meter hands them out in blocks, and is told in batches what became of them.
 * Each call of an object is a trip, and each batch that it counts a row, so that twenty requests cost what one did.
 *
 * An invocation may be ended at any point, so nobody alone has to tell: everyone whose outcome waits looks at its end, and
 * whoever comes first tells for all. What an isolate had not told when it died is free again when its reservation ends.
 */
import { MAX_BLOCK_REQUESTS } from "../limits.ts";
import type { Batch, Outcome, RepeatableAsk, TakenWithReceipt } from "./metered.ts";

/** What of the meters is called here. */
export interface Meters {
  readonly getByName: (meter: string) => {
    readonly take: (ask: RepeatableAsk) => Promise<TakenWithReceipt>;
    readonly tell: (batch: Batch) => Promise<void>;
  };
}

/** Requests that are counted and reserved at the meter, and not made yet. */
interface Held {
  readonly ask: RepeatableAsk;
  /** What the meter said to the request that brought the block. */
  readonly taken: TakenWithReceipt;
  readonly lease: number;
  readonly startedAt: number;
  left: number;
  /** Requests that were admitted from it. */
  used: number;
  /** From when and until when it is held, milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

/** What one key does in this isolate. */
class Book {
  held: Held | undefined;
  /** Until then somebody is asking for a block; others ask for themselves alone. */
  askingUntil = 0;
  /** When the meter is to be told; undefined: there is nothing to tell. */
  dueAt: number | undefined;
  /** Requests that were admitted from blocks. */
  requests = 0;
  outcomes: Outcome[] = [];
  unused: Batch["unused"][number][] = [];

  get isEmpty(): boolean {
    return this.requests === 0 && this.outcomes.length === 0 && this.unused.length === 0;
  }

  /** Has it told by then. */
  owe(dueAt: number): void {
    this.dueAt = Math.min(this.dueAt ?? Number.POSITIVE_INFINITY, dueAt);
  }

  /** Gives up what is left of the block. */
  drop(): void {
    const { held } = this;
    this.held = undefined;
    if (held && held.left > 0) {
      this.unused.push({ requests: held.left, lease: held.lease, startedAt: held.startedAt });
    }
  }

  /** All that is to be told, once. */
  batch(key: string): Batch {
    const { requests, outcomes, unused } = this;
    this.requests = 0;
    this.outcomes = [];
    this.unused = [];
    return { id: crypto.randomUUID(), key, requests, outcomes, unused };
  }
}

/** How long somebody who asks for a block is waited for. */
const ASKING_MS = 5_000;
/** How often a batch is told whose call fails, and the pause before the first repetition. */
const TELLINGS = 3;
const PAUSE_MS = 100;
/** How far a request's clock, which stands still while it computes, may be behind that of another. */
const LATE_CLOCK_MS = 5_000;
/** Books that are kept; of more, those are forgotten whose credits are free by now. */
const MAX_BOOKS = 1_000;

export class Blocks {
  private readonly books = new Map<string, Book>();
  private meters: Meters | undefined;

  /** Whether the meter has anything to hear of this isolate. */
  get isSettled(): boolean {
    return this.books.values().every((book) => book.isEmpty);
  }

  /**
   * Counts a request, and reserves its credit: by a block where there is one, else by the meter.
   * @param forMs for how long a block is kept, and outcomes are; 0: not at all
   * @returns what the meter says; `isShared`: the request's outcome is told by `close`
   * @throws what the call of the meter throws
   */
  async take(
    meters: Meters,
    meter: string,
    ask: RepeatableAsk,
    forMs: number,
  ): Promise<TakenWithReceipt & { readonly isShared?: true }> {
    if (forMs <= 0 || !isShareable(ask)) {
      // Whoever asks for something wants to see what was done before.
      if (ask.creditsTotal === undefined) await this.tell(meters, meter);
      return meters.getByName(meter).take(ask);
    }
    this.meters = meters;
    const book = this.bookOf(meter, ask.key);
    const now = Date.now();
    const held = heldFor(book, ask, now, forMs);
    if (held) {
      held.left -= 1;
      held.used += 1;
      book.requests += 1;
      book.owe(held.until);
      const { taken, lease } = held;
      const resetSeconds = Math.max(1, taken.resetSeconds - Math.floor((now - held.from) / 1_000));
      const remaining = Math.max(0, taken.remaining - held.used);
      return { ...taken, remaining, resetSeconds, lease, isShared: true };
    }
    const isAlone = now >= book.askingUntil || book.askingUntil > now + ASKING_MS;
    if (!isAlone) return { ...(await meters.getByName(meter).take(ask)), isShared: true };
    book.askingUntil = now + ASKING_MS;
    try {
      const { block, ...taken } = await meters.getByName(meter).take({ ...ask, block: MAX_BLOCK_REQUESTS - 1 });
      if (block) {
        book.drop();
        const { requests: left, ...rest } = block;
        const from = Date.now();
        const until = from + Math.min(forMs, taken.resetSeconds * 1_000);
        book.held = { ask, taken, ...rest, left, used: 0, from, until };
        book.owe(until);
      }
      return { ...taken, isShared: true };
    } finally {
      book.askingUntil = 0;
    }
  }

  /**
   * Notes how a request ended, and resolves when the meter was told, by whomever.
   * @param outcome absent: the meter knows it already
   * @param isUrgent whether the meter must know at once: then the block ends, too
   * @throws what the last call of the meter threw
   */
  async close(
    meters: Meters,
    { meter, key }: { readonly meter: string; readonly key: string },
    forMs: number,
    outcome?: Outcome,
    isUrgent = false,
  ): Promise<void> {
    const book = this.bookOf(meter, key);
    if (outcome) {
      book.outcomes.push(outcome);
      book.owe(Date.now() + forMs);
    }
    if (isUrgent) book.drop();
    if (isUrgent || book.outcomes.length >= MAX_BLOCK_REQUESTS) return this.tellOf(meters, meter, key);
    // What comes later has others who look after it. Waits are added up, as the clock may be set back meanwhile.
    let leftMs = forMs;
    while (leftMs > 0 && !isDue(book, forMs)) {
      if (book.dueAt === undefined) return;
      const waitMs = Math.min(book.dueAt - Date.now(), leftMs);
      await scheduler.wait(waitMs);
      leftMs -= waitMs;
    }
    if (isDue(book, forMs)) await this.tellOf(meters, meter, key);
  }

  /** Gives up what a key has not used: for whoever calls the meter anyway. */
  giveBack(meter: string, key: string): Batch["unused"] {
    const book = this.books.get(`${meter} ${key}`);
    if (!book) return [];
    book.drop();
    return book.unused.splice(0);
  }

  /** Tells a meter what is to be told, at once. @throws what the last call of the meter threw */
  async tell(meters: Meters, meter: string): Promise<void> {
    const names = [...this.books.keys()].filter((name) => name.startsWith(`${meter} `));
    await Promise.all(names.map((name) => this.tellOf(meters, meter, name.slice(meter.length + 1))));
  }

  /** Tells all meters, before the isolate ends. */
  async tellAll(): Promise<void> {
    const { meters } = this;
    if (!meters) return;
    const told = [...this.books].map(([name, book]) => {
      book.drop();
      const [meter = "", key = ""] = name.split(" ");
      return this.tellOf(meters, meter, key);
    });
    await Promise.allSettled(told);
  }

  private async tellOf(meters: Meters, meter: string, key: string): Promise<void> {
    const name = `${meter} ${key}`;
    const book = this.books.get(name);
    if (!book) return;
    const now = Date.now();
    if (book.held && book.held.until <= now) book.drop();
    book.dueAt = book.held?.until;
    if (!book.held && book.askingUntil <= now) this.books.delete(name);
    if (book.isEmpty) return;
    const batch = book.batch(key);
    for (let telling = 1; ; telling += 1) {
      try {
        return await meters.getByName(meter).tell(batch);
      } catch (cause) {
        if (telling >= TELLINGS) throw cause;
        await scheduler.wait(PAUSE_MS * telling);
      }
    }
  }

  private bookOf(meter: string, key: string): Book {
    const name = `${meter} ${key}`;
    const known = this.books.get(name);
    if (known) return known;
    if (this.books.size >= MAX_BOOKS) this.forget();
    const book = new Book();
    this.books.set(name, book);
    return book;
  }

  /** Those whose invocations were ended, and which nobody has asked for since. */
  private forget(): void {
    const now = Date.now();
    for (const [name, { dueAt }] of this.books)
      if (dueAt === undefined || dueAt < now - ASKING_MS) this.books.delete(name);
  }
}

/** Whether the meter is to be told now; so it is when the clock was set back since somebody said when. */
function isDue({ dueAt }: Book, forMs: number): boolean {
  const now = Date.now();
  return dueAt !== undefined && (now >= dueAt || dueAt - now > forMs);
}

/** A block that a request may be admitted from: one that the meter would have granted to it. */
function heldFor(book: Book, ask: RepeatableAsk, now: number, forMs: number): Held | undefined {
  const { held } = book;
  if (!held) return undefined;
  const isFresh = now < held.until && held.until - now <= forMs + LATE_CLOCK_MS;
  const isSame = held.ask.limit === ask.limit && held.ask.creditsTotal === ask.creditsTotal;
  if (held.left > 0 && isFresh && isSame && held.ask.failedMs === ask.failedMs) return held;
  if (held.left === 0 || !isFresh || !isSame) book.drop();
  return undefined;
}

/** Whether requests like this one may be admitted from a block: all that each of them is bound by is in the block. */
function isShareable({ account, creditsTotal, dailyLimit, hourly, isPart, receipt, use }: RepeatableAsk): boolean {
  const isBound = dailyLimit !== undefined || hourly || isPart === true || receipt !== undefined || use !== undefined;
  return account !== undefined && creditsTotal !== undefined && !isBound;
}

/** The blocks of this isolate. */
export const isolateBlocks = new Blocks();
