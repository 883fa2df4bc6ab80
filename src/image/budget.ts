/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: work declares its
 * price before it starts, begins once the memory is free, in the order in which it came, and shares the thread with
 * everything that has begun. Memory for an original is set aside before its bytes are read, or it is refused.
 *
 * Nobody waits for somebody who waits: originals never wait. Work may wait for originals, and their own work stand behind
 * it in the line: it goes first if it fits. Where nothing can go the last in the line is refused, and its original goes.
 */
import { droppedNativeBytes, dropNative, trimNative } from "../../wasm/load.ts";
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import type { Memory, Reservation } from "../files.ts";
import {
  BUSY_RETRY_SECONDS,
  ISOLATE_BUDGET_BYTES,
  ISOLATE_BYTES,
  MAX_BLOCKED_MS,
  MAX_ORIGINALS_BYTES,
  MAX_WAITING_JOBS,
  SMALL_ORIGINAL_BYTES,
  SMALL_ORIGINALS_BYTES,
} from "../limits.ts";
import { count } from "../metrics.ts";
import { type Breath, isolateThread, type Thread } from "./breath.ts";
import { type Holder, Holders } from "./holders.ts";
import { Line, type Standing } from "./line.ts";

/** What originals may hold. */
export interface OriginalsShare {
  /** All of them together, but for those that are small. */
  readonly bytes: number;
  /** An original of at most so many bytes is small. */
  readonly small: number;
  /** What small ones may hold besides. */
  readonly smallBytes: number;
}

const ORIGINALS: OriginalsShare = {
  bytes: MAX_ORIGINALS_BYTES,
  small: SMALL_ORIGINAL_BYTES,
  smallBytes: SMALL_ORIGINALS_BYTES,
};

export interface BudgetOptions {
  /** What work that is alone and all originals may hold together; as much as other work, unless told. */
  readonly aloneBytes?: number;
  readonly thread?: Thread;
  readonly originals?: OriginalsShare;
  /** How long nothing runs, though somebody waits, until the last in the line is refused. */
  readonly maxBlockedMs?: number;
}

export class Budget implements Memory {
  private readonly work: Holders;
  /** Originals that are large, or that found no room among the small ones. */
  private readonly large: Holders;
  private readonly small: Holders;
  private readonly line: Line;
  private readonly totalBytes: number;
  private readonly aloneBytes: number;
  private readonly maxWaiting: number;
  private readonly maxBlockedMs: number;
  private readonly thread: Thread;
  private readonly share: OriginalsShare;
  /** When work began to wait of which none runs. */
  private blockedAt: number | undefined;

  constructor(totalBytes: number, maxWaiting: number, options: BudgetOptions = {}) {
    const { thread = isolateThread, originals = ORIGINALS, aloneBytes = totalBytes } = options;
    this.totalBytes = totalBytes;
    this.aloneBytes = aloneBytes;
    this.maxWaiting = maxWaiting;
    this.maxBlockedMs = options.maxBlockedMs ?? MAX_BLOCKED_MS;
    this.thread = thread;
    this.share = originals;
    const onEvent = () => void thread.look();
    [this.work, this.large, this.small] = [1, 2, 3].map(() => new Holders(now, onEvent)) as [Holders, Holders, Holders];
    this.line = new Line({ now, onEvent, everybody: true });
    thread.onEnded(() => this.renew());
  }

  /** What is held at this moment. */
  get held(): { readonly work: number; readonly originals: number } {
    return { work: this.work.bytes, originals: this.large.bytes + this.small.bytes };
  }

  /** Those who wait for memory. */
  get waiting(): number {
    return this.line.length;
  }

  /**
   * Sets memory aside for an original of at most so many bytes. A small one finds room in the share of small originals; a
   * large one only beside the work that has begun, and not while work waits for originals to go.
   */
  reserve(bytes: number): Reservation {
    let mine: Holder = this.place(bytes);
    const grow = (to: number) => {
      if (to <= mine.bytes) return;
      const { bytes: before } = mine;
      mine.leave();
      try {
        mine = this.place(to);
      } catch (error) {
        mine = (before <= this.share.small ? this.small : this.large).join(before);
        throw error;
      }
    };
    const shrink = (to: number) => {
      if (to >= mine.bytes) return;
      if (to === 0) mine.leave();
      mine.hold(to);
      this.line.call();
    };
    return { grow, shrink, release: () => shrink(0) };
  }

  private place(bytes: number): Holder {
    const { bytes: all, small, smallBytes } = this.share;
    if (bytes <= small && this.small.bytes + bytes <= smallBytes) return this.small.join(bytes);
    const held = this.large.bytes + bytes;
    if (held > all || held + this.work.bytes > this.totalBytes || this.isBlocked()) throw busy();
    return this.large.join(bytes);
  }

  /**
   * Whether work of this price could ever run.
   * @param original bytes of the original that it works on, which are held beside it
   */
  canHold({ bytes }: Pick<Price, "bytes">, original = 0): boolean {
    return bytes <= this.totalBytes && bytes + original <= this.aloneBytes;
  }

  /**
   * Runs `work` once its memory is free, first come first served.
   * @throws ApiError 422 when it could never fit, 503 when too many wait already or originals stay in its way, or when
   *   other work was ended in its midst and took with it what this one had; the signal's reason when it is aborted
   */
  async run<Result>(
    { bytes }: Pick<Price, "bytes">,
    work: (breath: Breath) => Result | Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (bytes > this.totalBytes) throw tooLarge();
    const holder = (this.line.length === 0 && this.begin(bytes)) || (await this.turn(bytes, signal));
    try {
      trimNative(Math.max(0, this.aloneBytes - this.work.bytes - this.held.originals));
      return await this.thread.run(work, signal);
    } finally {
      holder.leave();
      this.line.call();
    }
  }

  private begin(bytes: number): Holder | undefined {
    if (!this.mayBegin(bytes)) return undefined;
    this.blockedAt = undefined;
    return this.work.join(bytes);
  }

  /** Whether there is room beside everything held. What waits to be collected is in nobody's way who is alone. */
  private mayBegin(bytes: number): boolean {
    const { work, originals } = this.held;
    if (work === 0) return bytes + originals <= this.aloneBytes;
    return work + this.large.bytes + droppedNativeBytes() + bytes <= this.totalBytes;
  }

  private async turn(bytes: number, signal: AbortSignal | undefined): Promise<Holder> {
    if (this.line.length >= this.maxWaiting) throw busy();
    const since = now();
    let holder: Holder | undefined;
    try {
      await this.line.wait((standing) => {
        if (standing.first || this.isBlocked()) holder = this.begin(bytes);
        if (!holder) this.refuseLast(standing);
        return holder !== undefined;
      }, signal);
    } finally {
      count("budget_waits_total", { outcome: holder ? "begun" : "refused" });
      count("budget_wait_seconds_total", {}, (now() - since) / 1000);
    }
    if (!holder) throw new Error("the line ended without a turn");
    return holder;
  }

  /** Whether originals alone keep the work waiting. */
  private isBlocked(): boolean {
    return this.line.length > 0 && this.work.bytes === 0;
  }

  private refuseLast({ last }: Standing): void {
    if (!this.isBlocked()) this.blockedAt = undefined;
    else if (now() - (this.blockedAt ??= now()) >= this.maxBlockedMs && last) {
      // Its original has to go first, before the next is refused.
      this.blockedAt = now();
      throw busy();
    }
  }

  /** After work was ended in its midst: who lives is counted again, and comes again. */
  private renew(): void {
    for (const holders of [this.work, this.large, this.small]) holders.renew();
    this.blockedAt = undefined;
    this.line.renew();
  }
}

function now(): number {
  return performance.now();
}

function busy(): ApiError {
  const headers = { "Retry-After": String(BUSY_RETRY_SECONDS) };
  return new ApiError(503, "No capacity right now, try again shortly", { headers });
}

/** The picture cannot be processed in the memory there is, whatever else is going on. */
export function tooLarge(): ApiError {
  return new ApiError(422, "The image is too large for this combination of operations and output format");
}

/** The budget of this isolate. */
export const isolateBudget = new Budget(ISOLATE_BUDGET_BYTES, MAX_WAITING_JOBS, { aloneBytes: ISOLATE_BYTES });

// What work held in native modules that was ended in its midst is nobody's, and in no known state.
isolateThread.onEnded(dropNative);
