/**
 * An account's requests in this isolate: its meter hands them out in blocks, and is told in batches what became of them.
 * Each call of an object is a trip, and each write of its counts a row, so that twenty requests cost what one did. Whoever
 * tells is handed the block for the requests that come next.
 *
 * An invocation may be ended at any point, so nobody alone has to tell: everyone whose outcome waits looks at its end, and
 * whoever comes first tells for all. A meter that many isolates tell something may say that it has not written it yet; then it
 * is told again, and counted once. What an isolate had not told when it died is free again when its reservation ends.
 */
import { BLOCK_HELD_SECONDS, MAX_BLOCK_REQUESTS, METER_WRITTEN_SECONDS } from "../limits.ts";
import type { Batch, Outcome, RepeatableAsk, TakenWithReceipt, Telling, Told } from "./metered.ts";

/** What of the meters is called here. */
export interface Meters {
  readonly getByName: (meter: string) => {
    readonly take: (ask: RepeatableAsk) => Promise<TakenWithReceipt>;
    readonly tell: (telling: Telling) => Promise<Told>;
  };
}

/** Requests that are counted and reserved at the meter, and not made yet. */
interface Held {
  readonly ask: RepeatableAsk;
  /** What the meter said to the call that brought the block. */
  readonly taken: TakenWithReceipt;
  readonly lease: number;
  left: number;
  /** Requests that were admitted from it. */
  used: number;
  /** From when and until when it is held, milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

/** A batch that the meter has not written yet, as far as is known here. */
interface Unwritten {
  readonly batch: Batch;
  /** When it was told first. */
  readonly at: number;
  /** When the meter has to write it. */
  dueAt: number;
  /** How many outcomes had been noted with the last of its own. */
  readonly upTo: number;
}

/** What one key does in this isolate. */
class Book {
  readonly meter: string;
  readonly key: string;
  held: Held | undefined;
  /** Until then somebody is asking for a block; others ask for themselves alone. */
  askingUntil = 0;
  /** Requests that were admitted from blocks, by their leases. */
  private used = new Map<number, number>();
  private outcomes: Outcome[] = [];
  private unused: Batch["unused"][number][] = [];
  /** When what is noted is to be told; undefined: nothing is. */
  private tellAt: number | undefined;
  unwritten: Unwritten[] = [];
  /** How many requests and outcomes were noted, and how many of them are written. */
  noted = 0;
  written = 0;
  /** What the last block was asked with, and for how long outcomes are kept. */
  ask: RepeatableAsk | undefined;
  forMs = 0;

  constructor(meter: string, key: string) {
    this.meter = meter;
    this.key = key;
  }

  /** Whether there is nothing to tell. */
  get isEmpty(): boolean {
    return this.used.size === 0 && this.outcomes.length === 0 && this.unused.length === 0;
  }

  /** Whether the meter has written all. */
  get isSettled(): boolean {
    return this.isEmpty && this.unwritten.length === 0;
  }

  get isFull(): boolean {
    return this.outcomes.length >= MAX_BLOCK_REQUESTS;
  }

  /** When the meter is to be told something; undefined: there is nothing that cannot wait for others. */
  get dueAt(): number | undefined {
    const dues = this.unwritten.map(({ dueAt }) => dueAt);
    return this.tellAt === undefined && dues.length === 0
      ? undefined
      : Math.min(...dues, this.tellAt ?? Number.POSITIVE_INFINITY);
  }

  /** Admits a request from a block. */
  use(held: Held, now: number): void {
    held.left -= 1;
    held.used += 1;
    this.used.set(held.lease, (this.used.get(held.lease) ?? 0) + 1);
    this.note(now);
  }

  end(outcome: Outcome, now: number): void {
    this.outcomes.push(outcome);
    this.note(now);
  }

  private note(now: number): void {
    this.noted += 1;
    this.tellAt = Math.min(this.tellAt ?? Number.POSITIVE_INFINITY, now + this.forMs);
  }

  /** Keeps a block, in place of another. */
  hold(ask: RepeatableAsk, { block, ...taken }: TakenWithReceipt & Required<Pick<TakenWithReceipt, "block">>): void {
    this.drop();
    const from = Date.now();
    const until = from + Math.min(BLOCK_HELD_SECONDS, taken.resetSeconds) * 1_000;
    this.held = { ask, taken, lease: block.lease, left: block.requests, used: 0, from, until };
  }

  /** Gives up what is left of the block. */
  drop(): void {
    const { held } = this;
    this.held = undefined;
    if (held && held.left > 0) this.unused.push({ requests: held.left, lease: held.lease });
  }

  /** What is not used, for whoever tells it. */
  takeUnused(): Batch["unused"] {
    this.drop();
    return this.unused.splice(0);
  }

  /** Puts all that is to be told into a batch, what is left of the block included. */
  close(now: number): void {
    const { key, outcomes } = this;
    const used = [...this.used].map(([lease, requests]) => ({ lease, requests }));
    this.used = new Map();
    this.outcomes = [];
    this.tellAt = undefined;
    const batch = { id: crypto.randomUUID(), key, used, outcomes, unused: this.takeUnused() };
    const dueAt = now + METER_WRITTEN_SECONDS * 1_000 - this.forMs;
    this.unwritten.push({ batch, at: now, dueAt, upTo: this.noted });
  }

  /** The meter has written these. */
  wrote(sent: readonly Unwritten[]): void {
    this.unwritten = this.unwritten.filter((one) => !sent.includes(one));
    this.written = Math.max(this.written, ...sent.map(({ upTo }) => upTo));
  }
}

/** How long somebody who asks for a block, or tells, is waited for. */
const ASKING_MS = 5_000;
/** How often a batch is told whose call fails, and the pause before the first repetition. */
const TELLINGS = 3;
const PAUSE_MS = 100;
/** For how long a batch may be told again: meters remember it for longer. */
const REPEATED_MS = 45_000;
/** How far a request's clock, which stands still while it computes, may be behind that of another. */
const LATE_CLOCK_MS = 5_000;
/** Books that are kept; of more, those are forgotten whose credits are free by now. */
const MAX_BOOKS = 1_000;

export class Blocks {
  private readonly books = new Map<string, Book>();
  private meters: Meters | undefined;

  /** Whether the meter has anything to hear of this isolate. */
  get isSettled(): boolean {
    return this.books.values().every((book) => book.isSettled);
  }

  /**
   * Counts a request, and reserves its credit: by a block where there is one, else by the meter.
   * @param forMs for how long outcomes are kept; 0: not at all, and no block is
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
    book.forMs = forMs;
    const now = Date.now();
    const held = heldFor(book, ask, now);
    if (held) {
      book.use(held, now);
      const { taken, lease } = held;
      const resetSeconds = Math.max(1, taken.resetSeconds - Math.floor((now - held.from) / 1_000));
      const remaining = Math.max(0, taken.remaining - held.used);
      return { ...taken, remaining, resetSeconds, lease, isShared: true };
    }
    const isAlone = now >= book.askingUntil || book.askingUntil > now + ASKING_MS;
    if (!isAlone) return { ...(await meters.getByName(meter).take(ask)), isShared: true };
    book.askingUntil = now + ASKING_MS;
    book.ask = { ...ask, block: MAX_BLOCK_REQUESTS - 1 };
    try {
      const { block, ...taken } = await meters.getByName(meter).take(book.ask);
      if (block) book.hold(book.ask, { ...taken, block });
      return { ...taken, isShared: true };
    } finally {
      book.askingUntil = 0;
    }
  }

  /**
   * Notes how a request ended, and resolves when the meter has written it, whoever told it, or others will.
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
    book.forMs = forMs;
    if (outcome) book.end(outcome, Date.now());
    const mine = book.noted;
    if (isUrgent) {
      book.drop();
      return this.tellOf(meters, book, true);
    }
    if (book.isFull) await this.tellOf(meters, book);
    // What comes later has others who look after it. Waits are added up, as the clock may be set back meanwhile.
    let leftMs = METER_WRITTEN_SECONDS * 1_000 + PAUSE_MS;
    while (book.written < mine && leftMs > 0) {
      const { dueAt } = book;
      if (dueAt === undefined) return;
      if (isDue(dueAt)) {
        await this.tellOf(meters, book);
      } else {
        const waitMs = Math.min(dueAt - Date.now(), leftMs);
        await scheduler.wait(waitMs);
        leftMs -= waitMs;
      }
    }
  }

  /** Gives up what a key has not used: for whoever calls the meter anyway. */
  giveBack(meter: string, key: string): Batch["unused"] {
    return this.books.get(`${meter} ${key}`)?.takeUnused() ?? [];
  }

  /** Tells a meter what is to be told, at once. @throws what the last call of the meter threw */
  async tell(meters: Meters, meter: string): Promise<void> {
    const books = [...this.books.values()].filter((book) => book.meter === meter && !book.isEmpty);
    await Promise.all(books.map((book) => this.tellOf(meters, book)));
  }

  /** Tells all meters, before the isolate ends. */
  async tellAll(): Promise<void> {
    const { meters } = this;
    if (!meters) return;
    const told = [...this.books.values()].map((book) => {
      book.drop();
      return this.tellOf(meters, book, true);
    });
    await Promise.allSettled(told);
  }

  /** @param isLast whether the meter must write it now, and hands out no block */
  private async tellOf(meters: Meters, book: Book, isLast = false): Promise<void> {
    const now = Date.now();
    book.unwritten = book.unwritten.filter(({ at }) => Math.abs(now - at) <= REPEATED_MS);
    const isAsking = !book.isEmpty && !isLast && book.askingUntil <= now;
    if (!book.isEmpty) book.close(now);
    const sent = book.unwritten;
    const isRepeated = !isLast && sent.every(({ dueAt }) => !isDue(dueAt));
    // Should this invocation end before the meter answers, others tell it.
    if (!isRepeated) for (const one of sent) one.dueAt = now + ASKING_MS;
    const ask = isAsking && book.ask ? { ...book.ask, block: MAX_BLOCK_REQUESTS } : undefined;
    if (ask) book.askingUntil = now + ASKING_MS;
    try {
      if (sent.length > 0) {
        const batches = sent.map(({ batch }) => batch);
        const told = await toldTo(meters, book.meter, { batches, isRepeated, ...(ask && { ask }) });
        if (told.isWritten) book.wrote(sent);
        if (ask && told.granted) book.hold(ask, { allowed: true, ...told.granted });
      }
    } finally {
      if (ask) book.askingUntil = 0;
      if (!book.held && book.isSettled && book.askingUntil <= now) this.books.delete(`${book.meter} ${book.key}`);
    }
  }

  private bookOf(meter: string, key: string): Book {
    const name = `${meter} ${key}`;
    const known = this.books.get(name);
    if (known) return known;
    if (this.books.size >= MAX_BOOKS) this.forget();
    const book = new Book(meter, key);
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

/** @throws what the last call of the meter threw */
async function toldTo(meters: Meters, meter: string, telling: Telling): Promise<Told> {
  for (let time = 1; ; time += 1) {
    try {
      return await meters.getByName(meter).tell(telling);
    } catch (cause) {
      if (time >= TELLINGS) throw cause;
      await scheduler.wait(PAUSE_MS * time);
    }
  }
}

/** Whether the meter is to be told now; so it is when the clock was set back since somebody said when. */
function isDue(dueAt: number): boolean {
  const now = Date.now();
  return now >= dueAt || dueAt - now > METER_WRITTEN_SECONDS * 1_000 + LATE_CLOCK_MS;
}

/** A block that a request may be admitted from: one that the meter would have granted to it. */
function heldFor(book: Book, ask: RepeatableAsk, now: number): Held | undefined {
  const { held } = book;
  if (!held) return undefined;
  const isFresh = now < held.until && now >= held.from - LATE_CLOCK_MS;
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
