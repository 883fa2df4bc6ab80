/** API keys: made here, kept as SHA-256 only, looked up by it. */
import { zlib } from "../../wasm/zlib.ts";
import { ApiError } from "../errors.ts";
import {
  KEY_CACHE_SECONDS,
  MAX_CACHED_KEYS,
  MAX_CACHED_UNKNOWN_KEYS,
  UNKNOWN_KEY_CACHE_SECONDS,
} from "../limits/accounts.ts";
import { Recent } from "../recent.ts";
import { type Account, type AccountRow, accountOf, budgetOf } from "./accounts.ts";
import type { Budget } from "./budgets.ts";
import { type Meanwhile, readMeanwhile } from "./sealed-cache.ts";

/** Whom a key belongs to. */
export interface Holder {
  readonly keyId: string;
  readonly account: Account;
  /** Credits that a key for agents may reserve on one day, UTC; other keys have none. */
  readonly dailyLimit?: number | undefined;
  /** The size of the account's database when it was measured last; 0 before that. */
  readonly databaseBytes: number;
  /** What bounds the account beside its plan; absent: nothing. */
  readonly budget?: Budget | undefined;
}

/** What can be told of a key once it was shown. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** The last characters of the key, to tell keys apart. */
  readonly hint: string;
  readonly createdAt: string;
  /** Of a key for agents. */
  readonly dailyLimit?: number | undefined;
}

const PREFIX = "dk_";
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** 40 characters of 62 are 238 bits. */
const RANDOM_CHARACTERS = 40;
/** 32 bits in characters of 62. */
export const CHECKSUM_CHARACTERS = 6;
const HINT_CHARACTERS = 4;

/** A new key: `dk_`, 40 random letters and digits, and a checksum of all that. */
export function generateKey(): string {
  const characters: string[] = [];
  while (characters.length < RANDOM_CHARACTERS) {
    for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS))) {
      // Bytes past the last multiple of 62 would make the first letters more likely.
      const character = byte < 248 ? ALPHABET[byte % 62] : undefined;
      if (character !== undefined) characters.push(character);
    }
  }
  const key = PREFIX + characters.slice(0, RANDOM_CHARACTERS).join("");
  return key + checksumOf(key);
}

/** It tells a key from what was guessed or mistyped without asking the database; it proves nothing. */
export function checksumOf(key: string): string {
  const characters: string[] = [];
  for (let left = zlib().crc32(key); characters.length < CHECKSUM_CHARACTERS; left = Math.floor(left / 62)) {
    characters.unshift(ALPHABET.charAt(left % 62));
  }
  return characters.join("");
}

/**
 * Whether a text could be a key. Keys from before the checksum have none, and an operator may have put in any others.
 */
export function mayBeKey(text: string): boolean {
  if (!text.startsWith(PREFIX)) return true;
  const end = PREFIX.length + RANDOM_CHARACTERS;
  return text.length === end || (text.length > end && text.slice(end) === checksumOf(text.slice(0, end)));
}

/** SHA-256 of a key as hex: what the database holds. Keys are random and long, so no slow hash is needed. */
async function hashOf(key: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return hash.toHex();
}

/**
 * Saves a key and returns it: the only time it can be seen.
 * @param dailyLimit makes it a key for agents
 */
export async function createKey(
  db: D1Database,
  accountId: string,
  name: string,
  now: Date,
  dailyLimit?: number,
): Promise<{ key: string; record: KeyRecord }> {
  const key = generateKey();
  const record = {
    id: crypto.randomUUID(),
    name,
    hint: key.slice(-HINT_CHARACTERS),
    createdAt: now.toISOString(),
    dailyLimit,
  };
  await db
    .prepare(
      "INSERT INTO keys (id, account_id, hash, name, hint, created_at, daily_limit) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(record.id, accountId, await hashOf(key), name, record.hint, record.createdAt, dailyLimit ?? null)
    .run();
  return { key, record };
}

/** The keys of an account, newest first. */
export async function listKeys(db: D1Database, accountId: string): Promise<KeyRecord[]> {
  const { results } = await db
    .prepare(
      "SELECT id, name, hint, created_at, daily_limit FROM keys WHERE account_id = ? ORDER BY created_at DESC, id",
    )
    .bind(accountId)
    .all<{ id: string; name: string; hint: string; created_at: string; daily_limit: number | null }>();
  return results.map(({ id, name, hint, created_at: createdAt, daily_limit: dailyLimit }) => {
    return { id, name, hint, createdAt, dailyLimit: dailyLimit ?? undefined };
  });
}

/** Deletes a key of an account; false when the account has no such key. */
export async function deleteKey(db: D1Database, accountId: string, keyId: string): Promise<boolean> {
  const { meta } = await db.prepare("DELETE FROM keys WHERE id = ? AND account_id = ?").bind(keyId, accountId).run();
  return meta.changes > 0;
}

interface Known {
  readonly holder: Holder | null;
  readonly until: number;
}

/** Keys that exist, stale ones included: they are asked about again. */
const existing = new Recent<Known>(MAX_CACHED_KEYS);
/** Keys that do not. */
const unknown = new Recent<Known>(MAX_CACHED_UNKNOWN_KEYS);

/**
 * Whom a key belongs to; null when there is no such key. What the database said is remembered for a while in this
 * isolate: a revoked key or a suspended account is noticed when that ends.
 */
export async function findHolder(
  db: D1Database,
  key: string,
  now: number,
  meanwhile: Meanwhile<Holder> = {},
): Promise<Holder | null> {
  if (!mayBeKey(key)) return null;
  const hash = await hashOf(key);
  const read = () => {
    const row = readHolder(db.prepare(`${HOLDERS} WHERE keys.hash = ?`).bind(hash));
    const own = existing.get(hash)?.holder ?? undefined;
    return readMeanwhile({ name: `key ${hash}`, own, row, open: holderOf }, meanwhile);
  };
  return remembered(hash, now, read, meanwhile.onAnonymousClient);
}

/** Whom the key with this id belongs to; null when it was deleted. Remembered for as long as what `findHolder` says. */
export async function findHolderById(db: D1Database, keyId: string, now: number): Promise<Holder | null> {
  return remembered(keyId, now, async () => {
    const row = await readHolder(db.prepare(`${HOLDERS} WHERE keys.id = ?`).bind(keyId));
    return row && holderOf(row);
  });
}

/** @param name the hash or the id of a key: no text is both */
async function remembered(
  name: string,
  now: number,
  read: () => Promise<Holder | null>,
  onAnonymousClient: () => void = () => undefined,
): Promise<Holder | null> {
  const known = existing.get(name) ?? unknown.get(name);
  if (known && known.until > now) return known.holder;
  if (!existing.has(name)) onAnonymousClient();
  const holder = await read();
  if (holder) {
    // Work that a request leaves behind is asked about by the id of its key.
    for (const known of [name, holder.keyId]) existing.set(known, { holder, until: now + KEY_CACHE_SECONDS * 1000 });
  } else {
    existing.delete(name);
    unknown.set(name, { holder, until: now + UNKNOWN_KEY_CACHE_SECONDS * 1000 });
  }
  return holder;
}

/** Forgets every key, so that a change made in this isolate holds here at once. */
export function forgetKeys(): void {
  existing.clear();
  unknown.clear();
}

const HOLDERS = `SELECT keys.id AS key_id, keys.daily_limit, accounts.id, accounts.name, accounts.plan, accounts.credits_total, accounts.status,
         accounts.created_at, accounts.database, accounts.originals, accounts.limits, accounts.alerts, coalesce(databases.bytes, 0) AS database_bytes
  FROM keys JOIN accounts ON accounts.id = keys.account_id
    LEFT JOIN databases ON databases.name = accounts.database`;

type HolderRow = AccountRow & { key_id: string; daily_limit: number | null; database_bytes: number };

function readHolder(statement: D1PreparedStatement): Promise<HolderRow | null> {
  return statement.first<HolderRow>();
}

function holderOf(row: HolderRow): Holder {
  const dailyLimit = row.daily_limit ?? undefined;
  const account = accountOf(row);
  const budget = budgetOf(account);
  return { keyId: row.key_id, account, dailyLimit, databaseBytes: row.database_bytes, ...(budget && { budget }) };
}

/** Why a holder is not let in where keys of open accounts that are not for agents are. */
export function refusalOf({ account }: Holder): ApiError {
  const isActive = account.status === "active";
  return new ApiError(
    403,
    isActive ? "This key is for agents: it opens POST /mcp and nothing else" : "Account suspended",
  );
}
