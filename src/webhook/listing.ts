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

/**
 * The statement of a page. Each status is walked in the order of an index and the walks are merged, so that only
 * `offset + limit` index entries are read whatever the number of records, and only `limit` rows.
 */
export function listQuery(accountId: string, page: Page): { sql: string; values: (string | number)[] } {
  const statuses = STATUSES.filter((status) => page.statuses.includes(status));
  const every = statuses.length === 0 || statuses.length === STATUSES.length;
  const range = "account_id = ?1 AND created_at BETWEEN ?2 AND ?3";
  const walks = every
    ? [`SELECT id, created_at FROM webhooks INDEXED BY webhooks_of_account WHERE ${range}`]
    : statuses.map(
        (_, index) =>
          `SELECT id, created_at FROM webhooks INDEXED BY webhooks_of_account_by_status WHERE ${range} AND status = ?${index + 6}`,
      );
  const sql = `SELECT ${COLUMNS} FROM webhooks
    WHERE id IN (SELECT id FROM (${walks.join(" UNION ALL ")} ORDER BY created_at DESC, id DESC LIMIT ?4 OFFSET ?5))
    ORDER BY created_at DESC, id DESC`;
  return { sql, values: [accountId, page.start, page.end, page.limit, page.offset, ...(every ? [] : statuses)] };
}
