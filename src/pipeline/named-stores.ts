/** The stores that a request names, each opened once. */
import { inOrder } from "../contract/in-order.ts";
import type { Processing } from "../contract/request.ts";
import { ApiError } from "../errors.ts";
import type { Store } from "../storage/providers.ts";

interface NamedStore {
  readonly store: Store;
  /** What its path in the request begins with: nothing for that of the request itself. */
  readonly prefix: string;
  /** Several results go there. */
  readonly isShared: boolean;
}

/** The same for the same store, whatever the order of its members. */
export function storeKey(store: Store | undefined): string {
  return JSON.stringify(inOrder(store ?? null));
}

/**
 * Opens every store that a request names, before its work is done.
 * @param open the way into a store; told whether several results go there
 * @throws ApiError 422 with the path of the store that cannot be opened
 */
export async function openStores<Opened>(
  processing: Processing,
  open: (store: Store, isShared: boolean) => Promise<Opened>,
): Promise<ReadonlyMap<string, Opened>> {
  const opened = [...namedStores(processing)].map(async ([key, { store, prefix, isShared }]) => {
    const way = await open(store, isShared).catch((error: unknown) => {
      throw prefix && error instanceof ApiError && error.status === 422
        ? new ApiError(422, `${prefix}${error.message}`, { cause: error })
        : error;
    });
    return [key, way] as const;
  });
  return new Map(await Promise.all(opened));
}

function namedStores({ store, outputs = {}, srcset }: Processing): ReadonlyMap<string, NamedStore> {
  const named = new Map<string, NamedStore>();
  if (store) named.set(storeKey(store), { store, prefix: "", isShared: srcset !== undefined });
  const taken = new Set<string>();
  for (const [name, { store: own }] of Object.entries(outputs)) {
    if (!own) continue;
    const key = storeKey(own);
    const known = named.get(key) ?? { store: own, prefix: `outputs.${name}.` };
    named.set(key, { ...known, isShared: taken.has(key) });
    taken.add(key);
  }
  return named;
}
