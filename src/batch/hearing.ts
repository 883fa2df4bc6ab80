/** Whether a batch may hear of new objects, as it was told last, in the database of the batch: looks at a store cost money. */
import { HEARING_TRUST_MS } from "../limits/batch.ts";
import type { Sql } from "./objects.ts";

const SCHEMA =
  "CREATE TABLE IF NOT EXISTS hearing (id INTEGER PRIMARY KEY CHECK (id = 1), allowed INTEGER NOT NULL, until REAL NOT NULL) STRICT";

export class Hearing {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  /** Undefined: that is to be asked, it was not for a while. */
  isAllowed(now: number): boolean | undefined {
    const [row] = this.#sql.exec("SELECT allowed FROM hearing WHERE until > ?", now);
    return row && row["allowed"] === 1;
  }

  note(isAllowed: boolean, now: number): void {
    const sql = "INSERT OR REPLACE INTO hearing (id, allowed, until) VALUES (1, ?, ?)";
    this.#sql.exec(sql, Number(isAllowed), now + HEARING_TRUST_MS);
  }

  /** Has it asked anew: somebody else answers for the batch now. */
  forget(): void {
    this.#sql.exec("DELETE FROM hearing");
  }
}
