/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: work declares its
 * price before it starts, begins once the memory is free, in the order in which it came, and shares the thread with
 * everything that has begun. Memory for an original is set aside before its bytes are read, or it is refused.
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
  MAX_ORIGINALS_BYTES,
  MAX_WAITING_JOBS,
  MIN_IDLE_NATIVE_BYTES,
  SMALL_ORIGINAL_BYTES,
  SMALL_ORIGINALS_BYTES,
} from "../limits.ts";
import { type Breath, isolateThread, type Thread } from "./breath.ts";

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

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

export class Budget implements Memory {
  private workBytes = 0;
  private originalBytes = 0;
  private readonly waiting: Waiting[] = [];
  private readonly totalBytes: number;
  private readonly maxWaiting: number;
  private readonly thread: Thread;
  private readonly originals: OriginalsShare;

  constructor(totalBytes: number, maxWaiting: number, thread: Thread = isolateThread, originals = ORIGINALS) {
    this.totalBytes = totalBytes;
    this.maxWaiting = maxWaiting;
    this.thread = thread;
    this.originals = originals;
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
   * Runs `work` once its memory is free, first come first served.
   * @throws ApiError 422 when it could never fit, 503 when too many wait already; the signal's reason when it is aborted
   */
  async run<Result>(
    { bytes }: Pick<Price, "bytes">,
    work: (breath: Breath) => Result | Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (bytes > this.totalBytes) throw tooLarge();
    if (this.waiting.length > 0 || !this.mayStart(bytes)) await this.turn(bytes, signal);
    else this.workBytes += bytes;
    try {
      trimNative(Math.max(MIN_IDLE_NATIVE_BYTES, this.totalBytes - this.workBytes - this.originalBytes));
      return await this.thread.run(work, signal);
    } finally {
      this.workBytes -= bytes;
      this.startNext();
    }
  }

  /** Whether there is room beside everything held; alone, work starts whatever the originals hold. */
  private mayStart(bytes: number): boolean {
    return this.workBytes === 0 || this.workBytes + this.originalBytes + bytes <= this.totalBytes;
  }

  /** Who gives up while waiting leaves the line: an invocation that is over could not take its turn. */
  private turn(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.waiting.length >= this.maxWaiting) throw busy();
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { bytes, start: resolve };
    const leave = () => {
      const index = this.waiting.indexOf(place);
      if (index >= 0) this.waiting.splice(index, 1);
      reject(signal?.reason as Error);
      this.startNext();
    };
    this.waiting.push(place);
    signal?.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  private startNext(): void {
    for (let next = this.waiting[0]; next && this.mayStart(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
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
