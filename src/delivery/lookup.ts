/** Deliveries as an isolate remembers them: what the database said of an id holds for a minute. */
import { type Meanwhile, readMeanwhile } from "../account/sealed-cache.ts";
import { vaultOf } from "../account/vault.ts";
import type { Settings } from "../env.ts";
import { DELIVERY_CACHE_SECONDS, MAX_CACHED_DELIVERIES, MAX_CACHED_UNKNOWN_DELIVERIES } from "../limits/delivery.ts";
import { Recent } from "../recent.ts";
import { type DeliveryRow, openedDelivery, type OpenedDelivery, readDelivery } from "./records.ts";

interface Known {
  readonly delivery: OpenedDelivery | undefined;
  readonly until: number;
}

/** When requests of this isolate began to ask the database about an id; one that was canceled never ends. */
const asking = new Recent<number>(MAX_CACHED_DELIVERIES);
/** How long others wait for the answer before they ask for themselves, and between two looks. */
const LOOK_UP_WAIT_MS = 500;
const LOOK_UP_STEP_MS = 5;

const existing = new Recent<Known>(MAX_CACHED_DELIVERIES);
const unknown = new Recent<Known>(MAX_CACHED_UNKNOWN_DELIVERIES);

/** `demo` is what `npm start` makes. */
const ID = /^(?:dl_[A-Za-z0-9]{16}|demo)$/;

/** A delivery by its public id; undefined when there is none, or its account is suspended. */
export async function findDeliveryById(
  env: Env,
  settings: Settings,
  id: string,
  now: number,
  meanwhile: Meanwhile<OpenedDelivery> = {},
): Promise<OpenedDelivery | undefined> {
  if (!ID.test(id)) return undefined;
  const known = knownNow(id, now);
  if (known) return known.delivery;
  // Each waits by a timer of its own: a promise of whoever asks would never be settled if that was canceled.
  while (isAsked(id)) {
    await scheduler.wait(LOOK_UP_STEP_MS);
    const told = knownNow(id, now);
    if (told) return told.delivery;
  }
  if (!existing.has(id)) meanwhile.onAnonymousClient?.();
  const since = Date.now();
  asking.set(id, since);
  try {
    const vault = vaultOf(settings.vaultKeys);
    const asked = {
      name: `delivery ${id}`,
      own: existing.get(id)?.delivery,
      row: readDelivery(env.DB, id),
      open: (row: DeliveryRow) => openedDelivery(vault, row, now),
    };
    const delivery = (await readMeanwhile(asked, meanwhile)) ?? undefined;
    // What was read before a change is not kept beyond it.
    if (asking.get(id) === since) {
      const [kept, other] = delivery ? [existing, unknown] : [unknown, existing];
      kept.set(id, { delivery, until: now + DELIVERY_CACHE_SECONDS * 1_000 });
      other.delete(id);
    }
    return delivery;
  } finally {
    if (asking.get(id) === since) asking.delete(id);
  }
}

function knownNow(id: string, now: number): Known | undefined {
  const known = existing.get(id) ?? unknown.get(id);
  return known && known.until > now ? known : undefined;
}

/** Whether another request is being told. */
function isAsked(id: string): boolean {
  const since = asking.get(id);
  return since !== undefined && Date.now() - since < LOOK_UP_WAIT_MS;
}

/** Forgets a delivery, so that a change made in this isolate holds here at once. */
export function forgetDelivery(id: string): void {
  asking.delete(id);
  existing.delete(id);
  unknown.delete(id);
}

/** Forgets every delivery, so that a change made in this isolate holds here at once. */
export function forgetDeliveries(): void {
  asking.clear();
  existing.clear();
  unknown.clear();
}
