/** Requests without a known key, counted by client address in this isolate, before anybody else is asked. */
import { RATE_WINDOW_SECONDS } from "../limits.ts";
import { MAX_COUNTED_ADDRESSES } from "../limits/accounts.ts";
import { Recent } from "../recent.ts";

interface Bucket {
  /** Requests that are free; below one, the next has to wait. */
  readonly left: number;
  /** When that was so, milliseconds since 1970. */
  readonly at: number;
}

/** As many requests at once as the window allows, and as many again in the time of a window. */
export class AnonymousClients {
  private readonly buckets: Recent<Bucket>;

  constructor(most = MAX_COUNTED_ADDRESSES) {
    this.buckets = new Recent(most);
  }

  /**
   * Takes a request of an address.
   * @param limit requests in a window
   * @returns 0, or the seconds until the next one is free, at least 1
   */
  take(address: string, limit: number, now: number): number {
    const perSecond = limit / RATE_WINDOW_SECONDS;
    const { left, at } = this.buckets.get(address) ?? { left: limit, at: now };
    const full = Math.min(limit, left + (Math.max(0, now - at) / 1000) * perSecond);
    const isFree = full >= 1;
    this.buckets.set(address, { left: isFree ? full - 1 : full, at: now });
    if (isFree) return 0;
    return Math.max(1, Math.ceil(Math.min(RATE_WINDOW_SECONDS, (1 - full) / perSecond)));
  }

  /** Requests of an address that are free, as it was when it was last counted. */
  leftOf(address: string, limit: number): number {
    return Math.max(0, Math.floor(this.buckets.get(address)?.left ?? limit));
  }

  /** The request turned out to be of somebody known. */
  giveBack(address: string): void {
    const bucket = this.buckets.get(address);
    if (bucket) this.buckets.set(address, { ...bucket, left: bucket.left + 1 });
  }
}
