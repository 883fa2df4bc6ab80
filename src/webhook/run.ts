/** The `run` of an accepted job: claim, process, keep the payload, make the notification due. */
import { ApiError } from "../errors.ts";
import { MAX_RUN_WAIT_MS, MAX_STARTS, RUN_LEASE_MS, RUN_RETRY_MS } from "../limits.ts";
import { jobContext } from "./accept.ts";
import type { RunPorts, Work } from "./ports.ts";
import { dueAt, type WebhookRecord } from "./record.ts";
import type { ClaimedJob } from "./store.ts";

/** Tries of a statement whose failure would waste a whole run, and the wait between them. */
const WRITE_TRIES = 4;
const WRITE_PAUSE_MS = 250;

/** What a start came to: the job's end, or nothing yet. */
type Ending =
  | { readonly kind: "ended"; readonly payload: string; readonly work?: Work }
  | { readonly kind: "again"; readonly busy: boolean };

/** Safe to call any number of times, at the same time too: one of the calls does the work. */
export async function run(id: string, ports: RunPorts): Promise<void> {
  const claim = ports.newClaim();
  const claimed = await ports.store.claimRun(id, claim, ports.now(), RUN_LEASE_MS);
  if (!claimed) return;
  const stop = ports.everyRenewal(() => {
    void ports.store.renewRun(id, claim, ports.now() + RUN_LEASE_MS).catch(() => undefined);
  });
  try {
    const ending = await performInCompany(claimed, ports);
    if (ending.kind === "again") await putBack(id, claim, ending.busy, ports);
    else await finish(claimed, ending, ports);
  } finally {
    stop();
  }
}

/** A job that was started before may have killed its processor, and would kill others: it is alone. */
async function performInCompany(claimed: ClaimedJob, ports: RunPorts): Promise<Ending> {
  const leave = await ports.join(claimed.record.starts > 1);
  if (!leave) return afterFault(claimed.record, true, ports.now());
  try {
    return await perform(claimed, ports);
  } finally {
    leave();
  }
}

async function perform(claimed: ClaimedJob, ports: RunPorts): Promise<Ending> {
  const { id } = claimed.record;
  // Every start before this one died without a word: the job is what kills its processor.
  if (claimed.record.starts > MAX_STARTS) return failed(id, 500);
  try {
    const work = await workOf(claimed, ports);
    const performing = ports.perform(work).finally(() => work.upload?.memory.release());
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
    ports.report(id, error);
    return afterFault(claimed.record, error instanceof ApiError && error.status === 503, ports.now());
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
function afterFault(record: WebhookRecord, busy: boolean, now: number): Ending {
  if (busy)
    return now - record.createdAt < MAX_RUN_WAIT_MS ? { kind: "again", busy } : failed(record.id, 503, "No capacity");
  return record.starts < MAX_STARTS ? { kind: "again", busy } : failed(record.id, 500);
}

function failed(id: string, code: number, message = "Internal error"): Ending & { kind: "ended" } {
  return { kind: "ended", payload: JSON.stringify({ success: false, code, id, message }) };
}

async function finish(claimed: ClaimedJob, ending: Ending & { kind: "ended" }, ports: RunPorts): Promise<void> {
  const { record, bytesKey } = claimed;
  const now = ports.now();
  const due = dueAt(record, now);
  const won = await persistently(ports, () => ports.store.finishRun(record.id, ending.payload, due, now));
  const rest = [ports.wake(record.id, due)];
  if (won && ending.work) rest.push(ports.closeCredit(ending.work, ending.payload));
  if (bytesKey !== null) rest.push(ports.uploads.remove([bytesKey]));
  // The record says everything by now: what fails here is made good by its courier and the sweep.
  for (const outcome of await Promise.allSettled(rest)) {
    if (outcome.status === "rejected") ports.report(record.id, outcome.reason);
  }
}

async function putBack(id: string, claim: string, busy: boolean, ports: RunPorts): Promise<void> {
  const again = ports.now() + RUN_RETRY_MS;
  if (await ports.store.releaseRun(id, claim, again, !busy)) await ports.wake(id, again);
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
