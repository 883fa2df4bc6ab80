/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: work declares
 * its estimate before it starts, begins once the memory is free, and shares the thread with everything that has begun.
 * A request waits for its turn, and is refused only where the time that is declared before it is longer than it may
 * wait.
 *
 * Requests wait at two places. At the door they hold nothing: room for an original is taken before its bytes are read
 * (`scheduler/input-memory.ts`). In the queue for work they hold their original. Accounts take turns at both. Work
 * behind the first of the queue goes before it where both have room, and where originals alone keep the first waiting;
 * the first is passed so a bounded number of times, and after that originals that would stand in its way wait at the
 * door until it has begun. Where all who hold originals wait for each other the last in the queue is refused, and its
 * original goes.
 */
import { collectDropped } from "../../wasm/dropped.ts";
import type { Estimate } from "../../wasm/estimate.ts";
import { dropNative, nativeMemoryBytes } from "../../wasm/load.ts";
import { ApiError } from "../errors.ts";
import {
  CAREFUL_MS,
  CAREFUL_SHARE,
  COMPANY_BYTES,
  FILLED_BYTES,
  ISOLATE_BUDGET_BYTES,
  ISOLATE_BYTES,
  LITTLE_WORK_BYTES,
  SHARED_BYTES,
} from "../limits/isolate.ts";
import { Admission, type SharedBounds } from "./admission.ts";
import { type BudgetOptions, type BudgetSettings, settingsOf } from "./budget-options.ts";
import { busy } from "./busy.ts";
import { type Caller, OWN_ACCOUNT } from "./caller.ts";
import { GivenUp } from "./given-up.ts";
import { chargedGrowth, standingBack } from "./growth.ts";
import type { Asked, Memory, Reservation } from "./held-bytes.ts";
import { InputMemory } from "./input-memory.ts";
import { JobLimits, TooLong } from "./job-limits.ts";
import type { Lease } from "./leases.ts";
import { QueuedWork, remaining } from "./queued-work.ts";
import { type Asking, type Begun, type WorkSurroundings, RunningWork } from "./running-work.ts";
import { isolateThread, type Mark, type TimeSlice } from "./time-slice.ts";
import { countedWait, refusedAtOnce } from "./wait-counts.ts";
import { type Head, type Standing, WaitQueue } from "./wait-queue.ts";

/** What work may have, and takes with that. */
type Tier = Pick<Estimate, "bytes"> & Partial<Estimate>;

export class Budget implements Memory {
  private readonly work: RunningWork;
  private readonly originals: InputMemory;
  private readonly queue: WaitQueue;
  private readonly queued: QueuedWork;
  private readonly admission: Admission;
  private readonly settings: BudgetSettings;
  /** When work began to wait of which none runs. */
  private blockedAt: number | undefined;
  /** When work was last ended in its midst. */
  private endedAt = Number.NEGATIVE_INFINITY;

  constructor(totalBytes: number, options: BudgetOptions = {}) {
    this.settings = settingsOf(totalBytes, options);
    const { thread, originals, aloneBytes, now, pause, maxWaitMs, maxBlockedMs, maxPasses } = this.settings;
    const bounds = this.careful(this.settings);
    const givenUp = new GivenUp(this.settings);
    this.admission = new Admission({ ...this.settings, bounds, smallBytes: originals.smallBytes, givenUp });
    const onEvent = () => void thread.look();
    const surroundings: WorkSurroundings = {
      admission: this.admission,
      aloneBytes,
      bounds,
      now,
      originals: () => this.originals,
      isLate: () => this.blockedMs() * 2 >= maxBlockedMs,
      waiting: () => this.queue.length,
      othersWait: (account) => this.queue.hasOthersThan(account),
    };
    this.work = new RunningWork(surroundings, { now, onEvent });
    this.originals = new InputMemory(originals, {
      now,
      onEvent,
      pause,
      admits: (large) => this.admission.admitsOriginals(large, this.work.bytes),
      admitsAnother: (large) =>
        this.admission.admitsOriginals(large, Math.max(this.work.bytes, this.queue.head?.needs ?? 0)),
      holds: (bytes) => bytes + this.work.declaredBytes <= aloneBytes,
      isClosed: (bytes) => this.isClosed(bytes),
      isBlocked: () => this.isBlocked(),
      onHeld: () => this.work.trim(),
      onFreed: () => this.queue.call(),
      maxWaitMs,
      maxPasses,
    });
    this.queued = new QueuedWork({ now, onEvent });
    this.queue = new WaitQueue({ now, onEvent, everybody: true, pause });
    thread.onEnded(() => this.renew());
  }

  /** What is held at this moment. */
  get held(): { readonly work: number; readonly originals: number } {
    return { work: this.work.declaredBytes, originals: this.originals.sum };
  }

  /** How many wait for the memory of their work. */
  get waiting(): number {
    return this.queue.length;
  }

  /** How many wait at the door of originals. */
  get waitingAtDoor(): number {
    return this.originals.waiting;
  }

  /** Requests inside: originals that are held, and work that runs. */
  get places(): { readonly originals: number; readonly work: number } {
    return { originals: this.originals.count, work: this.work.count };
  }

  /** Milliseconds that the longest of all who wait has waited. */
  get longestWaitMs(): number {
    return Math.max(this.queue.longestMs, this.originals.longestMs);
  }

  /** Declared milliseconds of all work that is not over. */
  get queuedMs(): number {
    return this.queued.ms;
  }

  /** Declared milliseconds that pass before new work of an account has its turn. */
  waitOf(account: string): number {
    return this.queued.waitOf(account);
  }

  /**
   * Lets a request in that will bring work whose estimate nobody knows yet.
   * @throws ApiError 503 at once when the time that is declared before it is longer than it may wait
   */
  expect(caller: Caller): void {
    this.checkWait(caller);
    caller.assume(this.queued.expect(caller.account));
  }

  /** Remembers what the work of a request took, once it is over. */
  learn(caller: Caller, ms: number): void {
    caller.settle();
    this.queued.learn(caller.account, ms);
  }

  /**
   * Waits until there is room for an original of at most so many bytes, or for its first step. A small one finds room
   * in the share of small originals; a large one only beside the work that has begun, and not while work waits for
   * originals to go.
   */
  async take(bytes: number, asked: Asked = {}): Promise<Reservation> {
    return this.originals.take(bytes, asked);
  }

  /** The same at once or not at all. */
  tryTake(bytes: number): Reservation | undefined {
    return this.originals.tryTake(bytes);
  }

  /**
   * Counts a result from the end of its work until it is released: it takes the room of an original while a store,
   * however slow, is given it.
   */
  keep(bytes: number): Reservation {
    return this.originals.keep(bytes);
  }

  /** Those who wait come to see: some memory is free. */
  private call(): void {
    this.queue.call();
    this.originals.call();
  }

  /**
   * Whether work of this estimate could ever run.
   * @param original bytes of the original that it works on, which are held beside it
   */
  canHold({ bytes }: Pick<Estimate, "bytes">, original = 0): boolean {
    const { totalBytes, aloneBytes } = this.settings;
    return bytes <= totalBytes && bytes + original <= aloneBytes;
  }

  /**
   * Runs `work` once its memory is free and its turn has come; at once if it is a part of work that has its turn.
   * @param jobLimits of the job that it is a part of; absent: the service's own, without a bound
   * @throws ApiError 422 when it could never fit, or takes longer than the job may; 503 when more is declared before it
   *   than its request may wait, or when originals stay in its way; the reason of the signal of its job when that is
   *   aborted
   */
  run<Result>(
    estimate: Tier,
    work: (slice: TimeSlice) => Result | Promise<Result>,
    jobLimits?: JobLimits,
  ): Promise<Result> {
    return this.runIn([estimate], work, jobLimits);
  }

  /**
   * Runs `work` in one of several tiers, each smaller than the one before: the largest that is there without that others
   * have to wait, or else the smallest. It is told which one that is. A part of work that has its turn has the first.
   * @throws ApiError as `run`
   */
  async runIn<Result>(
    tiers: readonly [Tier, ...Tier[]],
    work: (slice: TimeSlice, tier: number) => Result | Promise<Result>,
    jobLimits = new JobLimits(),
  ): Promise<Result> {
    if (jobLimits.within) {
      this.work.trim();
      return work(jobLimits.within, 0);
    }
    const sizes = tiers.map(({ bytes }) => bytes);
    const [{ ms = 0 }] = tiers;
    const { totalBytes, now, grownBytes, thread } = this.settings;
    if (Math.min(...sizes) > totalBytes) throw tooLarge();
    if (!jobLimits.affords({ ms })) throw new TooLong();
    const { caller, hasBegun } = jobLimits;
    const { account } = caller;
    caller.settle();
    if (account !== OWN_ACCOUNT && !hasBegun) this.checkWait(caller);
    const asking: Asking = { sizes, ms, account, hindered: caller.hindered, since: now() };
    const first = this.queue.length === 0 ? this.begin(asking) : undefined;
    const load = this.queued.add(account, ms);
    const counted = jobLimits.count();
    let begun = first;
    try {
      begun ??= await this.turn(asking, jobLimits, hasBegun);
      const { tier, lease } = begun;
      this.work.trim();
      const left = remaining(load, ms, (leftMs) => this.work.tellLeft(lease, leftMs));
      const charged = chargedGrowth(lease, grownBytes, () => this.work.trim());
      return await thread.run(
        (slice) => work(left(counted.timeSlice(charged(slice))), tier),
        counted,
        standingBack(() => this.work.isTooMuch(lease), jobLimits.signal),
        () => ({ ...caller.about, ...this.markOf({ bytes: sizes[tier] ?? 0, ms }) }),
      );
    } finally {
      load.leave();
      if (begun) this.end(begun.lease);
    }
  }

  /** What an operator wants to know of work that was ended: what was expected of it, and what there was besides. */
  private markOf({ bytes, ms }: Required<Pick<Tier, "bytes" | "ms">>): Mark {
    const { work, originals } = this.held;
    return {
      estimate_bytes: bytes,
      estimate_ms: Math.round(ms),
      held_bytes: work + originals,
      native_bytes: nativeMemoryBytes(),
      jobs: this.work.count,
    };
  }

  /** What is shared, a fifth less for a while after work was ended in its midst. */
  private careful({ sharedBytes, filledBytes }: SharedBounds): SharedBounds {
    const share = () => (this.settings.now() - this.endedAt < CAREFUL_MS ? CAREFUL_SHARE : 1);
    return {
      get sharedBytes() {
        return sharedBytes * share();
      },
      get filledBytes() {
        return filledBytes * share();
      },
    };
  }

  private end(lease: Lease): void {
    this.work.end(lease);
    this.call();
  }

  /** @throws ApiError 503 when more is declared before work of this caller than it may still wait */
  private checkWait(caller: Caller): void {
    const waitMs = this.queued.waitOf(caller.account);
    if (waitMs > (caller.maxWaitMs ?? this.settings.maxWaitMs)) throw refusedAtOnce(waitMs);
  }

  private begin(asking: Asking, passing = false): Begun | undefined {
    const begun = this.work.begin(asking, passing);
    if (begun) this.blockedAt = undefined;
    return begun;
  }

  /** For how long originals alone have kept work waiting. */
  private blockedMs(): number {
    return this.blockedAt === undefined ? 0 : this.settings.now() - this.blockedAt;
  }

  private turn(asking: Asking, { caller, signal }: JobLimits, goesOn: boolean): Promise<Begun> {
    const { now } = this.settings;
    const waiting = { account: asking.account, signal, needs: asking.sizes.at(-1) ?? 0, goesOn };
    const begin = (standing: Standing) => this.beginAt(asking, standing);
    const orElse = (standing: Standing) => {
      this.refuseLast(standing);
      return this.admission.patience(asking.hindered, this.work.newcomer(asking));
    };
    return caller.waits(() => countedWait(() => this.queue.take(begin, orElse, waiting), now, "work"), now);
  }

  /** Begins work where it stands in the queue, if its turn has come or it keeps nobody waiting. */
  private beginAt(asking: Asking, { first, head }: Standing): Begun | undefined {
    if (first || (this.isBlocked() && this.mayPass(head))) return this.begin(asking);
    const passing = this.work.besideBytes + (asking.sizes.at(-1) ?? 0);
    const isLittle = this.admission.isLittle(passing);
    const fits = isLittle || this.admission.fitBoth(passing, head.needs, this.originals.largeSum);
    const { maxPassesOfLittle, maxPassesBeside } = this.settings;
    const mostPasses = isLittle && this.isKept(head) ? maxPassesOfLittle : maxPassesBeside;
    return fits && head.passes < mostPasses ? this.begin(asking, true) : undefined;
  }

  /** Whether the first in the queue waits for work to end that did not pass it: whoever passes it meanwhile costs it nothing. */
  private isKept({ needs }: Head): boolean {
    const { mainBytes } = this.work;
    return mainBytes > 0 && !this.admission.fitBoth(mainBytes, needs, this.originals.largeSum);
  }

  /**
   * Whether work may go before the first in the queue while nothing runs: a number of times, and always where originals
   * are in the way of the first, for those who hold them leave room behind.
   */
  private mayPass({ passes, needs }: Head): boolean {
    return passes < this.settings.maxPasses || !this.work.hasRoom(needs);
  }

  /** Whether originals, or memory that was given up, alone keep the work waiting. */
  private isBlocked(): boolean {
    return this.queue.length > 0 && this.work.declaredBytes === 0;
  }

  /** Whether the first in the queue was passed so often that originals which would stand in its way have to wait. */
  private isClosed(originalBytes: number): boolean {
    const { head } = this.queue;
    const { maxPasses, aloneBytes } = this.settings;
    return head !== undefined && head.passes >= maxPasses && head.needs + originalBytes > aloneBytes;
  }

  private refuseLast({ last }: Standing): void {
    const { now } = this.settings;
    this.blockedAt = this.isBlocked() ? (this.blockedAt ?? now()) : undefined;
    if (!last || this.blockedAt === undefined || now() - this.blockedAt < this.blockedFor()) return;
    // Its original has to go first, before the next is refused.
    this.blockedAt = now();
    throw busy();
  }

  /**
   * How long it is waited for originals to go: those that are read, or stored, will; those of work that waits will not.
   */
  private blockedFor(): number {
    const { maxWaitMs, maxBlockedMs } = this.settings;
    return this.originals.count > this.queue.length ? maxWaitMs : maxBlockedMs;
  }

  /** After work was ended in its midst: who lives is counted again, and comes again. */
  private renew(): void {
    this.endedAt = this.settings.now();
    for (const leases of [this.work, this.originals, this.queued]) leases.renew();
    this.blockedAt = undefined;
    this.queue.renew();
  }
}

/** The picture cannot be processed in the memory there is, whatever else is going on. */
export function tooLarge(): ApiError {
  return new ApiError(422, "The image is too large for this combination of operations and output format");
}

/** The budget of this isolate. */
export const isolateBudget = new Budget(ISOLATE_BUDGET_BYTES, {
  aloneBytes: ISOLATE_BYTES,
  sharedBytes: SHARED_BYTES,
  companyBytes: COMPANY_BYTES,
  filledBytes: FILLED_BYTES,
  littleWorkBytes: LITTLE_WORK_BYTES,
  collect: collectDropped,
});

// What work held in native modules that was ended in its midst is nobody's, and in no known state.
isolateThread.onEnded(() => dropNative());
