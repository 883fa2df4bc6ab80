/**
 * Objects of a batch that look alike: hashes (`phash`) as rows of its database. An object whose hash differs in at most
 * DUPLICATE_BITS from that of an earlier one is its duplicate. Each hash of a first object is kept under its four bands of
 * 16 bits: of two that differ in up to three bits one band is the same (src/account/alike.ts names the source).
 */
import { bitsBetween, bandsOf, isTelling } from "../account/alike.ts";
import { DUPLICATE_BITS, MAX_COMPARED_LOOKS, MAX_KEPT_LOOKS, SHOWN_DUPLICATES } from "../limits/batch.ts";
import type { Sql } from "./objects.ts";

/** An object and those that look like it. */
export interface Alike {
  readonly key: string;
  readonly phash: string;
  /** How many look like it, and the names of the first of them. */
  readonly duplicates: number;
  readonly keys: readonly string[];
}

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS looks (n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, phash TEXT NOT NULL,
    first INTEGER) STRICT`,
  "CREATE INDEX IF NOT EXISTS looks_first ON looks (first, n) WHERE first IS NOT NULL",
  "CREATE TABLE IF NOT EXISTS look_bands (band INTEGER, n INTEGER, PRIMARY KEY (band, n)) STRICT, WITHOUT ROWID",
];

export class Looks {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /** Keeps the hash of an object, unless it tells nothing or there are MAX_KEPT_LOOKS. */
  add(key: string, phash: string): void {
    if (!isTelling(phash) || !this.isComplete) return;
    const first = this.#firstLike(phash);
    const [row] = this.#sql.exec(
      "INSERT INTO looks (key, phash, first) VALUES (?, ?, ?) RETURNING n",
      key,
      phash,
      first ?? null,
    );
    if (first !== undefined || !row) return;
    for (const band of bandsOf(phash)) {
      this.#sql.exec("INSERT INTO look_bands (band, n) VALUES (?, ?)", band, Number(row["n"]));
    }
  }

  /** Whether the hashes of all objects are kept. */
  get isComplete(): boolean {
    const [row] = this.#sql.exec("SELECT max(n) AS n FROM looks");
    return Number(row?.["n"] ?? 0) < MAX_KEPT_LOOKS;
  }

  #firstLike(phash: string): number | undefined {
    const rows = this.#sql.exec(
      `SELECT looks.n, phash FROM look_bands CROSS JOIN looks ON looks.n = look_bands.n
       WHERE band IN (?, ?, ?, ?) ORDER BY looks.n LIMIT ?`,
      ...bandsOf(phash),
      MAX_COMPARED_LOOKS,
    );
    const found = rows.find((row) => bitsBetween(phash, String(row["phash"])) <= DUPLICATE_BITS);
    return found && Number(found["n"]);
  }

  /** Objects that have duplicates, in the order in which they were done. */
  alike(offset: number, limit: number): Alike[] {
    const rows = this.#sql.exec(
      `SELECT looks.n, looks.key, looks.phash, counted.duplicates FROM
         (SELECT first, COUNT(*) AS duplicates FROM looks WHERE first IS NOT NULL GROUP BY first
          ORDER BY first LIMIT ? OFFSET ?) AS counted
       JOIN looks ON looks.n = counted.first ORDER BY looks.n`,
      limit,
      offset,
    );
    return rows.map(({ n, key, phash, duplicates }) => {
      const others = this.#sql.exec(
        "SELECT key FROM looks WHERE first = ? ORDER BY n LIMIT ?",
        n ?? null,
        SHOWN_DUPLICATES,
      );
      return {
        key: String(key),
        phash: String(phash),
        duplicates: Number(duplicates),
        keys: others.map((other) => String(other["key"])),
      };
    });
  }
}
