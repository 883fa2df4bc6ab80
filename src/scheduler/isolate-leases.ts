/** Leases of what an isolate has: a place, a waiting endpoint, bytes that are read. */
import { Leases, type LeasesOptions } from "./leases.ts";
import { isolateThread } from "./time-slice.ts";

/** Leases that look at the thread whenever they beat, and count anew after an invocation was ended in its midst. */
export function isolateLeases(options: Pick<LeasesOptions, "silentMs"> = {}): Leases {
  const leases = new Leases({ ...options, onEvent: () => void isolateThread.look() });
  isolateThread.onEnded(() => leases.renew());
  return leases;
}
