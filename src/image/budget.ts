import { trimNative } from "../../wasm/load.ts";
/**
 * What jobs may hold in memory. An isolate has 128 MB for everything and serves many requests at once: heavy jobs take
 * turns, in the order in which they came; each declares its peak before it starts.
 */
import { ApiError } from "../errors.ts";
import { BUSY_RETRY_SECONDS, ISOLATE_BUDGET_BYTES, MAX_WAITING_JOBS, MIN_IDLE_NATIVE_BYTES } from "../limits.ts";

interface Waiting {
  readonly peakBytes: number;
  readonly start: () => void;
}

export class Budget {
  private heldBytes = 0;
  private readonly waiting: Waiting[] = [];
  private readonly totalBytes: number;
  private readonly maxWaiting: number;

  constructor(totalBytes: number, maxWaiting: number) {
    this.totalBytes = totalBytes;
    this.maxWaiting = maxWaiting;
  }

  /** Whether a job with this peak could ever run. */
  canHold(peakBytes: number): boolean {
    return peakBytes <= this.totalBytes;
  }

  /**
   * Runs `work` once `peakBytes` are free, first come first served.
   * @throws ApiError 422 when the job could never fit, 503 when too many wait already
   */
  async run<Result>(peakBytes: number, work: () => Result | Promise<Result>): Promise<Result> {
    if (peakBytes > this.totalBytes) throw tooLarge();
    if (this.waiting.length > 0 || this.heldBytes + peakBytes > this.totalBytes) await this.turn(peakBytes);
    else this.heldBytes += peakBytes;
    try {
      trimNative(Math.max(MIN_IDLE_NATIVE_BYTES, this.totalBytes - this.heldBytes));
      return await work();
    } finally {
      this.heldBytes -= peakBytes;
      this.startNext();
    }
  }

  private turn(peakBytes: number): Promise<void> {
    if (this.waiting.length >= this.maxWaiting) {
      const headers = { "Retry-After": String(BUSY_RETRY_SECONDS) };
      throw new ApiError(503, "No capacity right now, try again shortly", { headers });
    }
    return new Promise((start) => this.waiting.push({ peakBytes, start }));
  }

  private startNext(): void {
    for (
      let next = this.waiting[0];
      next && this.heldBytes + next.peakBytes <= this.totalBytes;
      next = this.waiting[0]
    ) {
      this.waiting.shift();
      this.heldBytes += next.peakBytes;
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
