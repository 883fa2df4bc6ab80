/**
 * What isolates of one data center remember for each other, sealed: whoever has a Worker on the same zone can neither read nor
 * make up any of it. It lies in the platform's cache, which costs nothing and may forget at any moment; on the platform's shared
 * domain, which has none, nothing is found and nothing kept. It may be out of date by as long as it is kept: nothing is granted
 * on it that the database has not confirmed.
 */
import type { Vault } from "./vault.ts";

export interface SealedCache {
  /** @returns undefined where nothing is kept, or what is kept does not open */
  readonly read: (name: string) => Promise<unknown>;
  /** @param value as JSON; undefined: there is none any more */
  readonly write: (name: string, value: object | undefined) => Promise<void>;
}

const KEPT_SECONDS = 3_600;

/** @param base the address of the service, to which the platform's cache keeps names */
export function sealedCacheAt(base: string, vault: Vault): SealedCache {
  const requestOf = (name: string) => new Request(`${base}/sealed/1/${encodeURIComponent(name)}`);
  const contextOf = (name: string) => `sealed cache 1 ${name}`;
  return {
    read: async (name) => {
      try {
        const kept = await caches.default.match(requestOf(name));
        return kept && (await vault.openJson(await kept.bytes(), contextOf(name)));
      } catch {
        return undefined;
      }
    },
    write: async (name, value) => {
      const headers = { "cache-control": `max-age=${KEPT_SECONDS}` };
      try {
        if (!value) await caches.default.delete(requestOf(name));
        else {
          const sealed = await vault.seal(value, contextOf(name));
          await caches.default.put(requestOf(name), new Response(sealed, { headers }));
        }
      } catch {
        // Whoever comes next finds nothing.
      }
    },
  };
}

/** Where isolates remember something for each other. */
export interface Remembering {
  readonly cache: SealedCache;
  /** Keeps the invocation alive for what nobody waits for. */
  readonly defer: (work: Promise<unknown>) => void;
}

/** What is done while the database is asked about something. */
export interface Meanwhile<Value> {
  /** Called before, about what this isolate has not seen to exist; may refuse. */
  readonly onAnonymousClient?: () => void;
  /** Called once at most, with what it was lately: the database may say something else. */
  readonly onFormer?: (value: Value) => void;
  /** Absent: what other isolates know is not asked for. */
  readonly remembering?: Remembering;
}

/** What is asked of the database, and what is known of it before. */
interface Asked<Row extends object, Value> {
  readonly name: string;
  /** What this isolate remembers itself; absent: nothing. */
  readonly own: Value | undefined;
  readonly row: Promise<Row | null>;
  /** @param row as the database has it, or as JSON has it */
  readonly open: (row: Row) => Value | Promise<Value>;
}

/**
 * What the database says, remembered for other isolates; what it was lately, as this isolate or others remember it, is handed
 * out before.
 * @returns null where there is nothing
 */
export async function readMeanwhile<Row extends object, Value>(
  { name, own, row, open }: Asked<Row, Value>,
  { onFormer, remembering }: Meanwhile<Value>,
): Promise<Value | null> {
  const opened = (found: Row | null) => (found ? open(found) : null);
  if (own !== undefined) onFormer?.(own);
  if (own !== undefined || !remembering) return opened(await row);
  const { cache, defer } = remembering;
  const isRead = row.then(nothing, nothing);
  const kept = (await Promise.race([cache.read(name), isRead])) as Row | undefined;
  // What cannot be opened any more is as good as none.
  const former = kept && (await Promise.resolve(kept).then(open).catch(nothing));
  if (former !== undefined) onFormer?.(former);
  const found = await row;
  const isSame = JSON.stringify(kept) === JSON.stringify(found ?? undefined);
  if (!isSame) defer(cache.write(name, found ?? undefined));
  return isSame && former !== undefined ? former : opened(found);
}

function nothing(): undefined {}
