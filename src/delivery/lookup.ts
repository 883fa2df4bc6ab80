/** Deliveries as an isolate remembers them: what the database said of an id holds for a minute. */
import { readBesideCache, type Remembering } from "../account/sealed-cache.ts";
import { type Vault, vaultOf } from "../account/vault.ts";
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

/** What is done about a delivery while the database is asked. */
export interface Meanwhile {
  /** Called before, about an id that this isolate has not seen to exist; may refuse. */
  readonly onAnonymousClient?: () => void;
  /** Called once at most, with what the delivery was lately: the database may say something else. */
  readonly onFormerDelivery?: (delivery: OpenedDelivery) => void;
  /** Where isolates remember that for each other. */
  readonly remembering?: Omit<Remembering, "name">;
}

/** A delivery by its public id; undefined when there is none, or its account is suspended. */
export async function findDeliveryById(
  env: Env,
  settings: Settings,
  id: string,
  now: number,
  { onAnonymousClient, ...meanwhile }: Meanwhile = {},
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
  if (!existing.has(id)) onAnonymousClient?.();
  const since = Date.now();
  asking.set(id, since);
  try {
    const delivery = await readBeside(env.DB, vaultOf(settings.vaultKeys), id, now, meanwhile);
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

async function readBeside(
  db: D1Database,
  vault: Vault,
  id: string,
  now: number,
  { onFormerDelivery, remembering }: Meanwhile,
): Promise<OpenedDelivery | undefined> {
  const asked = readDelivery(db, id);
  const own = existing.get(id)?.delivery;
  if (own) onFormerDelivery?.(own);
  const former = async (row: DeliveryRow) => onFormerDelivery?.(await openedDelivery(vault, row, now));
  const row =
    own || !remembering
      ? await asked
      : await readBesideCache({ ...remembering, name: `delivery ${id}` }, asked, former);
  return row ? openedDelivery(vault, row, now) : undefined;
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
