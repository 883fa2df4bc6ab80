/**
 * Whether work may begin beside what an isolate holds: originals, other work, and native memory that was given up and is not
 * collected yet. What begins beside other work waits for all of that to go. What is alone waits for it, too, where there is
 * not room for both, but not for long: the engine does not know that anybody waits, and may collect nothing until something
 * goes on.
 */
import { droppedNativeBytes } from "../../wasm/dropped.ts";
import { MAX_COLLECTION_MS } from "../limits.ts";

export interface AdmissionOptions {
  /** What work that is alone and all originals may hold together. */
  readonly aloneBytes: number;
  /** What several pieces of work and large originals may hold together. */
  readonly sharedBytes: number;
  /** What small originals may hold beside them. */
  readonly smallBytes: number;
  /** What work leaves of that where others are there, if it needs no more. */
  readonly companyBytes: number;
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  /** Bytes that were given up and are not collected yet; those of native modules, unless told. */
  readonly droppedBytes?: (() => number) | undefined;
}

/** What is held beside work that would begin. */
export interface HeldBeside {
  /** What other work holds; 0 where there is none. */
  readonly workBytes: number;
  readonly originals: Readonly<Record<"sum" | "largest" | "largeSum", number>>;
  /** Originals alone have kept work waiting for long. */
  readonly isLate: boolean;
}

export class Admission {
  private readonly options: AdmissionOptions;
  /** Since when nothing but memory that was given up has kept work waiting. */
  private hinderedAt: number | undefined;

  constructor(options: AdmissionOptions) {
    this.options = options;
  }

  /** Whether work of so many bytes may begin. */
  admits(bytes: number, { workBytes, originals, isLate }: HeldBeside): boolean {
    const { sharedBytes } = this.options;
    if (workBytes > 0) return bytes + workBytes + originals.largeSum + this.droppedBytes <= sharedBytes;
    const sum = bytes + originals.sum;
    const room = this.roomFor(sum, originals.sum - originals.largest, isLate);
    return sum <= room && (sum + this.droppedBytes <= room || this.hasWaited());
  }

  /**
   * Whether work may have so many bytes that needs fewer. They are out of what all may share, and where others are there
   * enough is left of that for another original.
   */
  spares(bytes: number, { workBytes, originals }: HeldBeside, othersWait: boolean): boolean {
    const { sharedBytes, companyBytes } = this.options;
    const isAlone = workBytes === 0 && !othersWait && originals.sum === originals.largest;
    const left = isAlone ? 0 : companyBytes;
    return bytes + workBytes + originals.largeSum + this.droppedBytes + left <= sharedBytes;
  }

  /** Whether large originals of so many bytes, all together, leave work its room. */
  admitsOriginals(largeBytes: number, workBytes: number): boolean {
    return largeBytes + workBytes + this.droppedBytes <= this.options.sharedBytes;
  }

  /** Nobody waits any more for memory that was given up: some work has begun, or none is there. */
  forget(): void {
    this.hinderedAt = undefined;
  }

  /**
   * What work that is alone may fill with all originals. More than several may share it fills beside one original, which may
   * be its own, and a few small ones; beside others only where it was blocked for long: theirs may wait for the same.
   */
  private roomFor(sum: number, otherOriginals: number, isLate: boolean): number {
    const { aloneBytes, sharedBytes, smallBytes } = this.options;
    const usual = Math.min(aloneBytes, sharedBytes + smallBytes);
    return sum <= usual || (otherOriginals > smallBytes && !isLate) ? usual : aloneBytes;
  }

  private get droppedBytes(): number {
    const { droppedBytes = droppedNativeBytes } = this.options;
    return droppedBytes();
  }

  private hasWaited(): boolean {
    const { now } = this.options;
    this.hinderedAt ??= now();
    return now() - this.hinderedAt >= MAX_COLLECTION_MS;
  }
}
