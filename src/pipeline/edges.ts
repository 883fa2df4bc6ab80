/** The pipeline with its real edges: what both entrances walk. Tests put a shorter one in its place. */
import { keepLooks } from "../account/alike.ts";
import { openAsset, type Shelf, watermarkKey } from "../account/assets.ts";
import { databaseNamed } from "../account/databases.ts";
import { vaultOf } from "../account/vault.ts";
import { joinConnector, type SavedStore } from "../contract/store.ts";
import { DIRECTORY, type Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import type { Encoded } from "../files.ts";
import { MAX_SOURCE_BYTES } from "../limits.ts";
import { causesOf, logLine } from "../log.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { readStored } from "../scheduler/stored.ts";
import { readOrigin } from "../source/origin.ts";
import type { Keyfile } from "../storage/keyfile.ts";
import { isFolder } from "../storage/path.ts";
import { type ConnectedStore, isConnected, type SpelledStore, type Store } from "../storage/providers.ts";
import { putInStore } from "../storage/store.ts";
import { readAnchors } from "../storage/trust.ts";
import { keepTemporarily, removeTemporary } from "../storage/volatile.ts";
import type { Job, Ports, Result } from "./job.ts";
import { process } from "./process.ts";
import { signerOf } from "./signers.ts";

/** That of the interface, as manifests name the program that wrote them. */
const VERSION = "1.0";

export interface Pipeline {
  readonly process: (job: Job, ports: Ports) => Promise<Result>;
  /** The edges, for one job; `baseUrl` is the public address of the service, `database` that of the job's account. */
  readonly portsOf: (env: Env, settings: Settings, baseUrl: string, database?: string) => Ports;
}

export const pipeline: Pipeline = {
  process: (job, ports) => process(job, ports),
  portsOf: (env, settings, baseUrl, database = DIRECTORY) => ({
    readOriginal: async (source, signal, caller) =>
      source.kind === "upload" ? source.original : readOrigin(source, settings, MAX_SOURCE_BYTES, { signal, caller }),
    readWatermark: async (accountId, id) => {
      const stored = await env.BUCKET.get(watermarkKey(accountId, id));
      if (!stored) throw new ApiError(422, "watermark.id must be the id of a saved watermark");
      return readStored(stored, isolateBudget);
    },
    openStore: (accountId, store, isShared = false) => {
      const shelf = { db: databaseNamed(env, database), vault: vaultOf(settings.vaultKeys), accountId };
      return openStore(shelf, settings, store, isShared);
    },
    keepTemporarily: (encoded) => {
      const lease = { baseUrl, ttlSeconds: settings.temporaryTtlSeconds };
      return keepTemporarily(env.BUCKET, lease, encoded, Date.now());
    },
    provenanceFor: (accountId) => ({
      anchors: () => readAnchors(env.BUCKET),
      now: Date.now(),
      signer: (id) => {
        const shelf = { db: databaseNamed(env, database), vault: vaultOf(settings.vaultKeys), accountId };
        return signerOf(shelf, settings, id);
      },
      generator: { name: settings.serviceName, version: VERSION },
      newId: () => crypto.randomUUID(),
    }),
    keepLooks: (accountId, looks) => {
      const keeping = keepLooks(databaseNamed(env, database), accountId, looks, Date.now());
      // The result is there, and whoever asks for it anew has it remembered then.
      return keeping.catch((error: unknown) => logLine("error", { event: "looks not kept", causes: causesOf(error) }));
    },
    removeTemporary: (url) => removeTemporary(env.BUCKET, url, Date.now()),
  }),
};

/**
 * @throws ApiError 422 when the account has no such connector or keyfile, or it names one object for several results
 */
async function openStore(shelf: Shelf, settings: Settings, store: Store, isShared: boolean) {
  const spelled = isConnected(store) ? await connected(shelf, store) : store;
  if (isShared && isConnected(store)) checkConnectorFolder(spelled);
  const { keyfile: id } = spelled;
  const keyfile = typeof id === "string" ? await openAsset(shelf, "keyfile", id) : undefined;
  if (typeof id === "string" && keyfile === undefined) {
    throw new ApiError(422, "store.keyfile must be the id of a saved keyfile");
  }
  const options = { policy: settings, keyfile: keyfile as Keyfile | undefined };
  return (encoded: Encoded) => putInStore(spelled, encoded, options);
}

/** The path of a connector is known here for the first time: that of a spelled store was checked with its request. */
function checkConnectorFolder({ path }: SpelledStore): void {
  if (path === undefined || isFolder(path)) return;
  throw new ApiError(
    422,
    "store.path must be given and end in a slash: that of the connector names one object, which several outputs cannot be",
  );
}

async function connected(shelf: Shelf, store: ConnectedStore): Promise<SpelledStore> {
  const saved = await openAsset(shelf, "connector", store.id);
  if (saved === undefined) throw new ApiError(422, "store.id must be the id of a saved connector");
  return joinConnector(store, saved as SavedStore);
}
