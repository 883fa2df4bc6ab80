/** Deliveries in the database: the only SQL on the table `deliveries`, but that which seals anew. */
import type { Vault } from "../account/vault.ts";
import type { DeliveryRules, SigningPair } from "../contract/deliveries.ts";
import { ApiError } from "../errors.ts";
import { MAX_DELIVERIES, SIGNING_OVERLAP_MS } from "../limits.ts";

export interface Delivery extends DeliveryRules {
  readonly id: string;
  readonly accountId: string;
  /** Any source, everything unsigned: on one's own machine alone. */
  readonly isOpen: boolean;
  /** Results that were made before, milliseconds since 1970, are forgotten. */
  readonly purgedAt: number;
  /** Counts purges. */
  readonly edition: number;
  readonly createdAt: string;
}

/** The pair that signs now, and the one before as long as it is valid. */
export interface Signing {
  readonly current: SigningPair;
  readonly previous?: SigningPair & { readonly until: number };
}

/** Where deliveries and what they are signed with lie. */
export interface DeliveryShelf {
  readonly db: D1Database;
  readonly vault: Vault;
}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly sources: string;
  readonly presets: string;
  readonly unsigned: string;
  readonly refine: number;
  readonly ttl: number;
  readonly is_open: number;
  readonly signing: ArrayLike<number> | null;
  readonly previous: ArrayLike<number> | null;
  readonly previous_until: number | null;
  readonly purged_at: number;
  readonly edition: number;
  readonly created_at: string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID_CHARACTERS = 16;
const KEY_BYTES = 32;

/** `dl_` and sixteen letters and digits: a name, not a secret, so that the first letters are a little likelier is fine. */
function newDeliveryId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_CHARACTERS));
  return `dl_${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}

/** A sealed pair opens only as the pair of its delivery. */
export function signingContext(id: string): string {
  return `delivery ${id}`;
}

function newPair(): SigningPair {
  const random = () => crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
  return { key: random(), salt: random() };
}

/** @throws ApiError 422 when the account has as many as it may have */
export async function createDelivery(
  { db, vault }: DeliveryShelf,
  accountId: string,
  rules: DeliveryRules,
  now: Date,
): Promise<{ delivery: Delivery; pair: SigningPair }> {
  const [id, at, pair] = [newDeliveryId(), now.toISOString(), newPair()];
  const { name, sources, presets, unsigned, refine, ttl } = rules;
  const sealed = await vault.seal(pair, signingContext(id));
  const lists = [JSON.stringify(sources), JSON.stringify(presets), JSON.stringify(unsigned)];
  const { meta } = await db
    .prepare(
      `INSERT INTO deliveries (id, account_id, name, sources, presets, unsigned, refine, ttl, signing, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10
       WHERE (SELECT COUNT(*) FROM deliveries WHERE account_id = ?2) < ?11`,
    )
    .bind(id, accountId, name, ...lists, Number(refine), ttl, sealed, at, MAX_DELIVERIES)
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
  const { name = null, sources, presets, unsigned, refine, ttl = null } = change;
  const row = await db
    .prepare(
      `UPDATE deliveries SET name = coalesce(?3, name), sources = coalesce(?4, sources), presets = coalesce(?5, presets),
         unsigned = coalesce(?6, unsigned), refine = coalesce(?7, refine), ttl = coalesce(?8, ttl), updated_at = ?9
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

/** What the addresses of a delivery are signed with; undefined when the account has no such delivery, or none is signed. */
export async function signingOf(
  { db, vault }: DeliveryShelf,
  accountId: string,
  id: string,
  now: number,
): Promise<Signing | undefined> {
  const row = await db
    .prepare("SELECT * FROM deliveries WHERE id = ? AND account_id = ?")
    .bind(id, accountId)
    .first<Row>();
  return row ? openSigning(vault, row, now) : undefined;
}

/** Makes a new pair; the one before stays valid for a while, and no pair before that. */
export async function rotateSigning(
  { db, vault }: DeliveryShelf,
  accountId: string,
  id: string,
  now: number,
): Promise<Signing | undefined> {
  const pair = newPair();
  const row = await db
    .prepare(
      `UPDATE deliveries SET previous = signing, previous_until = ?4, signing = ?3, updated_at = ?5
       WHERE id = ?1 AND account_id = ?2 RETURNING *`,
    )
    .bind(
      id,
      accountId,
      await vault.seal(pair, signingContext(id)),
      now + SIGNING_OVERLAP_MS,
      new Date(now).toISOString(),
    )
    .first<Row>();
  return row ? openSigning(vault, row, now) : undefined;
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
  /** Credits of the account in a calendar month. */
  readonly creditsTotal: number;
  /** Where the account's connectors lie. */
  readonly database: string;
}

/** Undefined when there is none. */
export async function openDelivery(
  { db, vault }: DeliveryShelf,
  id: string,
  now: number,
): Promise<OpenedDelivery | undefined> {
  const row = await db
    .prepare(
      `SELECT deliveries.*, accounts.credits_total, accounts.database FROM deliveries JOIN accounts ON accounts.id = deliveries.account_id
       WHERE deliveries.id = ? AND accounts.status = 'active'`,
    )
    .bind(id)
    .first<Row & { readonly credits_total: number; readonly database: string }>();
  if (!row) return undefined;
  const { credits_total: creditsTotal, database } = row;
  return { ...deliveryOf(row), signing: await openSigning(vault, row, now), creditsTotal, database };
}

async function openSigning(vault: Vault, row: Row, now: number): Promise<Signing | undefined> {
  const { id, signing, previous, previous_until: until } = row;
  if (signing === null) return undefined;
  const open = async (sealed: ArrayLike<number>) =>
    (await vault.openJson(Uint8Array.from(sealed), signingContext(id))) as SigningPair;
  const current = await open(signing);
  if (previous === null || until === null || until <= now) return { current };
  return { current, previous: { ...(await open(previous)), until } };
}

function deliveryOf(row: Row): Delivery {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    sources: JSON.parse(row.sources) as Delivery["sources"],
    presets: JSON.parse(row.presets) as Delivery["presets"],
    unsigned: JSON.parse(row.unsigned) as Delivery["unsigned"],
    refine: row.refine === 1,
    ttl: row.ttl,
    isOpen: row.is_open === 1,
    purgedAt: row.purged_at,
    edition: row.edition,
    createdAt: row.created_at,
  };
}
