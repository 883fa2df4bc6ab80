/** Puts a result into the caller's own store. */
import { ApiError } from "../errors.ts";
import { MAX_CURSOR_CHARACTERS, MAX_OBJECT_KEY_BYTES } from "../limits/stores.ts";
import type { Keyfile } from "./keyfile.ts";
import { objectKey } from "./path.ts";
import { callProblem, type StorePolicy } from "./policy.ts";
import type { ListAsk, ListedObject, Listing, ProviderRow, ReadRequest, StoredObject } from "./provider.ts";
import { providerNamed, type SpelledStore } from "./providers.ts";
import { type SessionOptions, withSession } from "./session.ts";

export interface StoreOptions {
  readonly policy: StorePolicy;
  /** The saved keyfile that the request names. */
  readonly keyfile: Keyfile | undefined;
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

interface Encoded {
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly name: string;
}

/**
 * Stores a result and gives its permanent URL. Either the whole object is there afterward or none: each provider
 * takes it in one request of known length.
 * @throws ApiError 422 when the store refuses, cannot be reached or does not answer in time
 */
export async function putInStore(
  store: SpelledStore,
  encoded: Encoded,
  options: StoreOptions,
): Promise<{ url: string }> {
  const row = providerNamed(store.provider);
  if (!row) throw new ApiError(422, "store.provider must be a known provider");
  const key = objectKey(store.path, encoded.name);
  const { bytes, mime } = encoded;
  const session: SessionOptions = {
    provider: store.provider,
    base: baseOf(row, options.policy),
    policy: options.policy,
    secrets: Object.keys(row.credentials).map((member) => String(store[member])),
    keyfile: options.keyfile,
    ...(options.now && { now: options.now }),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  };
  const put = row.put.bind(null, store as never, { key, bytes, contentType: mime });
  return { url: await withSession(session, put) };
}

/**
 * The request for the bytes of an object in a caller's own store.
 * @throws ApiError 422 when the store refuses a token, cannot be reached or does not answer in time
 */
export async function readFromStore(
  store: SpelledStore,
  key: string,
  { policy, keyfile }: Pick<StoreOptions, "policy" | "keyfile">,
): Promise<ReadRequest> {
  const row = providerNamed(store.provider);
  if (!row) throw new ApiError(422, "store.provider must be a known provider");
  const secrets = Object.keys(row.credentials).map((member) => String(store[member]));
  const session = { provider: store.provider, base: baseOf(row, policy), policy, secrets, keyfile };
  return withSession(session, row.read.bind(null, store as never, key));
}

/** The store that a batch reads or writes, opened once: every call is a talk of its own. */
export interface OpenStore {
  readonly row: ProviderRow;
  readonly members: SpelledStore;
  /** What keeps the store from being read, as the end of a sentence; undefined where nothing does. */
  readonly problem: string | undefined;
  /** @throws StoreError */
  readonly list: (ask: ListAsk) => Promise<Listing>;
  /** @throws StoreError */
  readonly read: (key: string) => Promise<ReadRequest>;
  /** @throws StoreError whose `isConflict` says that the condition does not hold */
  readonly put: (object: StoredObject) => Promise<string>;
  /** @throws StoreError where the store does not tell what an object has besides its bytes */
  readonly kept: (key: string, answered: Headers) => Promise<Headers>;
  /** @throws StoreError; does nothing where nothing is ever replaced */
  readonly remove: (key: string) => Promise<void>;
}

/** @throws ApiError 422 when there is no such provider */
export function openStore(
  store: SpelledStore,
  { policy, keyfile }: Pick<StoreOptions, "policy" | "keyfile">,
): OpenStore {
  const row = providerNamed(store.provider);
  if (!row) throw new ApiError(422, "store.provider must be a known provider");
  const secrets = Object.keys(row.credentials).map((member) => String(store[member]));
  const options = { provider: store.provider, base: baseOf(row, policy), policy, secrets, keyfile };
  const members = store as never;
  const address = options.base ?? store["endpoint"];
  return {
    row,
    members: store,
    problem: typeof address === "string" ? callProblem(address, "GET", policy) : undefined,
    list: (ask) =>
      withSession(options, async (session) => {
        const listing = await row.list(members, ask, session);
        if (!makesSense(listing, ask)) throw session.nonsense("a list of other objects, or one that does not go on");
        return listing;
      }),
    read: (key) => withSession(options, (session) => row.read(members, key, session)),
    put: (object) => withSession(options, (session) => row.put(members, object, session)),
    kept: (key, answered) =>
      withSession(options, async (session) => {
        try {
          return await keptBy(row)(members, key, answered, session);
        } catch (error) {
          // What a store says of an access list may be no header.
          if (error instanceof TypeError) throw session.nonsense(error);
          throw error;
        }
      }),
    remove: (key) => withSession(options, async (session) => row.remove?.(members, key, session)),
  };
}

/**
 * What a provider says of an object besides its bytes, by which originals are replaced.
 * @throws ApiError 422 where its stores cannot compare versions
 */
export function keptBy({ kept }: ProviderRow): NonNullable<ProviderRow["kept"]> {
  if (kept) return kept;
  throw new ApiError(
    422,
    "target in-place cannot be combined with this provider: its store cannot compare versions, so an original might be lost",
  );
}

/**
 * Whether a part of a list is what was asked for. A store that does not know `prefix`, or where to go on, answers with
 * objects that nobody meant, or with the same ones for ever.
 */
function makesSense({ objects, cursor }: Listing, ask: ListAsk): boolean {
  if (cursor !== undefined && (cursor === ask.cursor || cursor.length > MAX_CURSOR_CHARACTERS)) return false;
  const isMeant = ({ key, bytes }: ListedObject) =>
    isName(key) && key.startsWith(ask.prefix) && Number.isSafeInteger(bytes) && bytes >= 0;
  // Stores that begin with the name at which they go on are asked for one more.
  return objects.length <= ask.limit + 1 && objects.every(isMeant);
}

/** Whether a store can have an object of this name: what is longer could be asked for by no address. */
function isName(key: string): boolean {
  return key !== "" && key.length <= MAX_OBJECT_KEY_BYTES && key.isWellFormed();
}

function baseOf(row: ProviderRow, policy: StorePolicy): string | undefined {
  const word = [row.code, ...row.aliases].find((spelling) => Object.hasOwn(policy.providerEndpoints, spelling));
  return word === undefined ? undefined : policy.providerEndpoints[word];
}
