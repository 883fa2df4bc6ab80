/** Private originals: read with signed requests through a saved connector. */
import { openAsset } from "../account/assets.ts";
import { databaseNamed } from "../account/databases.ts";
import { vaultOf } from "../account/vault.ts";
import { joinConnector, type SavedStore } from "../contract/store.ts";
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { Keyfile } from "../storage/keyfile.ts";
import type { ReadRequest } from "../storage/provider.ts";
import { readFromStore } from "../storage/store.ts";

/** What reading originals needs. */
export interface OriginalPorts {
  readonly env: Env;
  readonly settings: Settings;
  readonly accountId: string;
  /** Where the account's connectors lie. */
  readonly database: string;
  /** Who waits for room for an original; absent: the service itself. */
  readonly caller?: Caller | undefined;
}

/**
 * The request for an object that a connector leads to.
 * @throws ApiError 502 when there is no such connector any more, or its store refuses
 */
export async function storeRequest(ports: OriginalPorts, connector: string, key: string): Promise<ReadRequest> {
  const { env, settings, accountId, database } = ports;
  const shelf = { db: databaseNamed(env, database), vault: vaultOf(settings.vaultKeys), accountId };
  const saved = await openAsset(shelf, "connector", connector);
  if (saved === undefined) throw unreachable();
  try {
    const store = joinConnector({ id: connector }, saved as SavedStore);
    const { keyfile: id } = store;
    const keyfile = typeof id === "string" ? await openAsset(shelf, "keyfile", id) : undefined;
    return await readFromStore(store, key, { policy: settings, keyfile: keyfile as Keyfile | undefined });
  } catch (error) {
    // What is wrong with a store is its owner's affair, not that of who looks at a page.
    throw error instanceof ApiError && error.status === 422 ? unreachable(error) : error;
  }
}

function unreachable(cause?: unknown): ApiError {
  return new ApiError(502, "The origin refused or failed", { cause });
}
