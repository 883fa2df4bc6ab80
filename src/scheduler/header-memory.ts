/**
 * What is known of files whose work has not begun. Headers are read one at a time, in a stretch of their own, and most of
 * what they say are views of the file; but a profile may be unpacked, and stays while the job waits for its turn. Many small
 * files of large profiles would hold what no sum knows: so each is read when there is room for the most that one may leave
 * behind, and holds what it left until its bytes are released.
 */
import { MAX_HEADERS_BYTES, MAX_UNPACKED_PROFILE_BYTES, MAX_WAIT_MS } from "../limits/isolate.ts";
import { Caller } from "./caller.ts";
import type { Reservation } from "./held-bytes.ts";
import { Leases } from "./leases.ts";
import { type Standing, WaitQueue } from "./wait-queue.ts";

interface Options {
  /** What all of them may hold together. */
  readonly bytes: number;
  /** The most that one of them may. */
  readonly most: number;
  /** Milliseconds for which a request waits that says nothing else. */
  readonly maxWaitMs: number;
  /** Milliseconds, of any beginning. */
  readonly now?: () => number;
}

export class HeaderMemory {
  private readonly leases: Leases;
  private readonly queue: WaitQueue;
  private readonly options: Options;
  private readonly now: () => number;

  constructor(options: Options) {
    const { now = () => performance.now() } = options;
    this.options = options;
    this.now = now;
    this.leases = new Leases({ now });
    this.queue = new WaitQueue({ now, onEvent: () => undefined });
  }

  /** Bytes that are held. */
  get sum(): number {
    return this.leases.sum;
  }

  /**
   * Waits until headers may be read.
   * @returns room for the most that they may leave behind, to be shrunk to what they do
   * @throws ApiError 503 when there is none within the time that the caller may wait; the reason of its signal
   */
  async take(caller = new Caller()): Promise<Reservation> {
    if (!this.queue.head && this.hasRoom()) return this.reservation(caller);
    const { account, signal } = caller;
    const take = ({ first }: Standing) => (first && this.hasRoom() ? this.reservation(caller) : undefined);
    const leftMs = caller.patience(this.options.maxWaitMs, this.now);
    return caller.waits(() => this.queue.take(take, leftMs, { account, signal }), this.now);
  }

  private hasRoom(): boolean {
    return this.leases.sum + this.options.most <= this.options.bytes;
  }

  private reservation({ account }: Caller): Reservation {
    const lease = this.leases.join(this.options.most, account);
    const shrink = (to: number) => {
      if (to === 0) lease.leave();
      else lease.hold(Math.min(to, lease.amount));
      this.queue.call();
    };
    return { grow: () => undefined, shrink, release: () => shrink(0) };
  }
}

/** The isolate's own. */
export const isolateHeaders = new HeaderMemory({
  bytes: MAX_HEADERS_BYTES,
  most: MAX_UNPACKED_PROFILE_BYTES,
  maxWaitMs: MAX_WAIT_MS,
});
