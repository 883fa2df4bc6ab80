/**
 * The line in front of the budget. Accounts take turns, round by round; the work of one account keeps its order. Who
 * comes joins a round that has not begun, behind all that is in it: nobody gets before the first in line, and whoever
 * waits is passed by no more than one piece of work of each other account for each piece of its own that is before it.
 */

/** Work that waits. */
export interface Place {
  /** Whose work it is; work of the service itself has an account of its own. */
  readonly account: string;
  readonly bytes: number;
  readonly start: () => void;
}

export class Line {
  private readonly places: (Place & { readonly round: number })[] = [];
  /** The round of the work that started last. */
  private round = 0;

  get length(): number {
    return this.places.length;
  }

  /** Who starts next, and before whom nobody else does. */
  get first(): Place | undefined {
    return this.places[0];
  }

  /** Pieces of work of this account that wait. */
  countOf(account: string): number {
    return this.places.filter((place) => place.account === account).length;
  }

  join(place: Place): void {
    const last = this.places.findLast(({ account }) => account === place.account);
    const round = Math.max(this.round, last?.round ?? 0) + 1;
    const behind = this.places.findLastIndex((other) => other.round <= round);
    this.places.splice(behind + 1, 0, { ...place, round });
  }

  /** Takes out who is first. */
  leave(): void {
    const first = this.places.shift();
    if (first) this.round = first.round;
  }
}
