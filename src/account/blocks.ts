/**
 * An account's requests in this isolate: its meter hands them out in blocks, and is told in batches what became of them.
 * Each call of an object is a trip, and each write of its counts a row, so that twenty requests cost what one did. Whoever
 * tells is handed the block for the requests that come next.
 *
 * A batch lies on the board of its data center after a moment, and is told when it is due: by its isolate, with all others that
 * lie there, or by another isolate before. An invocation may be ended at any point, so nobody alone has to tell: everyone
 * whose outcome waits looks at its end, and whoever comes first tells for all. What an isolate had not posted when it died is
 * free again when its reservation ends.
 */
import { BLOCK_HELD_SECONDS, MAX_BLOCK_REQUESTS, MAX_METER_BLOCK_SECONDS } from "../limits/accounts.ts";
import { type Board, MAX_POSTED, type Posted, type Sheet } from "./board.ts";
import type { Budget } from "./budgets.ts";
import type { Batch, Outcome, RepeatableAsk, TakenWithReceipt, Telling, Told } from "./metered.ts";

/** What of the meters is called here. */
interface Meters {
  readonly getByName: (meter: string) => {
    readonly take: (ask: RepeatableAsk) => Promise<TakenWithReceipt>;
    readonly tell: (telling: Telling) => Promise<Told>;
  };
}

/** What an isolate tells its outcomes to. */
export interface Reach {
  readonly meters: Meters;
  readonly board: Board;
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
  readonly batch: Posted;
  /** When the meter is to be told. */
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
  /** Since when something is noted that is in no batch; undefined: nothing is. */
  private notedAt: number | undefined;
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

  /** When the meter is to be told something; undefined: there is nothing to tell. */
  get tellAt(): number | undefined {
    const dues = this.unwritten.map(({ dueAt }) => dueAt);
    if (this.notedAt !== undefined) dues.push(this.notedAt + this.forMs);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** When something is to be posted or told; undefined: nothing is. */
  get dueAt(): number | undefined {
    const { notedAt, tellAt } = this;
    return notedAt === undefined || tellAt === undefined ? tellAt : Math.min(tellAt, notedAt + POST_MS);
  }

  /** Whether the block that is held will soon be used up, or lapse. */
  isShort(now: number): boolean {
    const { held } = this;
    return !held || held.left < MAX_BLOCK_REQUESTS / 4 || held.until - now < (BLOCK_HELD_SECONDS * 1_000) / 2;
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
    this.notedAt = Math.min(this.notedAt ?? now, now);
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

  /** Puts all that is to be told into a batch. */
  close(now: number): Posted {
    const { key, outcomes, notedAt = now } = this;
    const used = [...this.used].map(([lease, requests]) => ({ lease, requests }));
    this.used = new Map();
    this.outcomes = [];
    this.notedAt = undefined;
    const batch = { id: crypto.randomUUID(), key, used, outcomes, unused: this.unused.splice(0), at: now };
    this.unwritten.push({ batch, dueAt: notedAt + this.forMs, upTo: this.noted });
    return batch;
  }

  /** The meter has written the batches of these names. */
  wrote(names: ReadonlySet<string>): void {
    const written = this.unwritten.filter(({ batch }) => names.has(batch.id));
    this.unwritten = this.unwritten.filter((one) => !written.includes(one));
    this.written = Math.max(this.written, ...written.map(({ upTo }) => upTo));
  }
}

/** How long somebody who asks for a block, or tells, is waited for. */
const ASKING_MS = 5_000;
/** How long an outcome is kept from the board: others that end meanwhile are in its batch. */
const POST_MS = 2_000;
/** How long an invocation looks after what its isolate has to tell: what goes on after an answer has 30 seconds. */
const ATTENDED_MS = 28_000;
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
  private reach: Reach | undefined;

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
    reach: Reach,
    meter: string,
    ask: RepeatableAsk,
    forMs: number,
  ): Promise<TakenWithReceipt & { readonly isShared?: true }> {
    if (forMs <= 0 || !isShareable(ask)) {
      // Whoever asks for something wants to see what was done before.
      if (forMs > 0 && ask.creditsTotal === undefined) await this.tell(reach, meter);
      return reach.meters.getByName(meter).take(ask);
    }
    this.reach = reach;
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
    if (!isAlone) return { ...(await reach.meters.getByName(meter).take(ask)), isShared: true };
    book.askingUntil = now + ASKING_MS;
    book.ask = { ...ask, block: MAX_BLOCK_REQUESTS - 1 };
    try {
      const { block, ...taken } = await reach.meters.getByName(meter).take(book.ask);
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
    reach: Reach,
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
      return this.tellOf(reach, book, true);
    }
    if (book.isFull) await this.tellOf(reach, book);
    // What comes later has others who look after it. Waits are added up, as the clock may be set back meanwhile.
    let leftMs = ATTENDED_MS;
    while (book.written < mine && leftMs > 0) {
      const { dueAt } = book;
      if (dueAt === undefined) return;
      if (isDue(dueAt)) {
        await this.attend(reach, book);
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

  /** Tells a meter what is to be told of its data center, at once. @throws what the last call of the meter threw */
  async tell(reach: Reach, meter: string): Promise<void> {
    const books = [...this.books.values()].filter((book) => book.meter === meter && !book.isSettled);
    if (books.length > 0) await Promise.all(books.map((book) => this.tellOf(reach, book)));
    else await tellPosted(reach, meter);
  }

  /** Tells all meters, before the isolate ends. */
  async tellAll(): Promise<void> {
    const { reach } = this;
    if (!reach) return;
    const told = [...this.books.values()].map((book) => {
      book.drop();
      return this.tellOf(reach, book, true);
    });
    await Promise.allSettled(told);
  }

  /** Does what is due. */
  private async attend(reach: Reach, book: Book): Promise<void> {
    const { tellAt } = book;
    if (tellAt === undefined || isDue(tellAt)) return this.tellOf(reach, book);
    const batch = book.close(Date.now());
    const { batches, written } = await reach.board.read(book.meter);
    if (batches.length >= MAX_POSTED) return this.tellOf(reach, book);
    await reach.board.write(book.meter, { batches: [...batches, batch], written });
  }

  /**
   * Tells a meter what a key has done, and what lies on the board; nothing where somebody has told all of it.
   * @param isLast whether no block is handed out any more
   */
  private async tellOf(reach: Reach, book: Book, isLast = false): Promise<void> {
    const now = Date.now();
    if (!book.isEmpty) book.close(now);
    book.unwritten = book.unwritten.filter(({ batch }) => isRepeatable(batch, now));
    // Should this invocation end before the meter answers, others tell it.
    for (const one of book.unwritten) one.dueAt = now + ASKING_MS;
    const sheet = await reach.board.read(book.meter);
    book.wrote(new Set(sheet.written));
    const own = book.unwritten.map(({ batch }) => batch);
    const isAsking = own.length > 0 && !isLast && book.askingUntil <= now && book.isShort(now);
    const ask = isAsking && book.ask ? { ...book.ask, block: MAX_BLOCK_REQUESTS } : undefined;
    if (ask) book.askingUntil = now + ASKING_MS;
    try {
      if (own.length > 0) {
        const { told, names } = await toldWithOthers(reach, book.meter, sheet, own, ask);
        book.wrote(names);
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

/** Whether a batch may be told still: meters remember it for longer, whichever of two clocks is ahead. */
function isRepeatable({ at }: Posted, now: number): boolean {
  return Math.abs(now - at) <= REPEATED_MS;
}

/** Tells a meter what lies on the board. @throws what the last call of the meter threw */
async function tellPosted(reach: Reach, meter: string): Promise<void> {
  const sheet = await reach.board.read(meter);
  if (sheet.batches.length > 0) await toldWithOthers(reach, meter, sheet, []);
}

/**
 * Tells a meter some batches and those that lie on the board, and takes them down from there.
 * @returns the names of all
 * @throws what the last call of the meter threw
 */
async function toldWithOthers(
  { meters, board }: Reach,
  meter: string,
  { batches, written }: Sheet,
  own: readonly Posted[],
  ask?: RepeatableAsk,
): Promise<{ told: Told; names: ReadonlySet<string> }> {
  const [now, known] = [Date.now(), new Set([...own.map(({ id }) => id), ...written])];
  const others = batches.filter((batch) => !known.has(batch.id) && isRepeatable(batch, now));
  const all = [...own, ...others];
  const names = new Set(all.map(({ id }) => id));
  const told = await toldTo(meters, meter, { batches: all, ...(ask && { ask }) });
  if (batches.length > 0) {
    // Others may have posted meanwhile.
    const sheet = await board.read(meter);
    const left = sheet.batches.filter((batch) => !names.has(batch.id) && isRepeatable(batch, now));
    await board.write(meter, { batches: left, written: [...sheet.written, ...names] });
  }
  return { told, names };
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

/** Whether something is to be done now; so it is when the clock was set back since somebody said when. */
function isDue(dueAt: number): boolean {
  const now = Date.now();
  return now >= dueAt || dueAt - now > MAX_METER_BLOCK_SECONDS * 1_000 + LATE_CLOCK_MS;
}

/** A block that a request may be admitted from: one that the meter would have granted to it. */
function heldFor(book: Book, ask: RepeatableAsk, now: number): Held | undefined {
  const { held } = book;
  if (!held) return undefined;
  const isFresh = now < held.until && now >= held.from - LATE_CLOCK_MS;
  const isSame = held.ask.limit === ask.limit && held.ask.creditsTotal === ask.creditsTotal;
  const isBound = isSameBudget(held.ask.budget, ask.budget);
  if (held.left > 0 && isFresh && isSame && isBound && held.ask.failedMs === ask.failedMs) return held;
  if (held.left === 0 || !isFresh || !isSame || !isBound) book.drop();
  return undefined;
}

function isSameBudget(one: Budget | undefined, other: Budget | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Whether requests like this one may be admitted from a block: all that each of them is bound by is in the block. */
function isShareable({ account, creditsTotal, dailyLimit, hourly, isPart, receipt, use }: RepeatableAsk): boolean {
  const isBound = dailyLimit !== undefined || hourly || isPart === true || receipt !== undefined || use !== undefined;
  return account !== undefined && creditsTotal !== undefined && !isBound;
}

/** The blocks of this isolate. */
export const isolateBlocks = new Blocks();
