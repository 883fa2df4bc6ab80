/** Memory that is set aside for originals before their bytes are read. */
import type { Reservation } from "../files.ts";
import { MAX_ORIGINALS_BYTES, SMALL_ORIGINAL_BYTES, SMALL_ORIGINALS_BYTES } from "../limits.ts";
import { busy } from "./busy.ts";
import { type Holder, Holders } from "./holders.ts";

/** What originals may hold. */
export interface OriginalsShare {
  /** All of them together, but for those that are small. */
  readonly bytes: number;
  /** An original of at most so many bytes is small. */
  readonly small: number;
  /** What small ones may hold besides. */
  readonly smallBytes: number;
}

/** What they may hold in an isolate. */
export const ORIGINALS: OriginalsShare = {
  bytes: MAX_ORIGINALS_BYTES,
  small: SMALL_ORIGINAL_BYTES,
  smallBytes: SMALL_ORIGINALS_BYTES,
};

/** What originals are beside. */
interface Surroundings {
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  /** Called at the beginning of events in which somebody is heard of. */
  readonly onEvent: () => void;
  /** Whether so many bytes of large originals leave what else there is its room. */
  readonly admits: (largeBytes: number) => boolean;
  /** Whether so many bytes of all originals fit beside the work that has begun. */
  readonly holds: (bytes: number) => boolean;
  /** Whether no further original is let in, of whatever size: somebody has waited for those there are for too long. */
  readonly isClosed: () => boolean;
  /** More is held than before. */
  readonly onHeld: () => void;
  /** Some memory is free again. */
  readonly onFreed: () => void;
}

export class Originals {
  /** Those that are large, or that found no room among the small ones. */
  private readonly large: Holders;
  private readonly small: Holders;
  private readonly share: OriginalsShare;
  private readonly surroundings: Surroundings;

  constructor(share: OriginalsShare, surroundings: Surroundings) {
    const { now, onEvent } = surroundings;
    this.large = new Holders(now, onEvent);
    this.small = new Holders(now, onEvent);
    this.share = share;
    this.surroundings = surroundings;
  }

  /** Bytes that all of them hold. */
  get sum(): number {
    return this.large.sum + this.small.sum;
  }

  /** Bytes of the largest. */
  get largest(): number {
    return Math.max(this.large.largest, this.small.largest);
  }

  /** Bytes that they hold outside the share of small ones. */
  get largeSum(): number {
    return this.large.sum;
  }

  /**
   * Sets memory aside for an original of at most so many bytes. A small one finds room in the share of small originals; a
   * large one only beside the work that has begun, and not while work waits for originals to go. What begins with nothing,
   * and grows, is what a job that has begun makes.
   */
  reserve(bytes: number): Reservation {
    const { isClosed, holds } = this.surroundings;
    if (bytes > 0 && (isClosed() || !holds(this.sum + bytes))) throw busy();
    let { holders, mine } = this.place(bytes);
    const grow = (to: number) => {
      if (to <= mine.amount) return;
      const { amount: before } = mine;
      mine.leave();
      try {
        ({ holders, mine } = this.place(to));
      } catch (error) {
        mine = holders.join(before);
        throw error;
      }
    };
    const shrink = (to: number) => {
      if (to >= mine.amount) return;
      if (to === 0) mine.leave();
      mine.hold(to);
      this.surroundings.onFreed();
    };
    return { grow, shrink, release: () => shrink(0) };
  }

  /** Counts bytes that are there already, a part of what work was admitted for: they are never refused. */
  keep(bytes: number): Reservation {
    const mine = this.large.join(bytes);
    this.surroundings.onHeld();
    const release = () => {
      mine.leave();
      mine.hold(0);
      this.surroundings.onFreed();
    };
    const shrink = (to: number) => (to === 0 ? release() : mine.hold(Math.min(to, mine.amount)));
    return { grow: (to) => mine.hold(Math.max(to, mine.amount)), shrink, release };
  }

  private place(bytes: number): { readonly holders: Holders; readonly mine: Holder } {
    const { bytes: all, small, smallBytes } = this.share;
    const isSmall = bytes <= small && this.small.sum + bytes <= smallBytes;
    const held = this.large.sum + bytes;
    if (!isSmall && (held > all || !this.surroundings.admits(held))) throw busy();
    const holders = isSmall ? this.small : this.large;
    const mine = holders.join(bytes);
    this.surroundings.onHeld();
    return { holders, mine };
  }

  /** Nobody is counted who is not heard of again. */
  renew(): void {
    this.large.renew();
    this.small.renew();
  }
}
