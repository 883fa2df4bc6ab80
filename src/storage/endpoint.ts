/** The guard before stores that callers name by their address. */
import { addressProblem } from "../address.ts";
import type { StorePolicy } from "./session.ts";

/**
 * What is wrong with calling an endpoint, or undefined.
 *
 * The credentials are the caller's, but the request leaves from here: so https, public addresses, and the hosts that
 * the operator has listed. An empty list allows none, except where private origins are allowed, which is local work.
 */
export function endpointProblem(endpoint: string, policy: StorePolicy): string | undefined {
  const { protocol, hostname } = new URL(endpoint);
  if (!policy.allowPrivateOrigins) {
    if (protocol !== "https:") return "must be an https URL";
    const problem = addressProblem(hostname);
    if (problem) return problem;
  }
  const listed = policy.storeHosts.some((host) => matches(hostname, host));
  const open = policy.allowPrivateOrigins && policy.storeHosts.length === 0;
  return listed || open ? undefined : "must be on a host that the operator has allowed";
}

/** `*.example.com` stands for every host below `example.com`. */
function matches(hostname: string, host: string): boolean {
  return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host;
}
