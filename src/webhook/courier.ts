/**
 * A record's courier: looks at the record when it wants attention and does what is due. One per record, so that a slow
 * endpoint holds up nobody else's notification; the steps are here, the clock that calls them is the platform's. A
 * notification that is due when its job ends is attempted first by whoever did the job, and has no courier unless that
 * failed.
 */
import { ApiError } from "../errors.ts";
import { DELIVERY_LEASE_MS } from "../limits/webhook.ts";
import { targetContext } from "./accept.ts";
import type { AttemptPorts, CourierPorts } from "./ports.ts";
import { type Attempt, afterAttempt, type Outcome } from "./record.ts";
import type { ClaimedDelivery } from "./store.ts";

/**
 * Delivers the record's notification if it is due. A record without a payload has no need of a courier yet: the end of
 * its run wakes it, and what is lost of a run is the sweep's.
 * @returns when to look again, milliseconds since 1970; undefined: never again
 * @throws when a port failed: to be called again soon
 */
export async function attend(id: string, ports: CourierPorts): Promise<number | undefined> {
  await settleJournal(id, ports);
  const claim = ports.newClaim();
  const claimed = await ports.store.claimDelivery(id, claim, ports.now(), DELIVERY_LEASE_MS);
  if (claimed) return deliverOnce(claimed, claim, ports);
  const standing = await ports.store.standing(id);
  return standing?.status === "created" ? undefined : (standing?.wakeAt ?? undefined);
}

async function deliverOnce(claimed: ClaimedDelivery, claim: string, ports: CourierPorts): Promise<number | undefined> {
  const outcome = await attemptOnce(claimed, ports);
  // The endpoint has answered: from here on a database that fails must not lead to a second notification.
  await ports.journal.write({ claim, outcome });
  await settleJournal(claimed.record.id, ports);
  return outcome.wakeAt ?? undefined;
}

/**
 * One attempt, and what it makes of the record.
 * @throws when it could not be made, because a port failed
 */
export async function attemptOnce(claimed: ClaimedDelivery, ports: AttemptPorts): Promise<Outcome> {
  return afterAttempt(claimed.record, await post(claimed, ports), ports.retrySeconds);
}

async function post({ record, payload, target }: ClaimedDelivery, ports: AttemptPorts): Promise<Attempt> {
  const { id, accountId } = record;
  try {
    const [url, secrets] = await Promise.all([ports.seal.open(target, targetContext(id)), ports.secrets(accountId)]);
    return await ports.post({ id, url, body: payload, secrets });
  } catch (error) {
    // What was sealed under another key does not open next time either; a database that fails is asked again.
    if (!(error instanceof ApiError)) throw error;
    ports.report(id, error);
    return { at: ports.now(), code: 0, durationMs: 0 };
  }
}

/** Tells the record what the journal knows; a second time changes nothing. */
async function settleJournal(id: string, ports: CourierPorts): Promise<void> {
  const entry = await ports.journal.read();
  if (!entry) return;
  await ports.store.finishDelivery(id, entry.claim, entry.outcome, ports.now());
  await ports.journal.clear();
}
