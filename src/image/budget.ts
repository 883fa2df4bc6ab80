/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: work declares its
 * price before it starts, begins once the memory is free, and shares the thread with everything that has begun. Accounts
 * take turns in the line for it, each with its work in the order in which it came, and none of them may fill it alone.
 * Memory for an original is set aside before its bytes are read, or it is refused.
 *
 * Nobody waits for somebody who waits: originals never wait. Work may wait for originals, and their own work stand behind
 * it in the line: it goes first if it fits. Who was passed so for too many times closes the door: no further original is
 * let in until it has begun, so that only those who are inside can pass it, and every one of them leaves room behind.
 * Where nothing can go the last in the line is refused, and its original goes.
 */
import { dropNative } from "../../wasm/load.ts";
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import type { Memory, Reservation } from "../files.ts";
import {
  COMPANY_BYTES,
  FILLED_BYTES,
  ISOLATE_BUDGET_BYTES,
  ISOLATE_BYTES,
  MAX_ACCOUNT_LOAD_MS,
  MAX_ACCOUNT_WAITING_JOBS,
  MAX_BLOCKED_MS,
  MAX_LOAD_MS,
  MAX_PASSES,
  MAX_WAITING_JOBS,
  SHARED_BYTES,
} from "../limits.ts";
import { count } from "../metrics.ts";
import { Admission } from "./admission.ts";
import { Allowance, tooLong } from "./allowance.ts";
import { type Breath, isolateThread, type Thread } from "./breath.ts";
import { busy } from "./busy.ts";
import { type Holder, Holders } from "./holders.ts";
import { Line, type Standing, type Waiting } from "./line.ts";
import { Load, type LoadShare } from "./load.ts";
import { NativeUse, trimming } from "./native-use.ts";
import { ORIGINALS, Originals, type OriginalsShare } from "./originals.ts";

/** The account of work that the service does for itself. */
const OWN_ACCOUNT = "";

const LOAD: LoadShare = {
  ms: MAX_LOAD_MS,
  accountMs: MAX_ACCOUNT_LOAD_MS,
};

export interface BudgetOptions {
  /** What work that is alone and all originals may hold together; as much as one piece of work, unless told. */
  readonly aloneBytes?: number;
  /** What several pieces of work and large originals may hold together; as much as one piece of work, unless told. */
  readonly sharedBytes?: number;
  /** What work leaves of that where others are there, if it needs no more; nothing, unless told. */
  readonly companyBytes?: number;
  /** What idle native memory may fill with what is in use and originals; as much as one piece of work, unless told. */
  readonly filledBytes?: number;
  readonly thread?: Thread;
  readonly originals?: OriginalsShare;
  readonly load?: LoadShare;
  /** Places in the line that one account may have. */
  readonly accountPlaces?: number;
  /** How long nothing runs, though somebody waits, until the last in the line is refused. */
  readonly maxBlockedMs?: number;
  /** How often somebody who waits may be passed before no further originals are let in. */
  readonly maxPasses?: number;
  /** Bytes that were given up and are not collected yet; those of native modules, unless told. */
  readonly droppedBytes?: () => number;
  /** Milliseconds, of any beginning. */
  readonly now?: () => number;
}

/** What work may have, and takes with that. */
type Room = Pick<Price, "bytes"> & Partial<Price>;

/** Work that has begun, and in which of the rooms that would do. */
interface Begun {
  readonly holder: Holder;
  readonly room: number;
}

export class Budget implements Memory {
  private readonly work: Holders;
  private readonly originals: Originals;
  private readonly line: Line;
  private readonly load: Load;
  private readonly admission: Admission;
  private readonly totalBytes: number;
  private readonly aloneBytes: number;
  private readonly filledBytes: number;
  private readonly native = new NativeUse<Holder>();
  private readonly maxWaiting: number;
  private readonly accountPlaces: number;
  private readonly maxBlockedMs: number;
  private readonly maxPasses: number;
  private readonly now: () => number;
  private readonly thread: Thread;
  /** When work began to wait of which none runs. */
  private blockedAt: number | undefined;

  constructor(totalBytes: number, maxWaiting: number, options: BudgetOptions = {}) {
    const { thread = isolateThread, originals = ORIGINALS, load = LOAD, aloneBytes = totalBytes } = options;
    const { now = () => performance.now() } = options;
    this.totalBytes = totalBytes;
    this.aloneBytes = aloneBytes;
    this.filledBytes = options.filledBytes ?? totalBytes;
    this.maxWaiting = maxWaiting;
    this.maxBlockedMs = options.maxBlockedMs ?? MAX_BLOCKED_MS;
    this.maxPasses = options.maxPasses ?? MAX_PASSES;
    this.now = now;
    this.thread = thread;
    this.accountPlaces = options.accountPlaces ?? MAX_ACCOUNT_WAITING_JOBS;
    const { sharedBytes = totalBytes, companyBytes = 0, droppedBytes } = options;
    const { smallBytes } = originals;
    this.admission = new Admission({ aloneBytes, sharedBytes, smallBytes, companyBytes, now, droppedBytes });
    const onEvent = () => void thread.look();
    this.work = new Holders(now, onEvent);
    this.originals = new Originals(originals, {
      now,
      onEvent,
      admits: (large) => this.admission.admitsOriginals(large, this.workBytes) && !this.isBlocked(),
      holds: (bytes) => bytes + this.work.sum <= this.aloneBytes,
      isClosed: () => this.line.mostPasses >= this.maxPasses,
      onHeld: () => this.trim(),
      onFreed: () => this.line.call(),
    });
    this.load = new Load(load, now, onEvent);
    this.line = new Line({ now, onEvent, everybody: true });
    thread.onEnded(() => this.renew());
  }

  /** What is held at this moment. */
  get held(): { readonly work: number; readonly originals: number } {
    return { work: this.work.sum, originals: this.originals.sum };
  }

  /** Those who wait for memory. */
  get waiting(): number {
    return this.line.length;
  }

  /**
   * Sets memory aside for an original of at most so many bytes. A small one finds room in the share of small originals; a
   * large one only beside the work that has begun, and not while work waits for originals to go. None does while somebody
   * who waits was passed too often.
   */
  reserve(bytes: number): Reservation {
    return this.originals.reserve(bytes);
  }

  /**
   * Counts a result from the end of its work until it is released: it takes the room of an original while a store, however
   * slow, is given it.
   */
  keep(bytes: number): Reservation {
    return this.originals.keep(bytes);
  }

  /**
   * Whether work of this price could ever run.
   * @param original bytes of the original that it works on, which are held beside it
   */
  canHold({ bytes }: Pick<Price, "bytes">, original = 0): boolean {
    return bytes <= this.totalBytes && bytes + original <= this.aloneBytes;
  }

  /**
   * Runs `work` once its memory is free and its turn has come; at once if it is a part of work that has its turn.
   * @param allowance of the job that it is a part of; absent: the service's own, without a bound
   * @throws ApiError 422 when it could never fit, or takes longer than the job may; 503 when too much waits already, of its
   *   account or of all, when originals stay in its way, or when other work was ended in its midst and took with it what
   *   this one had; the reason of the allowance's signal when that is aborted
   */
  run<Result>(price: Room, work: (breath: Breath) => Result | Promise<Result>, allowance?: Allowance): Promise<Result> {
    return this.runIn([price], work, allowance);
  }

  /**
   * Runs `work` in one of several rooms, each smaller than the one before: the largest that is there without that others
   * have to wait, or else the smallest. It is told which one that is. A part of work that has its turn has the first.
   * @throws ApiError as `run`
   */
  async runIn<Result>(
    rooms: readonly [Room, ...Room[]],
    work: (breath: Breath, room: number) => Result | Promise<Result>,
    allowance = new Allowance(),
  ): Promise<Result> {
    if (allowance.within) {
      this.trim();
      return work(allowance.within, 0);
    }
    const sizes = rooms.map(({ bytes }) => bytes);
    const [{ ms = 0 }] = rooms;
    if (Math.min(...sizes) > this.totalBytes) throw tooLarge();
    if (!allowance.affords({ ms })) throw tooLong();
    const { account = OWN_ACCOUNT, hasBegun, signal } = allowance;
    const isExempt = account === OWN_ACCOUNT || hasBegun;
    if (!isExempt && !this.load.hasRoomFor(account, ms)) throw busy();
    if (this.line.length === 0) this.admission.forget();
    const first = this.line.length === 0 ? this.begin(sizes, false) : undefined;
    if (!first && !hasBegun && this.isLineFull(account)) throw busy();
    const load = this.load.add(account, ms);
    const counted = allowance.count();
    let begun = first;
    try {
      begun ??= await this.turn(sizes, { account, signal });
      const { room } = begun;
      this.trim();
      const trim = () => this.trim();
      return await this.thread.run((breath) => work(counted.breath(trimming(breath, trim)), room), counted);
    } finally {
      load.leave();
      begun?.holder.leave();
      if (begun) this.native.end(begun.holder);
      this.line.call();
    }
  }

  /** Idle native memory gives way to what is in use, not to what was declared: most work comes for it. */
  private trim(): void {
    this.native.trim(this.filledBytes - this.native.bytes - this.originals.sum);
  }

  /** What work holds: what it declared, or what the native modules have that it uses. */
  private get workBytes(): number {
    return Math.max(this.work.sum, this.native.bytes);
  }

  private isLineFull(account: string): boolean {
    if (this.line.length >= this.maxWaiting) return true;
    return account !== OWN_ACCOUNT && this.line.countOf(account) >= this.accountPlaces;
  }

  private begin(sizes: readonly number[], othersWait: boolean): Begun | undefined {
    const room = this.roomAmong(sizes, othersWait);
    if (room === undefined) return undefined;
    this.blockedAt = undefined;
    this.admission.forget();
    const holder = this.work.join(sizes[room] ?? 0);
    this.native.begin(holder);
    return { holder, room };
  }

  /** The first of several sizes for which there is room beside everything held; undefined where there is none for any. */
  private roomAmong(sizes: readonly number[], othersWait: boolean): number | undefined {
    const workBytes = this.work.sum > 0 ? this.workBytes : 0;
    const isLate = this.blockedMs() * 2 >= this.maxBlockedMs;
    const held = { workBytes, originals: this.originals, isLate };
    const least = sizes.length - 1;
    const spared = sizes.findIndex((bytes, index) => index < least && this.admission.spares(bytes, held, othersWait));
    if (spared >= 0) return spared;
    return this.admission.admits(sizes[least] ?? 0, held) ? least : undefined;
  }

  /** For how long originals alone have kept work waiting. */
  private blockedMs(): number {
    return this.blockedAt === undefined ? 0 : this.now() - this.blockedAt;
  }

  private async turn(sizes: readonly number[], who: Waiting): Promise<Begun> {
    const since = this.now();
    let begun: Begun | undefined;
    try {
      await this.line.wait((standing) => {
        if (standing.first || this.isBlocked()) begun = this.begin(sizes, this.line.length > 1);
        if (!begun) this.refuseLast(standing);
        return begun !== undefined;
      }, who);
    } finally {
      count("budget_waits_total", { outcome: begun ? "begun" : "refused" });
      count("budget_wait_seconds_total", {}, (this.now() - since) / 1000);
    }
    if (!begun) throw new Error("the line ended without a turn");
    return begun;
  }

  /** Whether originals alone keep the work waiting. */
  private isBlocked(): boolean {
    return this.line.length > 0 && this.work.sum === 0;
  }

  private refuseLast({ last }: Standing): void {
    if (!this.isBlocked()) this.blockedAt = undefined;
    else if (this.now() - (this.blockedAt ??= this.now()) >= this.maxBlockedMs && last) {
      // Its original has to go first, before the next is refused.
      this.blockedAt = this.now();
      throw busy();
    }
  }

  /** After work was ended in its midst: who lives is counted again, and comes again. */
  private renew(): void {
    for (const holders of [this.work, this.originals, this.load]) holders.renew();
    this.native.forget();
    this.blockedAt = undefined;
    this.line.renew();
  }
}

/** The picture cannot be processed in the memory there is, whatever else is going on. */
export function tooLarge(): ApiError {
  return new ApiError(422, "The image is too large for this combination of operations and output format");
}

/** The budget of this isolate. */
export const isolateBudget = new Budget(ISOLATE_BUDGET_BYTES, MAX_WAITING_JOBS, {
  aloneBytes: ISOLATE_BYTES,
  sharedBytes: SHARED_BYTES,
  companyBytes: COMPANY_BYTES,
  filledBytes: FILLED_BYTES,
});

// What work held in native modules that was ended in its midst is nobody's, and in no known state.
isolateThread.onEnded(dropNative);
