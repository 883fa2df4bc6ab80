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
  oldest: `DELETE FROM ${table} WHERE name IN
    (SELECT name FROM ${table} WHERE forgotten_at > ? ORDER BY forgotten_at LIMIT ?)`,
  size: `SELECT count(*) AS rows, coalesce(sum(length(name) + length(content)), 0) AS bytes FROM ${table}`,
  next: `SELECT min(forgotten_at) AS next FROM ${table}`,
});

/** What a table may hold. */
interface Most {
  readonly rows: number;
  /** Of names and contents, in ASCII. */
  readonly bytes?: number;
}

interface Size {
  readonly rows: number;
  readonly bytes: number;
}

export class ExpiringRows<Row extends Expiring> {
  readonly #sql: SqlStorage;
  readonly #statements: ReturnType<typeof tableOf>;
  /** Most objects never see a row: the table is made with the first. */
  #hasTable: boolean;
  readonly #most: Required<Most> | undefined;
  /** How much there is, at most; unknown until somebody has to know. */
  #size: Size | undefined;

  /** @param most what it may hold: beyond, the rows that would be forgotten first go */
  constructor(sql: SqlStorage, table: Parameters<typeof tableOf>[0], most?: Most) {
    this.#sql = sql;
    this.#most = most && { bytes: Number.POSITIVE_INFINITY, ...most };
    this.#statements = tableOf(table);
    this.#hasTable = sql.exec(this.#statements.exists).toArray().length > 0;
  }

  get(name: string): Row | undefined {
    if (!this.#hasTable) return undefined;
    const [row] = this.#sql.exec(this.#statements.find, name).raw<[string, number, string]>();
    return row && (JSON.parse(row[2]) as Row);
  }

  /**
   * @param spared milliseconds since the epoch: rows that are forgotten by then stay even where there are too many, since
   *   they go soon
   */
  put(name: string, row: Row, spared = 0): void {
    if (!this.#hasTable) this.#sql.exec(this.#statements.create);
    this.#hasTable = true;
    const content = JSON.stringify(row);
    this.#sql.exec(this.#statements.put, name, row.forgottenAt, content);
    if (this.#most) this.#bound(this.#most, name.length + content.length, spared);
  }

  /** Rows are counted when there may be too many, not each time. */
  #bound(most: Required<Most>, bytes: number, spared: number): void {
    this.#size = this.#size ? { rows: this.#size.rows + 1, bytes: this.#size.bytes + bytes } : this.#measured();
    const isBeyond = ({ rows, bytes: sum }: Size) => rows > most.rows || sum > most.bytes;
    if (!isBeyond(this.#size)) return;
    this.#size = this.#measured();
    while (isBeyond(this.#size)) {
      const { rows } = this.#size;
      const surplus = Math.max(rows - most.rows, Math.min(SWEEP_DELETIONS, Math.ceil(rows / 2)));
      const { rowsWritten } = this.#sql.exec(this.#statements.oldest, spared, surplus);
      this.#size = this.#measured();
      if (rowsWritten === 0) return;
    }
  }

  #measured(): Size {
    const [row] = this.#sql.exec<{ rows: number; bytes: number }>(this.#statements.size).toArray();
    return row ?? { rows: 0, bytes: 0 };
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
    this.#size = undefined;
  }
}
