/** Seals anew, under the first key of VAULT_KEY, what the databases keep under its other keys or in an older layout. */
import { alertsContext } from "../account/accounts.ts";
import { assetContext } from "../account/assets.ts";
import { HEAD_BYTES, type Vault } from "../account/vault.ts";
import { signingContext } from "../delivery/signing-pairs.ts";
import { ApiError } from "../errors.ts";
import { MAX_COUNTED_SECRETS, RESEAL_BYTES, RESEAL_SECRETS } from "../limits/assets.ts";
import { causesOf, logLine } from "../log.ts";
import { jobContext, targetContext } from "../webhook/accept.ts";
import { secretContext } from "../webhook/secrets.ts";

/** A column of sealed secrets. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns that name the row, and that the context is made of. */
  readonly names: readonly string[];
  readonly contextOf: (row: Readonly<Record<string, string>>) => string;
  /** Where the secrets are, as a condition on the row. */
  readonly among: string;
}

function sealedColumn<Name extends string>(
  table: string,
  column: string,
  names: readonly Name[],
  contextOf: (row: Readonly<Record<Name, string>>) => string,
  among = "TRUE",
): SealedColumn {
  return { table, column, names, contextOf, among };
}

/** Everything that the service seals. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  sealedColumn("assets", "sealed", ["account_id", "kind", "id"], (row) =>
    assetContext(row.account_id, row.kind, row.id),
  ),
  sealedColumn("webhook_secrets", "secret", ["account_id"], (row) => secretContext(row.account_id)),
  sealedColumn("webhook_secrets", "previous", ["account_id"], (row) => secretContext(row.account_id)),
  sealedColumn("webhooks", "job", ["id"], (row) => jobContext(row.id), "stage = 'waiting'"),
  sealedColumn("deliveries", "signing", ["id"], (row) => signingContext(row.id)),
  sealedColumn("deliveries", "previous", ["id"], (row) => signingContext(row.id)),
  sealedColumn("accounts", "alerts", ["id"], (row) => alertsContext(row.id)),
  sealedColumn("webhooks", "target", ["id"], (row) => targetContext(row.id)),
];

export interface Resealed {
  readonly resealed: number;
  /** What is not sealed under the first key, in the present layout; of each kind it is counted to a bound. */
  readonly left: number;
}

/**
 * Seals anew some of what is left, at most RESEAL_SECRETS: to be called again until nothing is. Whatever changes
 * meanwhile is not touched, and counts as left if it has to.
 * @throws ApiError 422 when only such is left as no key opens; the log says where
 */
export async function reseal(databases: readonly D1Database[], vault: Vault): Promise<Resealed> {
  const { current, outdated } = await vault.heads();
  const heads = JSON.stringify(outdated.map(({ from, to }) => [from.toHex(), to.toHex()]));
  let [found, opened, resealed] = [0, 0, 0];
  const columns = databases.flatMap((db) => SEALED_COLUMNS.map((column) => ({ db, column })));
  for (const { db, column } of columns) {
    const secrets = await pick(db, column, heads, RESEAL_SECRETS - found);
    const updates = await updatesOf(db, vault, column, secrets);
    found += secrets.length;
    opened += updates.length;
    if (updates.length > 0) resealed += changes(await db.batch(updates));
    if (found === RESEAL_SECRETS) break;
  }
  const left = await countAll(databases, current);
  const sum = Object.values(left).reduce((total, number) => total + number, 0);
  if (sum > 0 && opened === 0) {
    logLine("error", { event: "vault", left });
    const isMore = Object.values(left).some((number) => number >= MAX_COUNTED_SECRETS);
    const more = isMore ? ", or more of one kind" : "";
    throw new ApiError(422, `Secrets that no key of VAULT_KEY opens: ${sum}${more}`);
  }
  return { resealed, left: sum };
}

type Secret = Readonly<Record<string, string>> & { readonly secret: ArrayLike<number> };

/** ?1: ranges of heads, as JSON; ?2: how many secrets at most; ?3: bytes that all but the last of them have at most. */
export function pickSql({ table, column, names, among }: SealedColumn): string {
  return `SELECT * FROM (
      SELECT *, SUM(length(secret)) OVER (ROWS UNBOUNDED PRECEDING) - length(secret) AS before FROM (
        SELECT ${names.map((name) => `kept.${name}`).join(", ")}, kept.${column} AS secret
        FROM json_each(?1) AS head CROSS JOIN ${table} AS kept
        WHERE ${among} AND substr(kept.${column}, 1, ${HEAD_BYTES}) BETWEEN unhex(head.value ->> 0) AND unhex(head.value ->> 1)
        LIMIT ?2
      )
    ) WHERE before < ?3`;
}

/**
 * ?1: the head of what is not left; ?2: how many are counted at most. Two ranges of the index, where there is one, instead
 * of all; what was emptied has no head.
 */
export function countSql({ table, column, among }: SealedColumn): string {
  const [head, rows] = [`substr(${column}, 1, ${HEAD_BYTES})`, `SELECT 1 FROM ${table} WHERE ${among} AND`];
  return `SELECT COUNT(*) AS number FROM (
      ${rows} ${head} > x'' AND ${head} < ?1 UNION ALL ${rows} ${head} > ?1 LIMIT ?2
    )`;
}

async function pick(db: D1Database, column: SealedColumn, heads: string, limit: number): Promise<Secret[]> {
  const { results } = await db.prepare(pickSql(column)).bind(heads, limit, RESEAL_BYTES).all<Secret>();
  return results;
}

/** One statement for each secret that opens; each changes only what is still as it was read. */
async function updatesOf(
  db: D1Database,
  vault: Vault,
  { table, column, names, contextOf }: SealedColumn,
  secrets: readonly Secret[],
): Promise<D1PreparedStatement[]> {
  const row = names.map((name, index) => `${name} = ?${index + 3}`).join(" AND ");
  const statement = db.prepare(`UPDATE ${table} SET ${column} = ?2 WHERE ${row} AND ${column} = ?1`);
  const outcomes = await Promise.allSettled(
    secrets.map(async (secret) => {
      const old = Uint8Array.from(secret.secret);
      const context = contextOf(secret);
      const sealed = await vault.seal(await vault.open(old, context), context);
      return statement.bind(old, sealed, ...names.map((name) => secret[name]));
    }),
  );
  const failures = outcomes.flatMap((outcome, index) => {
    return outcome.status === "rejected" ? [{ secret: secrets[index], cause: outcome.reason as unknown }] : [];
  });
  const [first] = failures;
  if (first) {
    const named = names.map((name) => first.secret?.[name]).join(" ");
    const causes = causesOf(first.cause);
    logLine("error", { event: "vault", table, column, damaged: failures.length, first: named, causes });
  }
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

function changes(results: readonly D1Result<unknown>[]): number {
  return results.reduce((sum, { meta }) => sum + meta.changes, 0);
}

/** How many are left in all databases, by column. */
async function countAll(databases: readonly D1Database[], current: Uint8Array): Promise<Record<string, number>> {
  const counts = await Promise.all(databases.map((db) => count(db, current)));
  const left: Record<string, number> = {};
  for (const [name, number] of counts.flatMap((one) => Object.entries(one))) left[name] = (left[name] ?? 0) + number;
  return left;
}

/** How many are left in one database, by column, as far as they are counted. */
async function count(db: D1Database, current: Uint8Array): Promise<Record<string, number>> {
  const statements = SEALED_COLUMNS.map((column) => db.prepare(countSql(column)).bind(current, MAX_COUNTED_SECRETS));
  const results = await db.batch<{ number: number }>(statements);
  const left = SEALED_COLUMNS.map(({ table, column }, index) => {
    return [`${table}.${column}`, results[index]?.results[0]?.number ?? 0] as const;
  });
  return Object.fromEntries(left.filter(([, number]) => number > 0));
}
