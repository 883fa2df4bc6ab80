/** What addresses of deliveries are signed with, in the database. */
import type { Vault } from "../account/vault.ts";
import type { SigningPair } from "../contract/deliveries.ts";
import { SIGNING_OVERLAP_MS } from "../limits/delivery.ts";
import type { DeliveryShelf, Row } from "./rows.ts";

/** The pair that signs now, and the one before as long as it is valid. */
export interface Signing {
  readonly current: SigningPair;
  readonly previous?: SigningPair & { readonly until: number };
}

const KEY_BYTES = 32;

/** A sealed pair opens only as the pair of its delivery. */
export function signingContext(id: string): string {
  return `delivery ${id}`;
}

/** A pair that nobody has seen. */
export function newPair(): SigningPair {
  const random = () => crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
  return { key: random(), salt: random() };
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

/** The pairs of a row that sign or are still valid; undefined where addresses are not signed. */
export async function openSigning(vault: Vault, row: Row, now: number): Promise<Signing | undefined> {
  const { id, signing, previous, previous_until: until } = row;
  if (signing === null) return undefined;
  const open = async (sealed: ArrayLike<number>) =>
    (await vault.openJson(Uint8Array.from(sealed), signingContext(id))) as SigningPair;
  const current = await open(signing);
  if (previous === null || until === null || until <= now) return { current };
  return { current, previous: { ...(await open(previous)), until } };
}
