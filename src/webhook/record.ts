/**
 * The life of a notification, as pure functions over plain data; the clock is an argument.
 *
 * `created` → `scheduled` → `dispatched` → `delivered` | `failed`. A record whose notification is due when its job ends may
 * leave out `scheduled`. A failed record with retries left is dispatched
 * again when its time has come. A record that is not finished always has a `wakeAt`: whatever is lost meanwhile (a
 * message, an alarm, a processor), looking at every record whose `wakeAt` has passed is enough to go on.
 */
import { MAX_SHOWN_ATTEMPTS } from "../limits/webhook.ts";

export const STATUSES = ["created", "scheduled", "dispatched", "delivered", "failed"] as const;
export type Status = (typeof STATUSES)[number];

/** From each state, the states it may become. */
const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  // At once to dispatched: whoever did the job makes the first attempt.
  created: ["scheduled", "dispatched"],
  scheduled: ["dispatched"],
  // To itself: a delivery whose processor died is taken over.
  dispatched: ["delivered", "failed", "dispatched"],
  // Back to scheduled: repeated by hand.
  delivered: ["scheduled"],
  failed: ["dispatched", "scheduled"],
};

export function canMove(from: Status, to: Status): boolean {
  return MOVES[from].includes(to);
}

/** One POST to the endpoint: when (milliseconds since 1970), the status it answered, 0 when none came in time. */
export interface Attempt {
  readonly at: number;
  readonly code: number;
  readonly durationMs: number;
}

/** What the outside may see of a record, and what its life depends on. Times are milliseconds since 1970. */
export interface WebhookRecord {
  readonly id: string;
  readonly accountId: string;
  readonly status: Status;
  readonly code: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly delaySeconds: number;
  /** JSON, exactly as the notification carries it; null before processing has ended. */
  readonly payload: string | null;
  readonly attempts: readonly Attempt[];
  /** Entries of the retry schedule already used. */
  readonly retries: number;
  /** Starts of processing so far, the present one included. */
  readonly starts: number;
  /** Starts that found no capacity, which do not count among the others. */
  readonly putBacks: number;
  /** When the record wants attention next; null: never again. */
  readonly wakeAt: number | null;
}

/** What an attempt makes of a record. */
export type Outcome = Pick<WebhookRecord, "code" | "attempts" | "retries" | "wakeAt"> & {
  readonly status: "delivered" | "failed";
};

/** When the notification of a job that ended at `now` is due. */
export function dueAt(record: Pick<WebhookRecord, "delaySeconds">, now: number): number {
  return now + record.delaySeconds * 1_000;
}

/** Only a 2xx delivers; a redirect does not. */
export function isDelivery(code: number): boolean {
  return code >= 200 && code <= 299;
}

/**
 * The record after an attempt: delivered for good, or failed, with the time of the next attempt while the schedule has one.
 * @param retrySeconds waits before each further attempt, counted from the end of the one before
 */
export function afterAttempt(
  record: Pick<WebhookRecord, "attempts" | "retries">,
  attempt: Attempt,
  retrySeconds: readonly number[],
): Outcome {
  const attempts = [...record.attempts, attempt].slice(-MAX_SHOWN_ATTEMPTS);
  const { code } = attempt;
  if (isDelivery(code)) return { status: "delivered", code, attempts, retries: record.retries, wakeAt: null };
  const wait = retrySeconds[record.retries];
  if (wait === undefined) return { status: "failed", code, attempts, retries: record.retries, wakeAt: null };
  const wakeAt = attempt.at + attempt.durationMs + wait * 1_000;
  return { status: "failed", code, attempts, retries: record.retries + 1, wakeAt };
}
