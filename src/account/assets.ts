/** What accounts save for later requests: the only SQL on the table `assets`, but that which seals anew. */
import { ApiError } from "../errors.ts";
import { MAX_ASSETS } from "../limits/assets.ts";
import type { Vault } from "./vault.ts";

export type AssetKind = "watermark" | "keyfile" | "connector" | "signer";

/** What may be shown of an asset. */
export interface Asset<Details extends object = object> {
  /** Ten letters and digits. */
  readonly id: string;
  readonly name: string;
  /** Facts of its kind: the size of a watermark, the address of a keyfile. */
  readonly details: Details;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Whose assets, and where they and their secrets lie. */
export interface Shelf {
  readonly db: D1Database;
  readonly vault: Vault;
  readonly accountId: string;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly details: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID_CHARACTERS = 10;

/** Ten random letters and digits; ids are names, not secrets, so that the first letters are a little likelier is fine. */
export function newAssetId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_CHARACTERS));
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/**
 * Saves an asset; `secret` is sealed and can only be read with `openAsset`.
 * @throws ApiError 422 when the account has as many as it may have
 */
export async function saveAsset<Details extends object>(
  shelf: Shelf,
  kind: AssetKind,
  asset: { readonly id: string; readonly name: string; readonly details: Details; readonly secret?: object },
  now: Date,
): Promise<Asset<Details>> {
  const { id, name, details, secret } = asset;
  const at = now.toISOString();
  const sealed = secret === undefined ? null : await shelf.vault.seal(secret, assetContext(shelf.accountId, kind, id));
  const { meta } = await shelf.db
    .prepare(
      `INSERT INTO assets (id, account_id, kind, name, details, sealed, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7
       WHERE (SELECT COUNT(*) FROM assets WHERE account_id = ?2 AND kind = ?3) < ?8`,
    )
    .bind(id, shelf.accountId, kind, name, JSON.stringify(details), sealed, at, MAX_ASSETS)
    .run();
  if (meta.changes === 0) throw new ApiError(422, `An account has at most ${MAX_ASSETS} ${kind}s`);
  return { id, name, details, createdAt: at, updatedAt: at };
}

/** Replaces what was saved; undefined when the account has no such asset. */
export async function changeAsset<Details extends object>(
  shelf: Shelf,
  kind: AssetKind,
  asset: { readonly id: string; readonly name: string; readonly details: Details; readonly secret: object },
  now: Date,
): Promise<Asset<Details> | undefined> {
  const { id, name, details, secret } = asset;
  const sealed = await shelf.vault.seal(secret, assetContext(shelf.accountId, kind, id));
  const row = await shelf.db
    .prepare(
      `UPDATE assets SET name = ?4, details = ?5, sealed = ?6, updated_at = ?7
       WHERE id = ?1 AND account_id = ?2 AND kind = ?3 RETURNING *`,
    )
    .bind(id, shelf.accountId, kind, name, JSON.stringify(details), sealed, now.toISOString())
    .first<Row>();
  return row ? assetOf<Details>(row) : undefined;
}

/** Newest first. */
export async function listAssets<Details extends object>(
  shelf: Shelf,
  kind: AssetKind,
  page: { readonly offset: number; readonly limit: number },
): Promise<Asset<Details>[]> {
  const { results } = await shelf.db
    .prepare(
      `SELECT id, name, details, created_at, updated_at FROM assets WHERE account_id = ? AND kind = ?
       ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
    )
    .bind(shelf.accountId, kind, page.limit, page.offset)
    .all<Row>();
  return results.map((row) => assetOf<Details>(row));
}

/** Undefined when the account has no such asset: those of others do not exist. */
export async function findAsset<Details extends object>(
  shelf: Shelf,
  kind: AssetKind,
  id: string,
): Promise<Asset<Details> | undefined> {
  const row = await shelf.db
    .prepare(
      `SELECT id, name, details, created_at, updated_at FROM assets
       WHERE id = ? AND account_id = ? AND kind = ?`,
    )
    .bind(id, shelf.accountId, kind)
    .first<Row>();
  return row ? assetOf<Details>(row) : undefined;
}

/** What was sealed with the asset; undefined when the account has no such asset. */
export async function openAsset(shelf: Shelf, kind: AssetKind, id: string): Promise<unknown> {
  const row = await shelf.db
    .prepare("SELECT sealed FROM assets WHERE id = ? AND account_id = ? AND kind = ?")
    .bind(id, shelf.accountId, kind)
    .first<{ sealed: number[] | ArrayBuffer | null }>();
  return row?.sealed
    ? shelf.vault.openJson(new Uint8Array(row.sealed), assetContext(shelf.accountId, kind, id))
    : undefined;
}

/** What was sealed with the newest asset of a kind; undefined when the account has none. */
export async function openNewestAsset(shelf: Shelf, kind: AssetKind): Promise<unknown> {
  const row = await shelf.db
    .prepare("SELECT id, sealed FROM assets WHERE account_id = ? AND kind = ? ORDER BY created_at DESC, id LIMIT 1")
    .bind(shelf.accountId, kind)
    .first<{ id: string; sealed: number[] | ArrayBuffer | null }>();
  return row?.sealed
    ? shelf.vault.openJson(new Uint8Array(row.sealed), assetContext(shelf.accountId, kind, row.id))
    : undefined;
}

/** False when the account has no such asset. */
export async function deleteAsset(shelf: Shelf, kind: AssetKind, id: string): Promise<boolean> {
  const { meta } = await shelf.db
    .prepare("DELETE FROM assets WHERE id = ? AND account_id = ? AND kind = ?")
    .bind(id, shelf.accountId, kind)
    .run();
  return meta.changes > 0;
}

/** Where the bytes of an account's watermark lie in the bucket. */
export function watermarkKey(accountId: string, id: string): string {
  return `assets/${accountId}/${id}`;
}

/** A sealed secret opens only as what it is, for whom it is; `kind` is an AssetKind. */
export function assetContext(accountId: string, kind: string, id: string): string {
  return `${kind} ${accountId} ${id}`;
}

function assetOf<Details extends object>(row: Row): Asset<Details> {
  return {
    id: row.id,
    name: row.name,
    details: JSON.parse(row.details) as Details,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
