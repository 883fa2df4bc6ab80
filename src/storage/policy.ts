/**
 * The guard before every request to a store, whoever has named its address: a caller, the operator, or a catalog that the
 * store has answered with.
 */
import { isListedHost, isPublicAddress } from "../address.ts";

/** What the operator has settled about stores. */
export interface StorePolicy {
  /** Code or alias to base URL, for emulators. */
  readonly providerEndpoints: Readonly<Record<string, string>>;
  readonly storeHosts: readonly string[];
  readonly allowPrivateOrigins: boolean;
}

/** Requests whose answer says what there is: the caller is told of it. */
const TELLING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * What is wrong with a request to a store, as the end of a sentence; undefined where it may be sent.
 *
 * What lies at private addresses is told to nobody unless private origins are allowed, be it an object, a list or that there
 * is none. Results may go there, into stores that the operator has named.
 */
export function callProblem(url: string, method: string, policy: StorePolicy): string | undefined {
  const { hostname, origin } = new URL(url);
  if (policy.allowPrivateOrigins || isPublicAddress(hostname)) return undefined;
  const isNamed =
    isListedHost(hostname, policy.storeHosts) ||
    Object.values(policy.providerEndpoints).some((base) => URL.parse(base)?.origin === origin);
  return isNamed && !TELLING.has(method) ? undefined : "must have a public address";
}
