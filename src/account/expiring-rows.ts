/** Plain data in the database of a Durable Object, found by name and forgotten by time. */
import { SWEEP_DELETIONS } from "../limits/webhook.ts";

interface Expiring {
  /** When there is nothing to remember any more, in milliseconds since the epoch. */
  readonly forgottenAt: number;
}

/** The statements of a table; no name in them comes from outside. */
const tableOf = (table: "receipts" | "token_uses" | "results") => ({
  exists: `SELECT 1 FROM sqlite_master WHERE name = '${table}'`,
  create: `
    CREATE TABLE IF NOT EXISTS ${table} (name TEXT PRIMARY KEY, forgotten_at INTEGER NOT NULL, content TEXT NOT NULL)
      WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ${table}_by_time ON ${table} (forgotten_at);`,
  // The third column has had another name.
  find: `SELECT * FROM ${table} WHERE name = ?`,
  put: `INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?)`,
  remove: `DELETE FROM ${table} WHERE name = ?`,
  sweep: `DELETE FROM ${table} WHERE name IN
    (SELECT name FROM ${table} WHERE forgotten_at <= ? ORDER BY forgotten_at LIMIT ?)`,
  oldest: `DELETE FROM ${table} WHERE name IN (SELECT name FROM ${table} ORDER BY forgotten_at LIMIT ?)`,
  count: `SELECT count(*) AS rows FROM ${table}`,
  next: `SELECT min(forgotten_at) AS next FROM ${table}`,
});

export class ExpiringRows<Row extends Expiring> {
  readonly #sql: SqlStorage;
  readonly #statements: ReturnType<typeof tableOf>;
  /** Most objects never see a row: the table is made with the first. */
  #hasTable: boolean;
  readonly #most: number;
  /** How many there are, at most; unknown until somebody has to know. */
  #count: number | undefined;

  /** @param most rows: beyond, those that would be forgotten first go */
  constructor(sql: SqlStorage, table: Parameters<typeof tableOf>[0], most = Number.POSITIVE_INFINITY) {
    this.#sql = sql;
    this.#most = most;
    this.#statements = tableOf(table);
    this.#hasTable = sql.exec(this.#statements.exists).toArray().length > 0;
  }

  get(name: string): Row | undefined {
    if (!this.#hasTable) return undefined;
    const [row] = this.#sql.exec(this.#statements.find, name).raw<[string, number, string]>();
    return row && (JSON.parse(row[2]) as Row);
  }

  put(name: string, row: Row): void {
    if (!this.#hasTable) this.#sql.exec(this.#statements.create);
    this.#hasTable = true;
    this.#sql.exec(this.#statements.put, name, row.forgottenAt, JSON.stringify(row));
    if (Number.isFinite(this.#most)) this.#bound();
  }

  /** Rows are counted when there may be too many, not each time. */
  #bound(): void {
    this.#count = this.#count === undefined ? this.#counted() : this.#count + 1;
    if (this.#count <= this.#most) return;
    this.#count = this.#counted();
    if (this.#count <= this.#most) return;
    const surplus = Math.max(this.#count - this.#most, Math.min(SWEEP_DELETIONS, Math.floor(this.#most / 2)));
    this.#sql.exec(this.#statements.oldest, surplus);
    this.#count -= surplus;
  }

  #counted(): number {
    const [row] = this.#sql.exec<{ rows: number }>(this.#statements.count);
    return row?.rows ?? 0;
  }

  remove(name: string): void {
    if (this.#hasTable) this.#sql.exec(this.#statements.remove, name);
  }

  /**
   * Deletes what is forgotten, a page of it.
   * @param now milliseconds since the epoch
   * @returns when there is more to delete, in milliseconds since the epoch; undefined when no row is left
   */
  sweep(now: number): number | undefined {
    if (!this.#hasTable) return undefined;
    this.#sql.exec(this.#statements.sweep, now, SWEEP_DELETIONS);
    const [row] = this.#sql.exec<{ next: number | null }>(this.#statements.next).toArray();
    return row?.next ?? undefined;
  }

  /** All of the object's storage has been deleted, the table with it. */
  reset(): void {
    this.#hasTable = false;
    this.#count = undefined;
  }
}
