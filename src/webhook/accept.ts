/** Accepting a job: durable first, then the answer; from there on nothing can lose it. */
import { GRACE_MS } from "../limits.ts";
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
  await ports.store.insert({ id, accountId, createdAt, delaySeconds, target, job, bytesKey });
}

/**
 * Sets an accepted job going. Nothing here has to succeed: a start that is lost is made good by the record's courier
 * after a while, and a courier that was never told by the sweep.
 */
export async function begin(id: string, ports: AcceptPorts): Promise<void> {
  const watch = ports.wake(id, ports.now() + GRACE_MS);
  const outcomes = await Promise.allSettled([ports.start(id), watch]);
  for (const outcome of outcomes) if (outcome.status === "rejected") ports.report(id, outcome.reason);
}
