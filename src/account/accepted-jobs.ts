/** Jobs with a webhook that an account has accepted on a day, and what they were charged. */
import { endJob } from "./budgets.ts";
import { secondsOfDay } from "./days.ts";
import { addCount } from "./expiring-counts.ts";
import { type Block, jobEnd, type Ledger, NOTHING_ACCEPTED, roll, settle } from "./ledger.ts";
import { dayOf } from "./usage.ts";

/** A job with a webhook that wants to be accepted. */
export interface Order {
  /** The credits that were reserved for it; one unless told. */
  readonly lease: number;
  readonly credits?: number;
  /** What it takes in the database. */
  readonly bytes: number;
  /** What the account may have accepted on one day, UTC. */
  readonly most: { readonly jobs: number; readonly bytes: number };
  /** What the isolate gives back of the blocks of a key, as it calls anyway. */
  readonly unused?: { readonly key: string; readonly blocks: readonly Block[] };
}

/** What an accepted job was charged: enough to undo it. */
export interface Charge {
  /** The month whose credits it spent. */
  readonly month: string;
  /** Absent: one. */
  readonly credits?: number;
  readonly day: string;
  readonly bytes: number;
  /** Until which second its work is expected; absent in those of an earlier version. */
  readonly until?: number;
}

/** Why a job is not accepted. */
export interface Beyond {
  /** Which of the day's bounds it would break. */
  readonly beyond: "jobs" | "bytes";
  /** Seconds until the day ends, at least 1. */
  readonly resetSeconds: number;
}

/**
 * Accepts a job unless the day's bounds are reached: it counts whatever becomes of it, and its credit is spent at once, not
 * when it ends, which may be later than any reservation lasts.
 */
export function accept(ledger: Ledger, { lease, credits = 1, bytes, most }: Order, now: number): Charge | Beyond {
  const day = dayOf(now);
  const today = ledger.accepted.day === day ? ledger.accepted : { ...NOTHING_ACCEPTED, day };
  const resetSeconds = secondsOfDay(now);
  if (today.jobs >= most.jobs) return { beyond: "jobs", resetSeconds };
  if (today.bytes + bytes > most.bytes) return { beyond: "bytes", resetSeconds };
  ledger.accepted = { day, jobs: today.jobs + 1, bytes: today.bytes + bytes };
  settle(ledger, lease, now, { reserved: credits, spent: credits });
  const until = jobEnd(now);
  addCount(ledger.spending.jobs, until, credits);
  return { month: ledger.month, day, bytes, until, ...(credits > 1 && { credits }) };
}

/** The work on an accepted job has ended. */
export function endWork({ spending }: Ledger, { until, credits = 1 }: Charge): void {
  endJob(spending, until, credits);
}

/** The accepted job failed, or gave fewer results than it might have: credits are given back, unless a new month has begun. */
export function refund(ledger: Ledger, { month, credits = 1 }: Charge, now: number, back = credits): void {
  roll(ledger, now);
  if (month === ledger.month) ledger.used = Math.max(0, ledger.used - back);
}

/** The job could not be kept after all: as if it had not been accepted. */
export function withdraw(ledger: Ledger, charge: Charge, now: number): void {
  refund(ledger, charge, now);
  endWork(ledger, charge);
  const { day, jobs, bytes } = ledger.accepted;
  if (day === charge.day) ledger.accepted = { day, jobs: jobs - 1, bytes: bytes - charge.bytes };
}

/** How long a job that was accepted may turn out not to have been kept: the call that says so follows at once. */
const WITHDRAWN_WITHIN_MS = 60_000;

/** Jobs that were accepted a moment ago, by their ids: a call whose answer was lost is undone, and never done twice. */
export class RecentCharges {
  readonly #charges = new Map<string, { readonly charge: Charge; readonly until: number }>();

  /** What the job was charged, if it was accepted a moment ago. */
  find(id: string): Charge | undefined {
    return this.#charges.get(id)?.charge;
  }

  note(id: string, charge: Charge, now: number): void {
    for (const [other, { until }] of this.#charges) if (until <= now) this.#charges.delete(other);
    this.#charges.set(id, { charge, until: now + WITHDRAWN_WITHIN_MS });
  }

  /** @returns what the job was charged, once */
  take(id: string): Charge | undefined {
    const charge = this.find(id);
    this.#charges.delete(id);
    return charge;
  }
}
