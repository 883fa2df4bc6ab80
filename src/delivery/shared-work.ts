/**
 * Work that several requests of an isolate wait for. The request that does it may be ended without a word: work of which
 * nothing was heard for a while is lost, and whoever waits for it does it anew. Whoever waits looks by its own timers
 * (`scheduler/poll.ts`).
 */
import { ApiError } from "../errors.ts";
import { type Lease, Leases, type LeasesOptions } from "../scheduler/leases.ts";
import { pollUntil } from "../scheduler/poll.ts";

/** The silence after which work is lost. Longer than any stretch of work, in which no timer fires. */
const LOST_MS = 10_000;
/** How often whoever waits looks whether it is, or is over. */
const LOOK_MS = 8;

interface Entry<Result> {
  readonly lease: Lease;
  /** What the work came to, once it is over. */
  ending?: PromiseSettledResult<Result>;
}

export class SharedWork<Result> {
  private readonly entries = new Map<string, Entry<Result>>();
  private readonly leases: Leases;
  private readonly options: Pick<LeasesOptions, "now" | "onEvent">;

  constructor(options: Pick<LeasesOptions, "now" | "onEvent"> = {}) {
    this.options = options;
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
    const entry = this.entryOf(name);
    if (!entry) return undefined;
    const { onEvent } = this.options;
    let leftMs = maxMs;
    const everyMs = () => {
      leftMs -= LOOK_MS;
      return LOOK_MS;
    };
    const isOver = () => entry.ending !== undefined || leftMs <= 0 || this.entryOf(name) !== entry;
    await pollUntil(isOver, { everyMs, onEvent });
    if (entry.ending?.status === "fulfilled") return entry.ending.value;
    if (entry.ending) throw entry.ending.reason;
    if (this.entryOf(name) === entry) throw new ApiError(503, "The result is still being made");
    return undefined;
  }

  /** Does work that others may wait for, until it is over. */
  async begin(name: string, does: () => Promise<Result>): Promise<Result> {
    const entry: Entry<Result> = { lease: this.leases.join(1) };
    this.entries.set(name, entry);
    try {
      const value = await does();
      entry.ending = { status: "fulfilled", value };
      return value;
    } catch (reason) {
      entry.ending = { status: "rejected", reason };
      throw reason;
    } finally {
      entry.lease.leave();
      if (this.entries.get(name) === entry) this.entries.delete(name);
    }
  }

  private entryOf(name: string): Entry<Result> | undefined {
    const living = new Set(this.leases.living());
    for (const [known, { lease }] of this.entries) if (!living.has(lease)) this.entries.delete(known);
    return this.entries.get(name);
  }
}
