/**
 * Whether work may begin beside what an isolate holds: originals, other work, and native memory that was given up and is
 * not collected yet. Work waits for such memory only where there is not room for both. Work that is alone, and small work,
 * wait no longer than the engine mostly takes: it does not know that anybody waits, and may collect nothing until
 * something goes on.
 */
import { MAX_COLLECTION_MS } from "../limits/isolate.ts";
import type { BudgetSettings } from "./budget-options.ts";
import type { GivenUp } from "./given-up.ts";

/**
 * How often memory is looked after that was given up. The engine says that it has collected something outside of all
 * requests, where nobody can be woken.
 */
export const LOOK_MS = 50;

/** What may change from one moment to the next. */
export type SharedBounds = Pick<BudgetSettings, "filledBytes" | "sharedBytes">;

interface AdmissionOptions extends Pick<
  BudgetSettings,
  "aloneBytes" | "companyBytes" | "littleWorkBytes" | "now" | "smallWorkBytes"
> {
  readonly bounds: Pick<SharedBounds, "sharedBytes">;
  /** What small originals may hold beside them. */
  readonly smallBytes: number;
  /** Memory that was given up and is not collected yet. */
  readonly givenUp: GivenUp;
}

/** What is held beside work that would begin. */
export interface HeldBeside {
  /** What other work holds; 0 where there is none. */
  readonly workBytes: number;
  /** `wanted` is what somebody waits for at the door of originals. */
  readonly originals: Readonly<Record<"sum" | "largest" | "largeSum" | "wanted", number>>;
  /** Originals alone have kept work waiting for long. */
  readonly isLate: boolean;
}

/** Others, as work leaves room for them: somebody waits, somebody may come, or nobody comes before the work is over. */
type Company = "waits" | "may come" | "none";

/** Work that would begin, and since when nothing but memory that was given up keeps it waiting. */
export interface Hindered {
  since?: number | undefined;
}

/** Bytes of work that would begin, and for how long it has waited. */
export interface Newcomer {
  readonly bytes: number;
  readonly waitedMs: number;
}

/** What would be held, and what may be. */
interface Filled {
  readonly sum: number;
  readonly room: number;
}

/** The time for which little work waits, unless everything together is more than an isolate has. */
const LITTLE_WAIT_MS = 500;

export class Admission {
  private readonly options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.options = options;
  }

  /** Whether work may begin. */
  admits(newcomer: Newcomer, held: HeldBeside, hindered: Hindered): boolean {
    const { sum, room } = this.sumOf(newcomer, held);
    if (sum > room) {
      if (held.workBytes === 0) hindered.since = undefined;
      return false;
    }
    const { givenUp, now } = this.options;
    if (givenUp.fitsCollected(sum, room, held.workBytes > 0)) return true;
    hindered.since ??= now();
    return (held.workBytes === 0 || this.isSmall(newcomer.bytes)) && now() - hindered.since >= MAX_COLLECTION_MS;
  }

  /** Whether work has room beside what is held, but for memory that was given up. */
  hasRoom(newcomer: Newcomer, held: HeldBeside): boolean {
    const { sum, room } = this.sumOf(newcomer, held);
    return sum <= room;
  }

  /**
   * Milliseconds after which work may look again that waits for memory to be collected, or that others may keep waiting no
   * longer than that; false where it waits for them.
   */
  patience({ since }: Hindered, { bytes, waitedMs }: Newcomer): number | false {
    if (since !== undefined) return LOOK_MS;
    return this.isLittle(bytes) && waitedMs < LITTLE_WAIT_MS && LITTLE_WAIT_MS - waitedMs;
  }

  /** Whether work is little, and may go before others that wait for more than there is beside what runs. */
  isLittle(bytes: number): boolean {
    return bytes <= this.options.littleWorkBytes;
  }

  /** Whether two pieces of work would have room beside each other and large originals. */
  fitBoth(one: number, other: number, largeSum: number): boolean {
    return one + other + largeSum <= this.options.bounds.sharedBytes;
  }

  /**
   * Whether work may have so many bytes that needs fewer. They are out of what all may share, and where others are there
   * enough is left of that for another original; not by work that is short and for which they wait in any case.
   */
  spares(bytes: number, { workBytes, originals }: HeldBeside, company: Company): boolean {
    const { bounds, companyBytes, givenUp } = this.options;
    const isAlone = workBytes === 0 && company === "may come" && originals.sum === originals.largest;
    const left = isAlone || company === "none" ? 0 : companyBytes;
    return givenUp.fits(bytes + workBytes + originals.largeSum + left, bounds.sharedBytes);
  }

  /** Has memory collected that was given up beside work, where so much is in use that it would be more than all may share. */
  collectBeside(inUse: number): void {
    this.options.givenUp.fitsCollected(inUse, this.options.bounds.sharedBytes, true);
  }

  /** Whether large originals of so many bytes, all together, leave work its room. */
  admitsOriginals(largeBytes: number, workBytes: number): boolean {
    const { bounds, givenUp } = this.options;
    return givenUp.fitsCollected(largeBytes + workBytes, bounds.sharedBytes, workBytes > 0);
  }

  /** What everything together may fill, but for work that needs more and is alone. */
  get usualBytes(): number {
    const { aloneBytes, bounds, smallBytes } = this.options;
    return Math.min(aloneBytes, bounds.sharedBytes + smallBytes);
  }

  /**
   * What would be held with new work, and what may be. Beside others work that is little may have what small originals leave
   * of their part, and after a moment what work that is alone may: a file of some kilobytes does not wait for an animation.
   */
  private sumOf({ bytes, waitedMs }: Newcomer, { workBytes, originals, isLate }: HeldBeside): Filled {
    const {
      aloneBytes,
      bounds: { sharedBytes },
    } = this.options;
    const sum = bytes + originals.sum;
    if (workBytes > 0) {
      const shared = bytes + workBytes + originals.largeSum + originals.wanted;
      if (shared <= sharedBytes || !this.isLittle(bytes)) return { sum: shared, room: sharedBytes };
      return { sum: sum + workBytes, room: waitedMs < LITTLE_WAIT_MS ? this.usualBytes : aloneBytes };
    }
    return { sum, room: this.roomFor(sum, originals.sum - originals.largest, isLate) };
  }

  /**
   * What work that is alone may fill with all originals. More than several may share it fills beside one original, which may
   * be its own, and a few small ones; beside others only where it was blocked for long: theirs may wait for the same.
   */
  private roomFor(sum: number, otherOriginals: number, isLate: boolean): number {
    const { aloneBytes, smallBytes } = this.options;
    return sum <= this.usualBytes || (otherOriginals > smallBytes && !isLate) ? this.usualBytes : aloneBytes;
  }

  private isSmall(bytes: number): boolean {
    return bytes <= this.options.smallWorkBytes;
  }
}
