/**
 * Work that comes to hold more than it declared. Declarations are those of usual pictures; what native memory grows by
 * beyond them is charged at the pause after it has grown, so that nobody else begins in its place. Where several have
 * grown so far that everything together is more than an isolate has, those that began later stand back.
 */
import { LOOK_MS } from "./admission.ts";
import type { Lease } from "./leases.ts";
import { pollUntil } from "./poll.ts";
import type { TimeSlice } from "./time-slice.ts";

/**
 * Charges work for what memory grows by while it has the thread, beyond what it declared.
 * @param lease what the work declared
 * @param grownBytes bytes by which memory has grown since this was asked for last, by whoever had the thread
 * @param settled called at every pause, once the lease says what is held
 * @returns the time slice of the work, for its first stretch and all others: what grew before is not its own
 */
export function chargedGrowth(
  lease: Lease,
  grownBytes: () => number,
  settled: () => void,
): (timeSlice: TimeSlice) => TimeSlice {
  let grown = 0;
  const charge = () => {
    grown += grownBytes();
    if (grown > lease.amount) lease.hold(grown);
    settled();
  };
  return (timeSlice) => {
    grownBytes();
    return {
      spend: (ms) => {
        const rest = timeSlice.spend(ms);
        if (!rest) return undefined;
        charge();
        // What others grew by meanwhile, in a last stretch without a pause too, is theirs.
        return rest.then(() => void grownBytes());
      },
      worked: () => timeSlice.worked(),
    };
  };
}

/** What work waits for in its pause, if anything: until there is not too much, or nobody waits for the work any more. */
export function standingBack(isTooMuch: () => boolean, signal?: AbortSignal): () => Promise<void> | undefined {
  const mustWait = () => isTooMuch() && signal?.aborted !== true;
  return () => (mustWait() ? pollUntil(() => !mustWait(), { everyMs: () => LOOK_MS }) : undefined);
}
