/** By what authority a batch goes on: that of the key in whose name it was begun, and of what its store shows to it. */
import { lostAuthority } from "../account/authority.ts";
import { ApiError } from "../errors.ts";
import { StoreError } from "../storage/session.ts";
import type { OpenStore } from "../storage/store.ts";
import { type BatchOwner, type Trouble, troubleOf } from "./rules.ts";

/** Why nothing more is done in the name of a batch's key; undefined while the key opens its account. */
export async function whyEnded(directory: D1Database, owner: BatchOwner, now: number): Promise<Trouble | undefined> {
  const lost = await lostAuthority(directory, owner, now);
  return lost && troubleOf(lost.status, lost.message);
}

/**
 * Why a batch is told of no new objects: names of a bucket are for those to whom its store lists them.
 * @throws StoreError when the store cannot say so now
 */
export async function whyUnseen(open: () => Promise<OpenStore>, prefix: string): Promise<Trouble | undefined> {
  try {
    const store = await open();
    await store.list({ prefix, limit: 1 });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    if (error instanceof StoreError && error.isBusy) throw error;
    return troubleOf(error.status, error.message);
  }
}
