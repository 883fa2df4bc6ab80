/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: work declares its
 * price before it starts, begins once the memory is free, in the order in which it came, and shares the thread with
 * everything that has begun.
 */
import { trimNative } from "../../wasm/load.ts";
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import { BUSY_RETRY_SECONDS, ISOLATE_BUDGET_BYTES, MAX_WAITING_JOBS, MIN_IDLE_NATIVE_BYTES } from "../limits.ts";
import { type Breath, isolateThread, type Thread } from "./breath.ts";

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

export class Budget {
  private heldBytes = 0;
  private readonly waiting: Waiting[] = [];
  private readonly totalBytes: number;
  private readonly maxWaiting: number;
  private readonly thread: Thread;

  constructor(totalBytes: number, maxWaiting: number, thread: Thread = isolateThread) {
    this.totalBytes = totalBytes;
    this.maxWaiting = maxWaiting;
    this.thread = thread;
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
    if (this.waiting.length > 0 || this.heldBytes + bytes > this.totalBytes) await this.turn(bytes);
    else this.heldBytes += bytes;
    try {
      trimNative(Math.max(MIN_IDLE_NATIVE_BYTES, this.totalBytes - this.heldBytes));
      return await this.thread.run(work, signal);
    } finally {
      this.heldBytes -= bytes;
      this.startNext();
    }
  }

  private turn(bytes: number): Promise<void> {
    if (this.waiting.length >= this.maxWaiting) {
      const headers = { "Retry-After": String(BUSY_RETRY_SECONDS) };
      throw new ApiError(503, "No capacity right now, try again shortly", { headers });
    }
    return new Promise((start) => this.waiting.push({ bytes, start }));
  }

  private startNext(): void {
    for (let next = this.waiting[0]; next && this.heldBytes + next.bytes <= this.totalBytes; next = this.waiting[0]) {
      this.waiting.shift();
      this.heldBytes += next.bytes;
      next.start();
    }
  }
}

/** The picture cannot be processed in the memory there is, whatever else is going on. */
export function tooLarge(): ApiError {
  return new ApiError(422, "The image is too large for this combination of operations and output format");
}

/** The budget of this isolate. */
export const isolateBudget = new Budget(ISOLATE_BUDGET_BYTES, MAX_WAITING_JOBS);
