/** The guard before stores that callers name by their address. */
import { addressProblem, isIpAddress, isListedHost } from "../address.ts";
import type { StorePolicy } from "./policy.ts";

/**
 * What is wrong with calling an endpoint, or undefined.
 *
 * The credentials are the caller's, but the request leaves from here: so https, and the hosts that the operator has listed,
 * which may be in the operator's own network. An empty list allows none, except where private origins are allowed, which is
 * local work.
 */
export function endpointProblem(
  endpoint: string,
  { storeHosts, allowPrivateOrigins }: StorePolicy,
): string | undefined {
  const { protocol, hostname } = new URL(endpoint);
  const isListed = isListedHost(hostname, storeHosts);
  if (!allowPrivateOrigins) {
    if (protocol !== "https:") return "must be an https URL";
    const problem = isListed && !isIpAddress(hostname) ? undefined : addressProblem(hostname);
    if (problem) return problem;
  }
  const isOpen = allowPrivateOrigins && storeHosts.length === 0;
  return isListed || isOpen ? undefined : "must be on a host that the operator has allowed";
}
