/** What one key does in an isolate: the block of requests that it has, and what its meter is to be told of those that ended. */
import { BLOCK_HELD_SECONDS, MAX_BLOCK_REQUESTS, MAX_METER_BLOCK_SECONDS } from "../limits/accounts.ts";
import type { Posted } from "./board.ts";
import type { Budget } from "./budgets.ts";
import type { Batch, Outcome, RepeatableAsk, TakenWithReceipt } from "./metered.ts";

/** How long an outcome is kept from the board: others that end meanwhile are in its batch. */
const POST_MS = 2_000;
/** How far a request's clock, which stands still while it computes, may be behind that of another. */
const LATE_CLOCK_MS = 5_000;

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

export class Book {
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

  /** The block that a request may be admitted from: one that the meter would have granted to it. */
  heldFor(ask: RepeatableAsk, now: number): Held | undefined {
    const { held } = this;
    if (!held) return undefined;
    const isFresh = now < held.until && now >= held.from - LATE_CLOCK_MS;
    const isSame = held.ask.limit === ask.limit && held.ask.creditsTotal === ask.creditsTotal;
    const isBound = isSameBudget(held.ask.budget, ask.budget);
    if (held.left > 0 && isFresh && isSame && isBound && held.ask.failedMs === ask.failedMs) return held;
    if (held.left === 0 || !isFresh || !isSame || !isBound) this.drop();
    return undefined;
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

/** Whether something is to be done now; so it is when the clock was set back since somebody said when. */
export function isDue(dueAt: number): boolean {
  const now = Date.now();
  return now >= dueAt || dueAt - now > MAX_METER_BLOCK_SECONDS * 1_000 + LATE_CLOCK_MS;
}

function isSameBudget(one: Budget | undefined, other: Budget | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
