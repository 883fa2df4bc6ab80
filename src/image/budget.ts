/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: work declares its
 * price before it starts, begins once the memory is free, and shares the thread with everything that has begun. Accounts
 * take turns in the line for it, each with its work in the order in which it came, and none of them may fill it alone.
 * Memory for an original is set aside before its bytes are read, or it is refused.
 *
 * Nobody waits for somebody who waits: originals never wait, and the first work in line waits for work that has begun,
 * never for an original, whose own work may stand behind it in the line.
 */
import { trimNative } from "../../wasm/load.ts";
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import type { Memory, Reservation } from "../files.ts";
import {
  BUSY_RETRY_SECONDS,
  ISOLATE_BUDGET_BYTES,
  MAX_ACCOUNT_LOAD_MS,
  MAX_ACCOUNT_WAITING_JOBS,
  MAX_LOAD_MS,
  MAX_ORIGINALS_BYTES,
  MAX_WAITING_JOBS,
  MIN_IDLE_NATIVE_BYTES,
  SMALL_ORIGINAL_BYTES,
  SMALL_ORIGINALS_BYTES,
} from "../limits.ts";
import { Allowance, tooLong } from "./allowance.ts";
import { type Breath, isolateThread, type Thread } from "./breath.ts";
import { Line } from "./line.ts";
import { Load, type LoadShare } from "./load.ts";

/** The account of work that the service does for itself. */
const OWN_ACCOUNT = "";

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

const LOAD: LoadShare = {
  ms: MAX_LOAD_MS,
  accountMs: MAX_ACCOUNT_LOAD_MS,
  accountPlaces: MAX_ACCOUNT_WAITING_JOBS,
};

export class Budget implements Memory {
  private workBytes = 0;
  private originalBytes = 0;
  private readonly line = new Line();
  private readonly load: Load;
  private readonly totalBytes: number;
  private readonly maxWaiting: number;
  private readonly thread: Thread;
  private readonly originals: OriginalsShare;
  private readonly accountPlaces: number;

  constructor(
    totalBytes: number,
    maxWaiting: number,
    thread: Thread = isolateThread,
    originals = ORIGINALS,
    share = LOAD,
  ) {
    this.totalBytes = totalBytes;
    this.maxWaiting = maxWaiting;
    this.thread = thread;
    this.originals = originals;
    this.load = new Load(share);
    this.accountPlaces = share.accountPlaces;
  }

  /** What is held at this moment. */
  get held(): { readonly work: number; readonly originals: number } {
    return { work: this.workBytes, originals: this.originalBytes };
  }

  /**
   * Sets memory aside for an original of at most so many bytes. A small one finds room in the share of originals; a
   * large one only beside the work that has begun, too.
   */
  reserve(bytes: number): Reservation {
    let mine = 0;
    const grow = (to: number) => {
      if (to <= mine) return;
      const held = this.originalBytes - mine + to;
      if (!this.hasRoomFor(to, held)) throw busy();
      this.originalBytes = held;
      mine = to;
    };
    const shrink = (to: number) => {
      if (to >= mine) return;
      this.originalBytes -= mine - to;
      mine = to;
      this.startNext();
    };
    grow(bytes);
    return { grow, shrink, release: () => shrink(0) };
  }

  /** @param held what originals would hold with this one */
  private hasRoomFor(bytes: number, held: number): boolean {
    const { small, bytes: all, smallBytes } = this.originals;
    if (bytes <= small) return held <= all + smallBytes;
    return held <= all && held + this.workBytes <= this.totalBytes;
  }

  /** Whether work of this price could ever run. */
  canHold({ bytes }: Pick<Price, "bytes">): boolean {
    return bytes <= this.totalBytes;
  }

  /**
   * Runs `work` once its memory is free and its turn has come.
   * @param allowance of the job that it is a part of; absent: the service's own, without a bound
   * @throws ApiError 422 when it could never fit, takes longer than the job may, or much longer than its price says; 503
   *   when too much waits already, of its account or of all; the reason of the allowance's signal when that is aborted
   */
  async run<Result>(
    price: Pick<Price, "bytes"> & Partial<Price>,
    work: (breath: Breath) => Result | Promise<Result>,
    allowance = new Allowance(),
  ): Promise<Result> {
    const { bytes, ms = 0 } = price;
    if (bytes > this.totalBytes) throw tooLarge();
    if (!allowance.affords({ ms })) throw tooLong();
    const { account = OWN_ACCOUNT, hasBegun } = allowance;
    const isExempt = account === OWN_ACCOUNT || hasBegun;
    if (!isExempt && !this.load.hasRoomFor(account, ms)) throw busy();
    const waits = this.line.length > 0 || !this.mayStart(bytes);
    if (waits && !hasBegun && this.isLineFull(account)) throw busy();
    const counted = allowance.count({ ms });
    this.load.add(account, ms);
    try {
      if (waits) await this.turn(account, bytes);
      else this.workBytes += bytes;
      return await this.started(bytes, (breath) => work(counted.breath(breath)), counted);
    } finally {
      this.load.remove(account, ms);
    }
  }

  private async started<Result>(
    bytes: number,
    work: (breath: Breath) => Result | Promise<Result>,
    ending: Pick<AbortSignal, "throwIfAborted">,
  ): Promise<Result> {
    try {
      trimNative(Math.max(MIN_IDLE_NATIVE_BYTES, this.totalBytes - this.workBytes - this.originalBytes));
      return await this.thread.run(work, ending);
    } finally {
      this.workBytes -= bytes;
      this.startNext();
    }
  }

  /** Whether there is room beside everything held; alone, work starts whatever the originals hold. */
  private mayStart(bytes: number): boolean {
    return this.workBytes === 0 || this.workBytes + this.originalBytes + bytes <= this.totalBytes;
  }

  private isLineFull(account: string): boolean {
    if (this.line.length >= this.maxWaiting) return true;
    return account !== OWN_ACCOUNT && this.line.countOf(account) >= this.accountPlaces;
  }

  private turn(account: string, bytes: number): Promise<void> {
    return new Promise((start) => this.line.join({ account, bytes, start }));
  }

  private startNext(): void {
    for (let next = this.line.first; next && this.mayStart(next.bytes); next = this.line.first) {
      this.line.leave();
      this.workBytes += next.bytes;
      next.start();
    }
  }
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
export const isolateBudget = new Budget(ISOLATE_BUDGET_BYTES, MAX_WAITING_JOBS);
