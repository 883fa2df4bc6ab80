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
import { MAX_BLOCK_REQUESTS } from "../limits/accounts.ts";
import { MAX_POSTED } from "./board.ts";
import { Book, isDue } from "./book.ts";
import type { Batch, Outcome, RepeatableAsk, TakenWithReceipt } from "./metered.ts";
import { isRepeatable, type Reach, tellPosted, toldWithOthers } from "./telling.ts";

/** How long somebody who asks for a block, or tells, is waited for. */
const ASKING_MS = 5_000;
/** How long an invocation looks after what its isolate has to tell: what goes on after an answer has 30 seconds. */
const ATTENDED_MS = 28_000;
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
    const held = book.heldFor(ask, now);
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

/** Whether requests like this one may be admitted from a block: all that each of them is bound by is in the block. */
function isShareable({ account, creditsTotal, dailyLimit, hourly, isPart, receipt, use }: RepeatableAsk): boolean {
  const isBound = dailyLimit !== undefined || hourly || isPart === true || receipt !== undefined || use !== undefined;
  return account !== undefined && creditsTotal !== undefined && !isBound;
}

/** The blocks of this isolate. */
export const isolateBlocks = new Blocks();
