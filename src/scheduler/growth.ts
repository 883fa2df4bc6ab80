/**
 * Work that comes to hold more than it declared. Declarations are those of usual pictures; what native memory grows by
 * beyond them is charged at the pause after it has grown, so that nobody else begins in its place. Where several have
 * grown so far that everything together is more than an isolate has, those that began later stand back.
 */
import { LOOK_MS } from "./admission.ts";
import type { Lease } from "./leases.ts";
import { pollUntil } from "./poll.ts";
import type { TimeSlice } from "./time-slice.ts";

export class Growth {
  private grown = 0;
  private readonly lease: Lease;
  private readonly grownBytes: () => number;
  private readonly settled: () => void;

  /**
   * @param lease what the work declared
   * @param grownBytes bytes by which memory has grown since this was asked for last, by whoever had the thread
   * @param settled called at every pause, once the lease says what is held
   */
  constructor(lease: Lease, grownBytes: () => number, settled: () => void) {
    this.lease = lease;
    this.grownBytes = grownBytes;
    this.settled = settled;
  }

  /** The time slice of the work, for its first stretch and all others: what grew before is not its own. */
  charged(timeSlice: TimeSlice): TimeSlice {
    this.grownBytes();
    return {
      spend: (ms) => {
        const rest = timeSlice.spend(ms);
        if (!rest) return undefined;
        this.charge();
        // What others grew by meanwhile, in a last stretch without a pause too, is theirs.
        return rest.then(() => void this.grownBytes());
      },
      worked: () => timeSlice.worked(),
    };
  }

  private charge(): void {
    this.grown += this.grownBytes();
    if (this.grown > this.lease.amount) this.lease.hold(this.grown);
    this.settled();
  }
}

/** What work waits for in its pause, if anything: until there is not too much, or nobody waits for the work any more. */
export function standingBack(isTooMuch: () => boolean, signal?: AbortSignal): () => Promise<void> | undefined {
  const mustWait = () => isTooMuch() && signal?.aborted !== true;
  return () => (mustWait() ? pollUntil(() => !mustWait(), { everyMs: () => LOOK_MS }) : undefined);
}
