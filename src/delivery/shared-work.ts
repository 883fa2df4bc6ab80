/**
 * Work that several requests of an isolate wait for. The request that does it may be ended without a word: work of which
 * nothing was heard for a while is lost, and whoever waits for it does it anew.
 */
import { ApiError } from "../errors.ts";
import { type Lease, Leases, type LeasesOptions } from "../scheduler/leases.ts";

/** The silence after which work is lost. Longer than any stretch of work, in which no timer fires. */
const LOST_MS = 10_000;
/** How often whoever waits looks whether it is. */
const LOOK_MS = 500;

interface Entry<Result> {
  readonly work: Promise<Result>;
  readonly lease: Lease;
}

export class SharedWork<Result> {
  private readonly entries = new Map<string, Entry<Result>>();
  private readonly leases: Leases;

  constructor(options: Pick<LeasesOptions, "now" | "onEvent"> = {}) {
    this.leases = new Leases({ ...options, silentMs: LOST_MS });
  }

  /** Whether somebody is at work of this name. */
  has(name: string): boolean {
    return this.entryOf(name) !== undefined;
  }

  /**
   * The result of work of this name that somebody is at; undefined where nobody is, or not any more.
   * @throws what the work fails with; ApiError 503 when it takes longer than `maxMs`
   */
  async join(name: string, maxMs: number): Promise<Result | undefined> {
    const { promise: looked, resolve, reject } = Promise.withResolvers<undefined>();
    const entry = this.entryOf(name);
    if (!entry) return undefined;
    const timer = setTimeout(() => reject(new ApiError(503, "The result is still being made")), maxMs);
    const looking = setInterval(() => this.entryOf(name) !== entry && resolve(undefined), LOOK_MS);
    try {
      return await Promise.race([entry.work, looked]);
    } finally {
      clearTimeout(timer);
      clearInterval(looking);
    }
  }

  /** Does work that others may wait for, until it is over. */
  async begin(name: string, does: () => Promise<Result>): Promise<Result> {
    const lease = this.leases.join(1);
    const work = does();
    const entry = { work, lease };
    this.entries.set(name, entry);
    const over = () => {
      lease.leave();
      if (this.entries.get(name) === entry) this.entries.delete(name);
    };
    work.then(over, over);
    return work;
  }

  private entryOf(name: string): Entry<Result> | undefined {
    const living = new Set(this.leases.living());
    for (const [known, { lease }] of this.entries) if (!living.has(lease)) this.entries.delete(known);
    return this.entries.get(name);
  }
}
