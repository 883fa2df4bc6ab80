/** The stores that connectors of a batch lead to, as a batch sees them. */
import { openAsset } from "../account/assets.ts";
import { databaseNamed } from "../account/databases.ts";
import { vaultOf } from "../account/vault.ts";
import { joinConnector, type SavedStore } from "../contract/store.ts";
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { baseName } from "../files.ts";
import { FETCH_TIMEOUT_MS, MAX_SOURCE_BYTES } from "../limits.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { Caller } from "../scheduler/caller.ts";
import { deadlineIn } from "../source/deadline.ts";
import { OriginError, readRemoteIfWanted, type Terms } from "../source/remote.ts";
import { isSafePath } from "../storage/attributes.ts";
import type { Keyfile } from "../storage/keyfile.ts";
import { StoreError } from "../storage/session.ts";
import { keptBy, type OpenStore, openStore } from "../storage/store.ts";
import type { ObjectStore } from "./object.ts";
import type { BatchOwner, BatchRules } from "./rules.ts";

/**
 * @param member of the request that names the connector
 * @throws ApiError 422 when the account has no such connector, or it does not say all that is needed
 */
export async function openConnector(
  env: Env,
  settings: Settings,
  { accountId, database }: Pick<BatchOwner, "accountId" | "database">,
  id: string,
  member = "source.connector",
): Promise<OpenStore> {
  const shelf = { db: databaseNamed(env, database), vault: vaultOf(settings.vaultKeys), accountId };
  const saved = await openAsset(shelf, "connector", id);
  if (saved === undefined) throw new ApiError(422, `${member} must be the id of a saved connector`);
  let store;
  try {
    store = joinConnector({ id }, saved as SavedStore);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(422, `${member} must be a connector that says where the bucket is: ${error.message}`);
  }
  const { keyfile: file } = store;
  const keyfile = typeof file === "string" ? await openAsset(shelf, "keyfile", file) : undefined;
  if (typeof file === "string" && keyfile === undefined) {
    throw new ApiError(422, `${member} must be a connector whose keyfile is still saved`);
  }
  const opened = openStore(store, { policy: settings, keyfile: keyfile as Keyfile | undefined });
  // What was done is read off the results, so that those of a batch have to be readable, too.
  if (opened.problem)
    throw new ApiError(422, `${member} must be a connector whose store can be read: it ${opened.problem}`);
  return opened;
}

/** @throws ApiError 422 when originals in this store cannot be replaced safely */
export function checkReplaces({ row, members }: OpenStore): void {
  keptBy(row);
  const reason = row.keeps?.(members as never) ?? null;
  if (reason !== null) throw new ApiError(422, `target in-place cannot be combined with ${reason}`);
}

/** A store whose refusals to be read are those of a store, not of an origin. */
export function objectStoreOf(store: OpenStore, settings: Settings, caller: Caller | undefined): ObjectStore {
  const { row } = store;
  return {
    told: row.told,
    kept: store.kept,
    read: async (key, isWanted) => {
      checkName(key);
      const ask = () => readObject(store, settings, caller, key, isWanted);
      try {
        return await ask().catch(async (error: unknown) => {
          if (!(error instanceof Expired)) throw error;
          return ask();
        });
      } catch (error) {
        if (!(error instanceof OriginError)) throw error;
        const { trouble } = error;
        if (trouble === 404 || trouble === 410) return undefined;
        throw storeErrorOf(error);
      }
    },
    remove: store.remove,
    put: async ({ key, bytes, mime, condition, mark, kept }) => {
      checkName(key);
      try {
        await store.put({ key, bytes, contentType: mime, condition, mark, ...(kept && { kept }) });
        return true;
      } catch (error) {
        // Of a name that nothing has any more, S3 says 404.
        const isMissed = error instanceof StoreError && (error.isConflict || error.answered === 404);
        if (isMissed && (error.isConflict || condition.is !== "absent")) return false;
        throw error;
      }
    },
  };
}

/**
 * An address with dots between slashes leads to another object than the one of that name, or into another bucket.
 * @throws ApiError 422
 */
function checkName(key: string): void {
  if (isSafePath(key)) return;
  throw new ApiError(422, "A name with . or .. between slashes, or with control characters, cannot be asked for");
}

const UNFIT = "An object without bytes, or one that its store gives out encoded or by a redirect, is not read";

/** The token that the request carried is not taken any more. */
class Expired extends Error {}

async function readObject(
  store: OpenStore,
  settings: Settings,
  caller: Caller | undefined,
  key: string,
  isWanted: (answered: Headers) => Promise<boolean>,
) {
  const { url, headers, forget } = await store.read(key);
  const deadline = deadlineIn(FETCH_TIMEOUT_MS);
  const { serviceName, allowPrivateOrigins } = settings;
  // A store's redirects are refusals: what was signed goes nowhere else.
  const guards = { serviceName, allowPrivateOrigins, follows: () => false, deadline, caller };
  const terms: Terms = { ...guards, maxBytes: MAX_SOURCE_BYTES, memory: isolateBudget };
  try {
    const read = await readRemoteIfWanted({ url: new URL(url), headers }, terms, isWanted);
    if (read instanceof Headers) return { answered: read };
    const { headers: answered, bytes, memory } = read;
    return { answered, original: { bytes, memory, name: baseName(key) } };
  } catch (error) {
    if (!forget || !(error instanceof OriginError) || error.trouble !== 401) throw error;
    forget();
    throw new Expired();
  } finally {
    deadline.clear();
  }
}

function storeErrorOf(error: OriginError): ApiError {
  const { trouble } = error;
  // An object without bytes, or one that lies elsewhere: the store is well.
  if (trouble === "unfit") return new ApiError(422, UNFIT, { cause: error });
  if (typeof trouble !== "number") {
    return new StoreError(trouble === "late" ? "store: did not answer in time" : "store: could not be read", {
      cause: error,
    });
  }
  const answer = { status: trouble, ok: false, headers: new Headers(), text: "" };
  return new StoreError(`store: answered ${trouble} when the object was read`, { answer, cause: error });
}

/** The store of originals, and where results go. */
export async function storesOf(env: Env, settings: Settings, owner: BatchOwner, { source, target }: BatchRules) {
  const originals = await openConnector(env, settings, owner, source.connector);
  if (typeof target === "string") return { originals, results: originals };
  return { originals, results: await openConnector(env, settings, owner, target.connector, "target.connector") };
}
