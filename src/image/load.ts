/** Milliseconds of work that was admitted and is not over, by account: what an isolate has before it. */

/** The most that an isolate may have before it. */
export interface LoadShare {
  /** Milliseconds, of all accounts together. */
  readonly ms: number;
  /** Milliseconds, of one account. */
  readonly accountMs: number;
  /** Places in the line that one account may have. */
  readonly accountPlaces: number;
}

export class Load {
  private readonly byAccount = new Map<string, { pieces: number; ms: number }>();
  private readonly share: LoadShare;

  constructor(share: LoadShare) {
    this.share = share;
  }

  /** Whether there is room for work of an account. Where nothing is before it there always is. */
  hasRoomFor(account: string, ms: number): boolean {
    const own = this.byAccount.get(account)?.ms ?? 0;
    const all = this.byAccount.values().reduce((sum, load) => sum + load.ms, 0);
    const isWithin = (before: number, most: number) => before === 0 || before + ms <= most;
    return isWithin(own, this.share.accountMs) && isWithin(all, this.share.ms);
  }

  add(account: string, ms: number): void {
    const own = this.byAccount.get(account) ?? { pieces: 0, ms: 0 };
    this.byAccount.set(account, { pieces: own.pieces + 1, ms: own.ms + ms });
  }

  remove(account: string, ms: number): void {
    const own = this.byAccount.get(account);
    if (own && own.pieces > 1) this.byAccount.set(account, { pieces: own.pieces - 1, ms: own.ms - ms });
    else this.byAccount.delete(account);
  }
}
