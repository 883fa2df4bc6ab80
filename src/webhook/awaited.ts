/** Notifications of what others do: kept with their address from the beginning, due at the end. */
import { jobContext, targetContext } from "./accept.ts";
import type { Ports } from "./ports.ts";

export interface Awaited {
  readonly id: string;
  readonly accountId: string;
  /** Where the notification goes, `user:password@` included. */
  readonly url: string;
  readonly delaySeconds: number;
  /** Nobody looks at it for so many milliseconds, unless its end comes. */
  readonly patienceMs: number;
}

type AwaitedPorts = Pick<Ports, "store" | "seal" | "now">;

/** Keeps a notification whose end somebody else brings about. */
export async function awaitEnd(awaited: Awaited, { store, seal, now }: AwaitedPorts): Promise<void> {
  const { id, accountId, url, delaySeconds, patienceMs } = awaited;
  // There is no job here: its place holds what can be sealed anew like every other.
  const [target, job] = await Promise.all([seal.close(url, targetContext(id)), seal.close("{}", jobContext(id))]);
  const createdAt = now();
  const wakeAt = createdAt + patienceMs;
  await store.insert({
    id,
    accountId,
    createdAt,
    toldUntil: wakeAt,
    wakeAt,
    delaySeconds,
    target,
    job,
    bytesKey: null,
  });
}

/**
 * The end has come: the notification is due. A second call changes nothing.
 * @param payload JSON
 * @returns when it is due, in milliseconds since 1970; undefined where there is no such notification
 */
export async function endAwaited(
  { id, accountId }: Pick<Awaited, "id" | "accountId">,
  payload: string,
  { store, now }: AwaitedPorts,
): Promise<number | undefined> {
  const record = await store.find(accountId, id);
  if (!record) return undefined;
  const at = now();
  const dueAt = at + record.delaySeconds * 1_000;
  await store.finishRun(id, { payload, dueAt, now: at });
  return dueAt;
}
