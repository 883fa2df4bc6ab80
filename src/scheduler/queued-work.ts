/**
 * Declared processor time that an isolate has before it: of work that runs, that waits, and that is expected of requests
 * whose estimate is not known yet. It says how long a newcomer would wait.
 */
import { Recent } from "../recent.ts";
import { type Lease, Leases, type LeasesOptions } from "./leases.ts";
import { observed, type TimeSlice } from "./time-slice.ts";

/** Accounts whose usual work is remembered. */
const MAX_ACCOUNTS = 1_000;
/** How much the latest request of an account says about its next one. */
const WEIGHT = 0.3;

export class QueuedWork {
  private readonly leases: Leases;
  /** Milliseconds that a request of an account usually declares. */
  private readonly usual = new Recent<number>(MAX_ACCOUNTS);

  constructor(options: LeasesOptions) {
    this.leases = new Leases(options);
  }

  /** Milliseconds of all work that is not over. */
  get ms(): number {
    return this.leases.sum;
  }

  /**
   * Milliseconds that pass before new work of an account has its turn, as declared. Accounts take turns: each other one
   * comes before it with as much as the account has itself, and with the piece that it has begun.
   */
  waitOf(account: string): number {
    const before = new Map<string, { sum: number; largest: number }>();
    for (const { owner, amount } of this.leases.living()) {
      const { sum, largest } = before.get(owner) ?? { sum: 0, largest: 0 };
      before.set(owner, { sum: sum + amount, largest: Math.max(largest, amount) });
    }
    const own = before.get(account)?.sum ?? 0;
    before.delete(account);
    return before.values().reduce((wait, { sum, largest }) => wait + Math.min(sum, own + largest), own);
  }

  /** Counts work until it is over. */
  add(account: string, ms: number): Lease {
    return this.leases.join(ms, account);
  }

  /** Counts work whose estimate is not known: as much as the account's requests usually take; nothing of a new one. */
  expect(account: string): Lease {
    return this.add(account, this.usual.get(account) ?? 0);
  }

  /** Remembers what a request of an account took. */
  learn(account: string, ms: number): void {
    const before = this.usual.get(account);
    this.usual.set(account, before === undefined ? ms : before + (ms - before) * WEIGHT);
  }

  /** Counts only those that are heard of again. */
  renew(): void {
    this.leases.renew();
  }
}

/**
 * Counts down the declared time of work while it declares what it has done.
 * @param tell is told what is left; less than nothing is what it has taken beyond its time
 */
export function remaining(load: Lease, ms: number, tell: (leftMs: number) => void): (slice: TimeSlice) => TimeSlice {
  let left = ms;
  return (slice) =>
    observed(slice, (spentMs) => {
      left -= spentMs;
      load.hold(Math.max(0, left));
      tell(left);
    });
}
