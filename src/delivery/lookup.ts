/** Deliveries as an isolate remembers them: the database is asked about an id at most once a minute. */
import { vaultOf } from "../account/vault.ts";
import type { Settings } from "../env.ts";
import { DELIVERY_CACHE_SECONDS, MAX_CACHED_DELIVERIES, MAX_CACHED_UNKNOWN_DELIVERIES } from "../limits.ts";
import { Recent } from "../recent.ts";
import { openDelivery, type OpenedDelivery } from "./records.ts";

interface Known {
  readonly delivery: Promise<OpenedDelivery | undefined>;
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
  const delivery = openDelivery({ db: env.DB, vault: vaultOf(settings.vaultKeys) }, id, now);
  const until = now + DELIVERY_CACHE_SECONDS * 1_000;
  // Whoever asks meanwhile waits for the same answer.
  existing.set(id, { delivery, until });
  try {
    const found = await delivery;
    if (found === undefined) {
      existing.delete(id);
      unknown.set(id, { delivery, until });
    } else unknown.delete(id);
    return found;
  } catch (error) {
    existing.delete(id);
    throw error;
  }
}

/** Forgets every delivery, so that a change made in this isolate holds here at once. */
export function forgetDeliveries(): void {
  existing.clear();
  unknown.clear();
}
