/** Accounts in the database; credits spent are the meter's. */

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Credits of a calendar month. */
  readonly creditsTotal: number;
  readonly status: "active" | "suspended";
  readonly createdAt: string;
}

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly credits_total: number;
  readonly status: "active" | "suspended";
  readonly created_at: string;
}

export type NewAccount = Pick<Account, "name" | "plan" | "creditsTotal">;
export type AccountChange = Partial<Pick<Account, "plan" | "creditsTotal" | "status">>;

const COLUMNS = "id, name, plan, credits_total, status, created_at";

export async function createAccount(db: D1Database, fresh: NewAccount, now: Date): Promise<Account> {
  const account: Account = { ...fresh, id: crypto.randomUUID(), status: "active", createdAt: now.toISOString() };
  await db
    .prepare(`INSERT INTO accounts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`)
    .bind(account.id, account.name, account.plan, account.creditsTotal, account.status, account.createdAt)
    .run();
  return account;
}

/** Newest first. */
export async function listAccounts(db: D1Database, page: { offset: number; limit: number }): Promise<Account[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM accounts ORDER BY created_at DESC, id LIMIT ? OFFSET ?`)
    .bind(page.limit, page.offset)
    .all<AccountRow>();
  return results.map(accountOf);
}

export async function findAccount(db: D1Database, id: string): Promise<Account | null> {
  const row = await db.prepare(`SELECT ${COLUMNS} FROM accounts WHERE id = ?`).bind(id).first<AccountRow>();
  return row && accountOf(row);
}

/** Changes what is given and leaves the rest; null when there is no such account. */
export async function changeAccount(db: D1Database, id: string, change: AccountChange): Promise<Account | null> {
  const row = await db
    .prepare(
      `UPDATE accounts SET plan = coalesce(?, plan), credits_total = coalesce(?, credits_total),
              status = coalesce(?, status) WHERE id = ? RETURNING ${COLUMNS}`,
    )
    .bind(change.plan ?? null, change.creditsTotal ?? null, change.status ?? null, id)
    .first<AccountRow>();
  return row && accountOf(row);
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    creditsTotal: row.credits_total,
    status: row.status,
    createdAt: row.created_at,
  };
}
