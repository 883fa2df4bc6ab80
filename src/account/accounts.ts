/** Accounts in the directory; credits spent are the meter's. */
import { DIRECTORY } from "../env.ts";
import { UNLIMITED_CREDITS } from "../limits/accounts.ts";
import type { Budget, Limits } from "./budgets.ts";
import type { Vault } from "./vault.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Credits of a calendar month; UNLIMITED_CREDITS where the operator has named no number. */
  readonly creditsTotal: number;
  readonly status: "active" | "suspended";
  readonly createdAt: string;
  /** The name of the database that holds its records. */
  readonly database: string;
  /** The folder of the operator's bucket of originals that it may read; null: none of it. */
  readonly originals: string | null;
  readonly limits: Limits;
  /** Where the operator is told of them, sealed; null: nowhere. */
  readonly alerts: Uint8Array | null;
}

/** Whether the operator has named no number of credits. */
export function isUnlimited({ creditsTotal }: Pick<Account, "creditsTotal">): boolean {
  return creditsTotal >= UNLIMITED_CREDITS;
}

/** What stands for the whole bucket of originals. */
const WHOLE = "/";

/** Whether an object of the bucket of originals, or a folder with a slash at its end, lies in what an account may read. */
export function isGranted(originals: string | null, key: string): boolean {
  return originals !== null && (originals === WHOLE || key.startsWith(originals));
}

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly credits_total: number;
  readonly status: "active" | "suspended";
  readonly created_at: string;
  readonly database: string;
  readonly originals: string | null;
  /** JSON; null: none. */
  readonly limits: string | null;
  readonly alerts: ArrayLike<number> | null;
}

export type NewAccount = Pick<Account, "name" | "plan" | "creditsTotal">;
/** What is absent stays as it is. */
export type AccountChange = Partial<
  Pick<Account, "plan" | "creditsTotal" | "status" | "originals" | "limits" | "alerts">
>;

const COLUMNS = "id, name, plan, credits_total, status, created_at, database, originals, limits, alerts";

/** What the address for alerts of an account is sealed for. */
export function alertsContext(accountId: string): string {
  return `alerts ${accountId}`;
}

/** Where the operator of an account is told of its budgets. */
export interface Alerts {
  readonly webhook: string;
}

/** @throws ApiError 500 when they were sealed under another key */
export async function openAlerts(vault: Vault, accountId: string, sealed: Uint8Array): Promise<Alerts> {
  return (await vault.openJson(sealed, alertsContext(accountId))) as Alerts;
}

/** Credits of a calendar month: those of the plan, or fewer where the operator has set a bound below. */
export function creditsOf({ creditsTotal, limits }: Pick<Account, "creditsTotal" | "limits">): number {
  return Math.min(creditsTotal, limits.credits_per_month ?? Infinity);
}

/** What a meter has to know of an account's bounds; undefined: there are none. */
export function budgetOf(
  account: Pick<Account, "id" | "database" | "creditsTotal" | "limits"> & { readonly alerts: unknown },
): Budget | undefined {
  const { id, database, limits } = account;
  const hasAlerts = account.alerts !== null;
  if (!hasAlerts && Object.keys(limits).length === 0) return undefined;
  const credits = isUnlimited({ creditsTotal: creditsOf(account) }) ? {} : { credits_per_month: creditsOf(account) };
  return { ...limits, ...credits, ...(hasAlerts && { told: { account: id, database } }) };
}

const NOTHING_SET = { originals: null, limits: {}, alerts: null } as const;

/** @param placeOf names the database for the records of the account with this id */
export async function createAccount(
  db: D1Database,
  fresh: NewAccount,
  now: Date,
  placeOf: (accountId: string) => string = () => DIRECTORY,
): Promise<Account> {
  const id = crypto.randomUUID();
  const createdAt = now.toISOString();
  const account: Account = { ...fresh, id, status: "active", createdAt, database: placeOf(id), ...NOTHING_SET };
  const { name, plan, creditsTotal, status, database } = account;
  await db
    .prepare(
      "INSERT INTO accounts (id, name, plan, credits_total, status, created_at, database) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id, name, plan, creditsTotal, status, createdAt, database)
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
              status = coalesce(?, status), originals = CASE WHEN ? THEN ? ELSE originals END,
              limits = coalesce(?, limits), alerts = CASE WHEN ? THEN ? ELSE alerts END
       WHERE id = ? RETURNING ${COLUMNS}`,
    )
    .bind(
      change.plan ?? null,
      change.creditsTotal ?? null,
      change.status ?? null,
      Number(change.originals !== undefined),
      change.originals ?? null,
      change.limits === undefined ? null : JSON.stringify(change.limits),
      Number(change.alerts !== undefined),
      change.alerts ?? null,
      id,
    )
    .first<AccountRow>();
  return row && accountOf(row);
}

export function limitsOf({ limits }: Pick<AccountRow, "limits">): Limits {
  return limits === null ? {} : (JSON.parse(limits) as Limits);
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    creditsTotal: row.credits_total,
    status: row.status,
    createdAt: row.created_at,
    database: row.database,
    originals: row.originals,
    limits: limitsOf(row),
    alerts: row.alerts && Uint8Array.from(row.alerts),
  };
}
