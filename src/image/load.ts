/** Milliseconds of work that was admitted and is not over, by account: what an isolate has before it. */
import { type Holder, Holders } from "./holders.ts";

/** The most that an isolate may have before it. */
export interface LoadShare {
  /** Milliseconds, of all accounts together. */
  readonly ms: number;
  /** Milliseconds, of one account. */
  readonly accountMs: number;
}

export class Load {
  private readonly holders: Holders;
  private readonly share: LoadShare;

  /**
   * @param now milliseconds, of any beginning
   * @param onEvent called at the beginning of events in which somebody is heard of
   */
  constructor(share: LoadShare, now: () => number, onEvent: () => void) {
    this.share = share;
    this.holders = new Holders(now, onEvent);
  }

  /** Whether there is room for work of an account. Where nothing is before it there always is. */
  hasRoomFor(account: string, ms: number): boolean {
    const isWithin = (before: number, most: number) => before === 0 || before + ms <= most;
    const { accountMs, ms: all } = this.share;
    return isWithin(this.holders.sumOf(account), accountMs) && isWithin(this.holders.sum, all);
  }

  /** Counts work until it is over. */
  add(account: string, ms: number): Holder {
    return this.holders.join(ms, account);
  }

  /** Nobody is counted who is not heard of again. */
  renew(): void {
    this.holders.renew();
  }
}
