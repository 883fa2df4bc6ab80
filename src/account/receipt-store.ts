/** Receipts in the database of a Durable Object, found by name and forgotten by time. */
import { SWEEP_DELETIONS } from "../limits/webhook.ts";
import type { Receipt } from "./receipts.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS receipts (name TEXT PRIMARY KEY, forgotten_at INTEGER NOT NULL, receipt TEXT NOT NULL)
    WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS receipts_by_time ON receipts (forgotten_at);`;

export class ReceiptStore {
  readonly #sql: SqlStorage;
  /** Most objects never see a receipt: the table is made with the first. */
  #hasTable: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#hasTable = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'receipts'").toArray().length > 0;
  }

  get(name: string): Receipt | undefined {
    if (!this.#hasTable) return undefined;
    const [row] = this.#sql.exec<{ receipt: string }>("SELECT receipt FROM receipts WHERE name = ?", name).toArray();
    return row && (JSON.parse(row.receipt) as Receipt);
  }

  put(name: string, receipt: Receipt): void {
    if (!this.#hasTable) this.#sql.exec(SCHEMA);
    this.#hasTable = true;
    const sql = "INSERT OR REPLACE INTO receipts (name, forgotten_at, receipt) VALUES (?, ?, ?)";
    this.#sql.exec(sql, name, receipt.forgottenAt, JSON.stringify(receipt));
  }

  remove(name: string): void {
    if (this.#hasTable) this.#sql.exec("DELETE FROM receipts WHERE name = ?", name);
  }

  /**
   * Deletes what is forgotten, a page of it.
   * @param now milliseconds since the epoch
   * @returns when there is more to delete, in milliseconds since the epoch; undefined when no receipt is left
   */
  sweep(now: number): number | undefined {
    if (!this.#hasTable) return undefined;
    this.#sql.exec(
      "DELETE FROM receipts WHERE name IN (SELECT name FROM receipts WHERE forgotten_at <= ? ORDER BY forgotten_at LIMIT ?)",
      now,
      SWEEP_DELETIONS,
    );
    const [row] = this.#sql.exec<{ next: number | null }>("SELECT min(forgotten_at) AS next FROM receipts").toArray();
    return row?.next ?? undefined;
  }

  /** All of the object's storage has been deleted, the table with it. */
  reset(): void {
    this.#hasTable = false;
  }
}
