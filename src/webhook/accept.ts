/** Accepting a job: durable first, then the answer; from there on nothing can lose it. */
import { BEGIN_MS } from "../limits/webhook.ts";
import { uploadKey } from "./bytes.ts";
import type { Ports } from "./ports.ts";

/** A job whose every judgeable part has been judged. */
export interface Acceptance {
  readonly id: string;
  readonly accountId: string;
  /** Where the notification goes, `user:password@` included. */
  readonly url: string;
  readonly delaySeconds: number;
  /** JSON with everything that processing needs, credentials included: sealed before it is stored. */
  readonly job: string;
  /** The image, when it was uploaded. */
  readonly upload: Uint8Array | undefined;
}

export interface AcceptPorts extends Ports {
  /** Starts the job at once: here or through the queue. */
  readonly start: (id: string) => Promise<void>;
}

export function jobContext(id: string): string {
  return `webhook job ${id}`;
}

export function targetContext(id: string): string {
  return `webhook target ${id}`;
}

/**
 * Stores a job, bytes first, so that a record never stands without them.
 * @throws when it could not be made durable: then it was not accepted
 */
export async function accept(acceptance: Acceptance, ports: Ports): Promise<void> {
  const { id, accountId, delaySeconds, upload } = acceptance;
  const createdAt = ports.now();
  const bytesKey = upload ? uploadKey(id, createdAt) : null;
  const [target, job] = await Promise.all([
    ports.seal.close(acceptance.url, targetContext(id)),
    ports.seal.close(acceptance.job, jobContext(id)),
    upload && bytesKey ? ports.uploads.put(bytesKey, upload) : undefined,
  ]);
  const toldUntil = createdAt + BEGIN_MS;
  await ports.store
    .insert({ id, accountId, createdAt, toldUntil, delaySeconds, target, job, bytesKey })
    .catch(async (error: unknown) => {
      if (!(await isKept(acceptance, ports))) throw error;
    });
}

/** How often a database is asked whether it has a record, whose storing it did not answer. */
const LOOKS = 3;
const LOOK_PAUSE_MS = 100;

/**
 * Whether a record was stored by a call that failed: a database may do its work and lose the answer. Such a job will be
 * done, so it is accepted.
 */
async function isKept({ accountId, id }: Acceptance, { store, pause }: Ports): Promise<boolean> {
  for (let look = 1; look <= LOOKS; look += 1) {
    try {
      return (await store.find(accountId, id)) !== undefined;
    } catch {
      if (look < LOOKS) await pause(LOOK_PAUSE_MS * look);
    }
  }
  return false;
}

/**
 * Sets an accepted job going. Nothing here has to succeed: a start that failed is made good by the next sweep, one that
 * was lost by a later one.
 */
export async function begin(id: string, ports: AcceptPorts): Promise<void> {
  await tell(id, () => ports.start(id), ports);
}

/** Tells somebody of a record. Nobody else is told for a while; but when that failed, the next sweep may. */
export async function tell(id: string, say: () => Promise<void>, { store, report }: Ports): Promise<void> {
  try {
    await say();
  } catch (error) {
    report(id, error);
    await store.untell([id]).catch((again: unknown) => report(id, again));
  }
}
