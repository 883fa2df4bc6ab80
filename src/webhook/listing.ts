/** Records of an account, newest first: what makes a page stay fast with a million records. */
import { STATUSES, type Status, type WebhookRecord } from "./record.ts";
import { COLUMNS, fromRow, type Row } from "./rows.ts";

export interface Page {
  /** None: every status. */
  readonly statuses: readonly Status[];
  /** First and last moment of creation, milliseconds since 1970, both included. */
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly limit: number;
}

/** One page, ordered by creation and then id, the newest first. */
export async function list(db: D1Database, accountId: string, page: Page): Promise<WebhookRecord[]> {
  const { sql, values } = listQuery(accountId, page);
  const { results } = await db
    .prepare(sql)
    .bind(...values)
    .all<Row>();
  return results.map(fromRow);
}

const RANGE = "account_id = ?1 AND created_at BETWEEN ?2 AND ?3";

/**
 * The walks that find records with some of the states. Nearly all of an account's records are delivered, those that failed
 * have an index of their own, and what is not finished is found among all that the sweep may hand out, of every account: it
 * is little, and its index says whose it is.
 */
function walksOf(statuses: readonly Status[]): string[] {
  const every = STATUSES.every((status) => statuses.includes(status));
  if (every) return [`SELECT id, created_at FROM webhooks INDEXED BY webhooks_of_account WHERE ${RANGE}`];
  const unfinished = statuses.filter((status) => status !== "delivered" && status !== "failed");
  const names = unfinished.map((status) => `'${status}'`).join(", ");
  return [
    ...(statuses.includes("delivered")
      ? [`SELECT id, created_at FROM webhooks INDEXED BY webhooks_of_account WHERE ${RANGE} AND status = 'delivered'`]
      : []),
    ...(statuses.includes("failed")
      ? [`SELECT id, created_at FROM webhooks INDEXED BY webhooks_failed WHERE ${RANGE} AND status = 'failed'`]
      : []),
    ...(unfinished.length > 0
      ? [
          `SELECT id, created_at FROM webhooks INDEXED BY webhooks_to_sweep
            WHERE stage = 'waiting' AND ${RANGE} AND status IN (${names})`,
        ]
      : []),
  ];
}

/**
 * The statement of a page. The walks are merged, each in the order of the answer, so that of what is finished only
 * `offset + limit` records are read whatever the number of records.
 */
export function listQuery(accountId: string, page: Page): { sql: string; values: (string | number)[] } {
  const walks = walksOf(page.statuses.length === 0 ? STATUSES : page.statuses);
  const sql = `SELECT ${COLUMNS} FROM webhooks
    WHERE id IN (SELECT id FROM (${walks.join(" UNION ALL ")} ORDER BY created_at DESC, id DESC LIMIT ?4 OFFSET ?5))
    ORDER BY created_at DESC, id DESC`;
  return { sql, values: [accountId, page.start, page.end, page.limit, page.offset] };
}
