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

/**
 * Reads from a far place, and remembers that for others; meanwhile hands out what they remember.
 * @param onFormer called once at most, with what is remembered, where that is there before what is read
 */
export async function readBesideCache<Value extends object>(
  { cache, name, defer }: Remembering,
  read: Promise<Value | null>,
  onFormer: (value: Value) => void | Promise<void>,
): Promise<Value | null> {
  const isRead = read.then(nothing, nothing);
  const former = (await Promise.race([cache.read(name), isRead])) as Value | undefined;
  if (former) await onFormer(former);
  const value = await read;
  if (JSON.stringify(former) !== JSON.stringify(value ?? undefined)) defer(cache.write(name, value ?? undefined));
  return value;
}

/** Where and under which name something is remembered. */
export interface Remembering {
  readonly cache: SealedCache;
  readonly name: string;
  /** Keeps the invocation alive for what nobody waits for. */
  readonly defer: (work: Promise<unknown>) => void;
}

function nothing(): undefined {}
