/** Deliveries as an isolate remembers them: what the database said of an id holds for a minute. */
import { vaultOf } from "../account/vault.ts";
import type { Settings } from "../env.ts";
import { DELIVERY_CACHE_SECONDS, MAX_CACHED_DELIVERIES, MAX_CACHED_UNKNOWN_DELIVERIES } from "../limits.ts";
import { Recent } from "../recent.ts";
import { openDelivery, type OpenedDelivery } from "./records.ts";

interface Known {
  readonly delivery: OpenedDelivery | undefined;
  readonly until: number;
}

const existing = new Recent<Known>(MAX_CACHED_DELIVERIES);
const unknown = new Recent<Known>(MAX_CACHED_UNKNOWN_DELIVERIES);

/** `demo` is what `npm start` makes. */
const ID = /^(?:dl_[A-Za-z0-9]{16}|demo)$/;

/**
 * A delivery by its public id; undefined when there is none, or its account is suspended.
 * @param onStranger called before the database is asked about an id that this isolate has not seen to exist; may refuse
 */
export async function findDeliveryById(
  env: Env,
  settings: Settings,
  id: string,
  now: number,
  onStranger: () => void = () => undefined,
): Promise<OpenedDelivery | undefined> {
  if (!ID.test(id)) return undefined;
  const known = existing.get(id) ?? unknown.get(id);
  if (known && known.until > now) return known.delivery;
  if (!existing.has(id)) onStranger();
  // Requests that come meanwhile ask for themselves: an answer that one of them waits for dies with it when it is canceled.
  const delivery = await openDelivery({ db: env.DB, vault: vaultOf(settings.vaultKeys) }, id, now);
  const [kept, other] = delivery ? [existing, unknown] : [unknown, existing];
  kept.set(id, { delivery, until: now + DELIVERY_CACHE_SECONDS * 1_000 });
  other.delete(id);
  return delivery;
}

/** Forgets every delivery, so that a change made in this isolate holds here at once. */
export function forgetDeliveries(): void {
  existing.clear();
  unknown.clear();
}
