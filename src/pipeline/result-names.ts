/** Names of results, by which they are found again: hashes of all that a result depends on. */
import { inOrder } from "../contract/in-order.ts";
import type { Original } from "../source/original.ts";
import { base64Url, sha256 } from "../storage/digest.ts";
import { isConnected } from "../storage/providers.ts";
import type { Job } from "./job.ts";

/** Where a picture comes from, as far as it says which one it is. */
interface Bytes {
  readonly hash: string;
  readonly name: string;
  readonly length: number;
}
type Fetched = readonly ["fetch", url: string, headers: unknown];
export type NameOf = (picture: Bytes | Fetched) => Promise<string>;

export async function bytesOf({ bytes, name }: Original): Promise<Bytes> {
  return { hash: await hashOf(bytes), name, length: bytes.length };
}

/** What names depend on beside the job. */
export interface NamedBy {
  /** The version of the service. */
  readonly engine: string;
  /** The public address of the service. */
  readonly baseUrl: string;
  /** What a saved connector says, which may have been changed. */
  readonly connectorOf: (accountId: string, id: string) => Promise<object | undefined>;
}

/** Names of a job's result: the same for the same work, whatever the order of the members, and for nothing else. */
export async function namesFor(
  { accountId, processing, accept }: Job,
  { engine, baseUrl, connectorOf }: NamedBy,
): Promise<NameOf> {
  const { reuse: _, response: __, ...work } = processing;
  const isNegotiated = JSON.stringify(work).includes('"auto"');
  const stores = [processing.store, ...Object.values(processing.outputs ?? {}).map(({ store }) => store)];
  const ids = new Set(stores.flatMap((store) => (store && isConnected(store) ? [store.id] : [])));
  const connectors: unknown[] = [];
  for (const id of ids) connectors.push([id, inOrder((await connectorOf(accountId, id)) ?? {})]);
  const isStored = stores.some((store) => store !== undefined);
  return async (picture) => {
    const shown = "hash" in picture ? ["upload", picture.hash] : picture;
    // The name of an object in a store follows from that of the original.
    const target = isStored ? [connectors, "hash" in picture ? picture.name : ""] : [];
    return hashOf(JSON.stringify([shown, inOrder(work), isNegotiated ? (accept ?? "") : "", target, baseUrl, engine]));
  };
}

async function hashOf(content: string | Uint8Array): Promise<string> {
  return base64Url(await sha256(content));
}
