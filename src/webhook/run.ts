/** The `run` of an accepted job: claim, process, keep the payload, make the notification due or attempt it at once. */
import { saidOf } from "../error-words.ts";
import { ApiError } from "../errors.ts";
import {
  DELIVERY_LEASE_MS,
  HAND_OUT_MS,
  MAX_PUT_BACKS,
  MAX_RUN_RETRY_MS,
  MAX_STARTS,
  RUN_LEASE_MS,
  RUN_RETRY_MS,
} from "../limits/webhook.ts";
import { discard } from "../scheduler/held-bytes.ts";
import { jobContext, tell } from "./accept.ts";
import { backoff } from "./backoff.ts";
import { attemptOnce } from "./courier.ts";
import type { Place, RunPorts, Work } from "./ports.ts";
import { dueAt, type WebhookRecord } from "./record.ts";
import type { ClaimedDelivery, ClaimedJob } from "./store.ts";

/** Tries of a statement whose failure would waste a whole run, and the wait between them. */
const WRITE_TRIES = 4;
const WRITE_PAUSE_MS = 250;

/** Why a job is to be started again: no capacity, a fault of ours, or too little time left here. */
type Reason = "busy" | "fault" | "late";

/** What a start came to: the job's end, a further start, or nothing, because the job is in other hands. */
type Ending =
  | { readonly kind: "ended"; readonly payload: string; readonly work?: Work }
  | { readonly kind: "again"; readonly reason: Reason }
  | { readonly kind: "lost" };

const LATE: Ending = { kind: "again", reason: "late" };
const LOST: Ending = { kind: "lost" };

/** Safe to call any number of times, at the same time too: one of the calls does the work. */
export async function run(id: string, ports: RunPorts): Promise<void> {
  const claim = ports.newClaim();
  const claimed = await ports.store.claimRun(id, claim, ports.now(), RUN_LEASE_MS);
  if (!claimed) return;
  const hold = new Hold(id, claim, ports);
  const working = performInCompany(claimed, hold, ports);
  try {
    // Work that waits for something which nobody can abort may end much later.
    const ending = await Promise.race([working, hold.given.promise]);
    if (ending.kind === "again") await putBack(claimed.record, claim, ending.reason, ports);
    else if (ending.kind === "ended") await finish(claimed, ending, ports);
  } finally {
    hold.end();
  }
  // Work that was given up gives its memory back at its end: it has to be waited for, or the platform drops it.
  await working;
}

/** A claim while its job is worked on: renewed again and again, and given up when it was lost or time runs out. */
class Hold {
  /** What came instead of the work's own end. */
  readonly given = Promise.withResolvers<Ending>();
  place: Place | undefined;
  private readonly aborting = new AbortController();
  private readonly stops: readonly (() => void)[];

  constructor(id: string, claim: string, ports: RunPorts) {
    const renew = async () => {
      this.place?.stay();
      // A database that does not answer says nothing about who holds the job.
      const isHeld = await ports.store.renewRun(id, claim, ports.now() + RUN_LEASE_MS).catch(() => true);
      if (!isHeld) this.giveUp(LOST);
    };
    this.stops = [ports.everyRenewal(() => void renew()), ports.whenLate(() => this.giveUp(LATE))];
  }

  /** Aborted when the work is to end before it is done. */
  get signal(): AbortSignal {
    return this.aborting.signal;
  }

  end(): void {
    for (const stop of this.stops) stop();
  }

  private giveUp(ending: Ending): void {
    this.given.resolve(ending);
    this.aborting.abort();
  }
}

/** A job that was started before may have killed its processor, and would kill others: it is alone. */
async function performInCompany(claimed: ClaimedJob, hold: Hold, ports: RunPorts): Promise<Ending> {
  const { starts } = claimed.record;
  // Every start before this one died without a word: the job is what kills its processor.
  if (starts > MAX_STARTS) return failed(claimed.record.id, 500);
  const place = await ports.join(starts > 1);
  if (!place) return afterFault(claimed.record, "busy");
  hold.place = place;
  try {
    return hold.signal.aborted ? LOST : await perform(claimed, hold.signal, ports);
  } finally {
    place.leave();
  }
}

async function perform(claimed: ClaimedJob, signal: AbortSignal, ports: RunPorts): Promise<Ending> {
  const { id } = claimed.record;
  try {
    const work = await workOf(claimed, ports);
    const performing = ports.perform(work, signal).finally(() => work.upload && discard(work.upload));
    return await performing.then(
      (answer) => ({
        kind: "ended",
        payload: JSON.stringify({ success: true, code: 200, id, ...answer }),
        work,
      }),
      (error: unknown) => {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        return { ...failed(id, error.status, error.message), work };
      },
    );
  } catch (error) {
    if (!signal.aborted) ports.report(id, error);
    return afterFault(claimed.record, error instanceof ApiError && error.status === 503 ? "busy" : "fault");
  }
}

async function workOf({ record, job, bytesKey }: ClaimedJob, ports: RunPorts): Promise<Work> {
  const { id, accountId } = record;
  const opened = await ports.seal.open(job, jobContext(id));
  // Last, so that nothing can fail any more once memory is held.
  const upload = bytesKey === null ? undefined : await ports.uploads.get(bytesKey);
  if (bytesKey !== null && upload === undefined) throw new Error("The uploaded bytes are gone");
  return { id, accountId, job: opened, upload };
}

/** A fault of ours is no answer yet, unless it has gone on for too long. */
function afterFault(record: WebhookRecord, reason: "busy" | "fault"): Ending {
  if (reason === "busy" && record.putBacks >= MAX_PUT_BACKS) return failed(record.id, 503, "No capacity");
  if (reason === "fault" && record.starts >= MAX_STARTS) return failed(record.id, 500);
  return { kind: "again", reason };
}

function failed(id: string, code: number, message = "Internal error"): Ending & { kind: "ended" } {
  return { kind: "ended", payload: JSON.stringify({ success: false, code, id, message, ...saidOf(code, message) }) };
}

async function finish(claimed: ClaimedJob, ending: Ending & { kind: "ended" }, ports: RunPorts): Promise<void> {
  const { id, accountId, delaySeconds } = claimed.record;
  const endAttempt = delaySeconds === 0 ? ports.beginAttempt(accountId) : undefined;
  try {
    if (endAttempt) await finishAndAttempt(claimed, ending, ports);
    else {
      const now = ports.now();
      const end = { payload: ending.payload, dueAt: dueAt(claimed.record, now), now };
      const won = await persistently(ports, () => ports.store.finishRun(id, end));
      await settle(claimed, won ? ending : undefined, [ports.wake(id, end.dueAt)], ports);
    }
  } finally {
    endAttempt?.();
  }
}

/** Keeps the payload and makes the first attempt, which is due. */
async function finishAndAttempt(
  claimed: ClaimedJob,
  ending: Ending & { kind: "ended" },
  ports: RunPorts,
): Promise<void> {
  const { id } = claimed.record;
  const [claim, now] = [ports.newClaim(), ports.now()];
  const end = { payload: ending.payload, dueAt: now, now };
  const delivery = await persistently(ports, () => ports.store.finishRunAndClaim(id, end, claim, DELIVERY_LEASE_MS));
  const attempting = delivery ? [attemptFirst(delivery, claim, ports)] : [];
  await settle(claimed, delivery && ending, attempting, ports);
}

/**
 * The first attempt. Its failure is the record's courier's to make good, at the end of the lease where it was not made at
 * all.
 */
async function attemptFirst(delivery: ClaimedDelivery, claim: string, ports: RunPorts): Promise<void> {
  const { id } = delivery.record;
  const leaseEnd = ports.now() + DELIVERY_LEASE_MS;
  const outcome = await attemptOnce(delivery, ports).catch((error: unknown) => ports.report(id, error));
  if (!outcome) return ports.wake(id, leaseEnd);
  try {
    await persistently(ports, () => ports.store.finishDelivery(id, claim, outcome, ports.now()));
  } catch (error) {
    // The endpoint has answered: a database that fails must not lead to a second notification.
    ports.report(id, error);
    return ports.wake(id, outcome.wakeAt ?? ports.now(), { claim, outcome });
  }
  if (outcome.wakeAt !== null) await ports.wake(id, outcome.wakeAt);
}

/**
 * What is left to do when the record says how its job ended; the record says everything by then: what fails here is made
 * good by its courier and the sweep.
 * @param ending absent: somebody else ended the job
 */
async function settle(
  { record, bytesKey }: ClaimedJob,
  ending: (Ending & { kind: "ended" }) | undefined,
  others: readonly Promise<void>[],
  ports: RunPorts,
): Promise<void> {
  const rest = [...others];
  if (ending?.work) rest.push(ports.closeCredit(ending.work, ending.payload));
  if (bytesKey !== null) rest.push(ports.uploads.remove([bytesKey]));
  for (const outcome of await Promise.allSettled(rest)) {
    if (outcome.status === "rejected") ports.report(record.id, outcome.reason);
  }
}

/** Gives the job back, to be brought again by the queue: the later, the more often that was in vain. */
async function putBack(record: WebhookRecord, claim: string, reason: Reason, ports: RunPorts): Promise<void> {
  const { id } = record;
  const tries = reason === "busy" ? record.putBacks : record.starts - 1;
  const wait = reason === "late" ? 0 : backoff(tries, RUN_RETRY_MS, MAX_RUN_RETRY_MS, ports.random);
  const wakeAt = ports.now() + wait;
  const release = { wakeAt, toldUntil: wakeAt + HAND_OUT_MS, counts: reason === "fault" };
  if (!(await ports.store.releaseRun(id, claim, release))) return;
  await tell(id, () => ports.enqueue({ kind: "run", id }, Math.ceil(wait / 1_000)), ports);
}

/** A write that fails once should not throw away what took seconds to compute. */
async function persistently<T>(ports: RunPorts, write: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (failures + 1 === WRITE_TRIES) throw error;
      await ports.pause(WRITE_PAUSE_MS << failures);
    }
  }
}
