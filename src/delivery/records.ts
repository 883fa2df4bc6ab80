/** Deliveries in the database. */
import { type AccountRow, budgetOf, limitsOf } from "../account/accounts.ts";
import type { Budget, Limits } from "../account/budgets.ts";
import type { Vault } from "../account/vault.ts";
import type { DeliveryRules, SigningPair } from "../contract/deliveries.ts";
import { ApiError } from "../errors.ts";
import { MAX_DELIVERIES } from "../limits/delivery.ts";
import { type Delivery, deliveryOf, type DeliveryShelf, type Row } from "./rows.ts";
import { newPair, openSigning, type Signing, signingContext } from "./signing-pairs.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID_CHARACTERS = 16;

/** `dl_` and sixteen letters and digits: a name, not a secret, so that the first letters are a little likelier is fine. */
function newDeliveryId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_CHARACTERS));
  return `dl_${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}

/** @throws ApiError 422 when the account has as many as it may have */
export async function createDelivery(
  { db, vault }: DeliveryShelf,
  accountId: string,
  rules: DeliveryRules,
  now: Date,
): Promise<{ delivery: Delivery; pair: SigningPair }> {
  const [id, at, pair] = [newDeliveryId(), now.toISOString(), newPair()];
  const { name, sources, presets, unsigned, refine, ttl, provenance } = rules;
  const sealed = await vault.seal(pair, signingContext(id));
  const lists = [JSON.stringify(sources), JSON.stringify(presets), JSON.stringify(unsigned)];
  const { meta } = await db
    .prepare(
      `INSERT INTO deliveries (id, account_id, name, sources, presets, unsigned, refine, ttl, provenance, signing, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11
       WHERE (SELECT COUNT(*) FROM deliveries WHERE account_id = ?2) < ?12`,
    )
    .bind(id, accountId, name, ...lists, Number(refine), ttl, provenance, sealed, at, MAX_DELIVERIES)
    .run();
  if (meta.changes === 0) throw new ApiError(422, `An account has at most ${MAX_DELIVERIES} deliveries`);
  const delivery = { ...rules, id, accountId, isOpen: false, purgedAt: 0, edition: 0, createdAt: at };
  return { delivery, pair };
}

/** Newest first. */
export async function listDeliveries(
  db: D1Database,
  accountId: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<Delivery[]> {
  const { results } = await db
    .prepare("SELECT * FROM deliveries WHERE account_id = ? ORDER BY created_at DESC, id LIMIT ? OFFSET ?")
    .bind(accountId, page.limit, page.offset)
    .all<Row>();
  return results.map(deliveryOf);
}

/** Undefined when the account has no such delivery: those of others do not exist. */
export async function findDelivery(db: D1Database, accountId: string, id: string): Promise<Delivery | undefined> {
  const row = await db
    .prepare("SELECT * FROM deliveries WHERE id = ? AND account_id = ?")
    .bind(id, accountId)
    .first<Row>();
  return row ? deliveryOf(row) : undefined;
}

/** Changes what is given and leaves the rest; undefined when the account has no such delivery. */
export async function changeDelivery(
  db: D1Database,
  accountId: string,
  id: string,
  change: Partial<DeliveryRules>,
  now: Date,
): Promise<Delivery | undefined> {
  const text = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  const { name = null, sources, presets, unsigned, refine, ttl = null, provenance = null } = change;
  const row = await db
    .prepare(
      `UPDATE deliveries SET name = coalesce(?3, name), sources = coalesce(?4, sources), presets = coalesce(?5, presets),
         unsigned = coalesce(?6, unsigned), refine = coalesce(?7, refine), ttl = coalesce(?8, ttl), provenance = coalesce(?9, provenance),
         updated_at = ?10
       WHERE id = ?1 AND account_id = ?2 RETURNING *`,
    )
    .bind(
      id,
      accountId,
      name,
      text(sources),
      text(presets),
      text(unsigned),
      refine === undefined ? null : Number(refine),
      ttl,
      provenance,
      now.toISOString(),
    )
    .first<Row>();
  return row ? deliveryOf(row) : undefined;
}

/** False when the account has no such delivery. */
export async function deleteDelivery(db: D1Database, accountId: string, id: string): Promise<boolean> {
  const { meta } = await db.prepare("DELETE FROM deliveries WHERE id = ? AND account_id = ?").bind(id, accountId).run();
  return meta.changes > 0;
}

/**
 * Makes edge caches forget what they know of a delivery; with `all`, everything that was made before is forgotten
 * everywhere. False when the account has no such delivery.
 */
export async function markPurged(
  db: D1Database,
  accountId: string,
  id: string,
  { all, now }: { readonly all: boolean; readonly now: number },
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `UPDATE deliveries SET edition = edition + 1, purged_at = CASE WHEN ?3 THEN ?4 ELSE purged_at END
       WHERE id = ?1 AND account_id = ?2`,
    )
    .bind(id, accountId, Number(all), now)
    .run();
  return meta.changes > 0;
}

/** A delivery of any account with what signs its addresses, as those who serve it need it. */
export interface OpenedDelivery extends Delivery {
  readonly signing: Signing | undefined;
  /** Credits of the account in a calendar month, by its plan. */
  readonly creditsTotal: number;
  /** Bounds of the account beside them, and what its meter has to know of these; absent: there are none. */
  readonly limits: Limits;
  readonly budget?: Budget | undefined;
  /** Where the account's connectors lie. */
  readonly database: string;
  /** The folder of the operator's bucket that the account may read; null: none of it. */
  readonly originals: string | null;
}

/** Undefined when there is none, or its account is suspended. */
export async function openDelivery(
  { db, vault }: DeliveryShelf,
  id: string,
  now: number,
): Promise<OpenedDelivery | undefined> {
  const row = await readDelivery(db, id);
  return row ? openedDelivery(vault, row, now) : undefined;
}

/** A row of a delivery with what is needed of its account; as JSON it is the same. */
export type DeliveryRow = Row & Pick<AccountRow, "credits_total" | "database" | "originals" | "limits" | "alerts">;

/** Null when there is none, or its account is suspended. */
export function readDelivery(db: D1Database, id: string): Promise<DeliveryRow | null> {
  return db
    .prepare(
      `SELECT deliveries.*, accounts.credits_total, accounts.database, accounts.originals, accounts.limits, accounts.alerts
       FROM deliveries JOIN accounts ON accounts.id = deliveries.account_id
       WHERE deliveries.id = ? AND accounts.status = 'active'`,
    )
    .bind(id)
    .first<DeliveryRow>();
}

export async function openedDelivery(vault: Vault, row: DeliveryRow, now: number): Promise<OpenedDelivery> {
  const { credits_total: creditsTotal, database, originals } = row;
  const limits = limitsOf(row);
  const budget = budgetOf({ id: row.account_id, database, creditsTotal, limits, alerts: row.alerts });
  const signing = await openSigning(vault, row, now);
  return { ...deliveryOf(row), signing, creditsTotal, database, originals, limits, ...(budget && { budget }) };
}
