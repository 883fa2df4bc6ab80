/** What notifications of an account are signed with: one secret, and for a while after a rotation the one before. */
import { SECRET_OVERLAP_MS } from "../limits/webhook.ts";
import type { Seal } from "./ports.ts";
import { newSecret } from "./sign.ts";

export interface AccountSecret {
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The secret before, and until when it signs too. */
  readonly previous: { readonly secret: string; readonly until: number } | undefined;
}

interface Row {
  secret: ArrayLike<number>;
  created_at: number;
  previous: ArrayLike<number> | null;
  previous_until: number | null;
}

/** The account's secret; an account that has none yet gets one. */
export async function secretOf(db: D1Database, seal: Seal, accountId: string, now: number): Promise<AccountSecret> {
  const found = await read(db, seal, accountId, now);
  if (found) return found;
  const sealed = await seal.close(newSecret(), secretContext(accountId));
  const sql = "INSERT INTO webhook_secrets (account_id, secret, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
  await db.prepare(sql).bind(accountId, sealed, now).run();
  const created = await read(db, seal, accountId, now);
  if (!created) throw new Error("A webhook secret that was just stored is not there");
  return created;
}

/** A new secret at once; the present one goes on signing beside it for SECRET_OVERLAP_MS. */
export async function rotateSecret(db: D1Database, seal: Seal, accountId: string, now: number): Promise<AccountSecret> {
  await secretOf(db, seal, accountId, now);
  const sealed = await seal.close(newSecret(), secretContext(accountId));
  const sql = `UPDATE webhook_secrets SET previous = secret, previous_until = ?3, secret = ?2, created_at = ?4
    WHERE account_id = ?1`;
  await db
    .prepare(sql)
    .bind(accountId, sealed, now + SECRET_OVERLAP_MS, now)
    .run();
  return secretOf(db, seal, accountId, now);
}

/** The secrets that sign at this moment, the newest first. */
export function signing(secret: AccountSecret): string[] {
  return [secret.secret, ...(secret.previous ? [secret.previous.secret] : [])];
}

async function read(db: D1Database, seal: Seal, accountId: string, now: number): Promise<AccountSecret | undefined> {
  const sql = "SELECT secret, created_at, previous, previous_until FROM webhook_secrets WHERE account_id = ?1";
  const row = await db.prepare(sql).bind(accountId).first<Row>();
  if (!row) return undefined;
  const open = (sealed: ArrayLike<number>) => seal.open(Uint8Array.from(sealed), secretContext(accountId));
  const until = row.previous_until ?? 0;
  const previous = row.previous && until > now ? { secret: await open(row.previous), until } : undefined;
  return { secret: await open(row.secret), createdAt: row.created_at, previous };
}

export function secretContext(accountId: string): string {
  return `webhook secret of ${accountId}`;
}
