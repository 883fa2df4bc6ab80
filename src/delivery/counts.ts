/**
 * What deliveries did, by day. Counted in the isolate and added to the database together, a moment after the first: no
 * request waits for a row, and a thousand of them cost one.
 */
import { dayOf } from "../account/usage.ts";
import { USAGE_HISTORY_DAYS } from "../limits/accounts.ts";
import { DELIVERY_COUNT_MS } from "../limits/delivery.ts";
import { SWEEP_BATCHES, SWEEP_DELETIONS } from "../limits/webhook.ts";

/** Counts of one delivery on one day. */
export interface DeliveryCounts {
  readonly finals: number;
  readonly drafts: number;
  /** Results that came from the bucket. */
  readonly storedHits: number;
  readonly deliveredBytes: number;
}

const NOTHING: DeliveryCounts = { finals: 0, drafts: 0, storedHits: 0, deliveredBytes: 0 };
const DAY_MS = 86_400_000;

/** By `<day> <account> <delivery>`. */
let counted = new Map<string, DeliveryCounts>();
/** When whoever writes the counts has done so, or is lost: its request may be ended without a word. */
let writtenBy = 0;
/** How long that may take besides. */
const WRITE_MS = 5_000;

/** Adds to the counts of a delivery; `defer` keeps the isolate alive until they are written. */
export function countDelivery(
  db: D1Database,
  { id, accountId }: { readonly id: string; readonly accountId: string },
  more: Partial<DeliveryCounts>,
  defer: (work: Promise<unknown>) => void,
  now = Date.now(),
): void {
  const name = `${dayOf(now)} ${accountId} ${id}`;
  counted.set(name, sum(counted.get(name) ?? NOTHING, { ...NOTHING, ...more }));
  if (writtenBy > now && writtenBy <= now + DELIVERY_COUNT_MS + WRITE_MS) return;
  writtenBy = now + DELIVERY_COUNT_MS + WRITE_MS;
  defer(scheduler.wait(DELIVERY_COUNT_MS).then(() => saveDeliveryCounts(db)));
}

/**
 * Adds to the counts of a delivery what is often: one of `sample` is counted, and stands for so many, since a row for each
 * would cost more than a hit or a draft itself.
 */
export function countSampled(
  db: D1Database,
  delivery: { readonly id: string; readonly accountId: string },
  more: Partial<DeliveryCounts>,
  { sample, defer }: { readonly sample: number; readonly defer: (work: Promise<unknown>) => void },
): void {
  if (Math.random() * sample >= 1) return;
  const all = Object.entries(more).map(([name, number]) => [name, number * sample] as const);
  countDelivery(db, delivery, Object.fromEntries(all), defer);
}

function sum(one: DeliveryCounts, other: DeliveryCounts): DeliveryCounts {
  return {
    finals: one.finals + other.finals,
    drafts: one.drafts + other.drafts,
    storedHits: one.storedHits + other.storedHits,
    deliveredBytes: one.deliveredBytes + other.deliveredBytes,
  };
}

const ADD_SQL = `INSERT INTO delivery_usage (day, account_id, delivery_id, finals, drafts, stored_hits, delivered_bytes)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  ON CONFLICT (account_id, day, delivery_id) DO UPDATE SET
    finals = finals + excluded.finals, drafts = drafts + excluded.drafts,
    stored_hits = stored_hits + excluded.stored_hits, delivered_bytes = delivered_bytes + excluded.delivered_bytes`;

/** Writes what was counted; what a failure keeps from being written is counted the next time. */
export async function saveDeliveryCounts(db: D1Database): Promise<void> {
  const saving = counted;
  counted = new Map();
  writtenBy = 0;
  if (saving.size === 0) return;
  const add = db.prepare(ADD_SQL);
  try {
    await db.batch(
      [...saving].map(([name, { finals, drafts, storedHits, deliveredBytes }]) =>
        add.bind(...name.split(" "), finals, drafts, storedHits, deliveredBytes),
      ),
    );
  } catch (error) {
    for (const [name, counts] of saving) counted.set(name, sum(counted.get(name) ?? NOTHING, counts));
    throw error;
  }
}

/** One delivery on one day. */
export interface DeliveryDay extends DeliveryCounts {
  readonly day: string;
  readonly accountId: string;
  readonly deliveryId: string;
}

/** The newest day first. Days are `2026-11-20`, both included. */
export async function listDeliveryCounts(
  db: D1Database,
  { accountId, start, end }: { readonly accountId: string | undefined; readonly start: string; readonly end: string },
  page: { readonly offset: number; readonly limit: number },
): Promise<DeliveryDay[]> {
  // Only a plain comparison lets the days of one account be found by their index.
  const whose = accountId === undefined ? "" : "AND account_id = ?5";
  const { results } = await db
    .prepare(
      `SELECT day, account_id AS accountId, delivery_id AS deliveryId, finals, drafts, stored_hits AS storedHits,
         delivered_bytes AS deliveredBytes
       FROM delivery_usage WHERE day >= ?1 AND day <= ?2 ${whose}
       ORDER BY day DESC, account_id, delivery_id LIMIT ?3 OFFSET ?4`,
    )
    .bind(start, end, page.limit, page.offset, ...(accountId === undefined ? [] : [accountId]))
    .all<DeliveryDay>();
  return results;
}

const OLD_SQL = "DELETE FROM delivery_usage WHERE rowid IN (SELECT rowid FROM delivery_usage WHERE day < ?1 LIMIT ?2)";

/** Deletes what is older than USAGE_HISTORY_DAYS, so much at a time. */
export async function sweepDeliveryCounts(db: D1Database, now: number): Promise<void> {
  const before = dayOf(now - USAGE_HISTORY_DAYS * DAY_MS);
  for (let batch = 0; batch < SWEEP_BATCHES; batch += 1) {
    const { meta } = await db.prepare(OLD_SQL).bind(before, SWEEP_DELETIONS).run();
    if (meta.changes < SWEEP_DELETIONS) return;
  }
}
