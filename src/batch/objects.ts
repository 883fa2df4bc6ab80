/** The objects of a batch that are listed and not over, and those that failed: rows of its database. */
import {
  FEW_WAITING_OBJECTS,
  MAX_OBJECT_STARTS,
  MAX_WAITING_OBJECTS,
  OBJECT_LEASE_MS,
  OBJECT_TOLD_MS,
} from "../limits/batch.ts";
import type { FailedObject, ObjectOutcome } from "./rules.ts";

type Value = string | number | null;
export type SqlRow = Readonly<Record<string, Value>>;

/** A database of SQLite, as objects of the platform have one. */
export interface Sql {
  readonly exec: (statement: string, ...values: Value[]) => readonly SqlRow[];
  readonly transaction: <Result>(moves: () => Result) => Result;
}

const SCHEMA = [
  // `until` of an object that waits is NULL; of one that somebody was told of, or has taken, it is the moment from which on he
  // is taken for dead.
  `CREATE TABLE IF NOT EXISTS objects (n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, bytes INTEGER NOT NULL,
    until INTEGER, token TEXT, starts INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0) STRICT`,
  `CREATE TABLE IF NOT EXISTS failures (n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, error TEXT NOT NULL,
    message TEXT NOT NULL, at INTEGER NOT NULL) STRICT`,
];

/** An object in somebody's hands, and how often it was begun, and replaced meanwhile. */
interface Begun {
  readonly key: string;
  readonly starts: number;
  readonly changes: number;
}

export class Objects {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  add(objects: readonly { readonly key: string; readonly bytes: number }[]): void {
    for (const { key, bytes } of objects) this.#sql.exec("INSERT INTO objects (key, bytes) VALUES (?, ?)", key, bytes);
  }

  /** Objects that are not over. */
  get left(): number {
    return this.#count("TRUE");
  }

  /** Objects that somebody was told of, or works on. */
  get inFlight(): number {
    return this.#count("until IS NOT NULL");
  }

  /** At most as many rows as there may ever be are counted. */
  #count(condition: string): number {
    const most = MAX_WAITING_OBJECTS + FEW_WAITING_OBJECTS;
    const [row] = this.#sql.exec(`SELECT COUNT(*) AS n FROM (SELECT 1 FROM objects WHERE ${condition} LIMIT ?)`, most);
    return Number(row?.["n"] ?? 0);
  }

  /** Has what the dead had in their hands wait again. */
  returnDead(now: number): void {
    this.#sql.exec("UPDATE objects SET until = NULL, token = NULL WHERE until <= ?", now);
  }

  /** Takes what the dead had in their hands away. */
  removeDead(now: number): void {
    this.#sql.exec("DELETE FROM objects WHERE until <= ?", now);
  }

  /** Takes away what was not begun. */
  removeWaiting(): void {
    this.#sql.exec("DELETE FROM objects WHERE token IS NULL");
  }

  /** Objects that somebody is to be told of now, those first that were listed first. */
  handOut(most: number, now: number): number[] {
    const taken = this.#sql.exec(
      "UPDATE objects SET until = ? WHERE n IN (SELECT n FROM objects WHERE until IS NULL ORDER BY n LIMIT ?) RETURNING n",
      now + OBJECT_TOLD_MS,
      most,
    );
    return taken.map(({ n }) => Number(n));
  }

  /** Nobody was told of these after all. */
  takeBack(numbers: readonly number[]): void {
    for (const n of numbers) this.#sql.exec("UPDATE objects SET until = NULL WHERE n = ? AND token IS NULL", n);
  }

  /** Begins an object, unless it is over, somebody is at it, or it was begun too often. @returns its name */
  claim(n: number, token: string, now: number): string | undefined {
    const [row] = this.#sql.exec(
      `UPDATE objects SET token = ?, until = ?, starts = starts + 1
       WHERE n = ? AND until IS NOT NULL AND (token IS NULL OR until <= ?) AND starts < ? RETURNING key`,
      token,
      now + OBJECT_LEASE_MS,
      n,
      now,
      MAX_OBJECT_STARTS,
    );
    return row && String(row["key"]);
  }

  /** Takes an object away whose every start ended without a word. @returns its name */
  removeWornOut(n: number, now: number): string | undefined {
    const [row] = this.#sql.exec(
      "DELETE FROM objects WHERE n = ? AND starts >= ? AND (token IS NULL OR until <= ?) RETURNING key",
      n,
      MAX_OBJECT_STARTS,
      now,
    );
    return row && String(row["key"]);
  }

  /** An object that is in the hands of whoever has this token. */
  heldBy(n: number, token: string): Begun | undefined {
    const [row] = this.#sql.exec("SELECT key, starts, changes FROM objects WHERE n = ? AND token = ?", n, token);
    return row && { key: String(row["key"]), starts: Number(row["starts"]), changes: Number(row["changes"]) };
  }

  remove(n: number): void {
    this.#sql.exec("DELETE FROM objects WHERE n = ?", n);
  }

  /** Has an object wait again. What found no room, or a store that asks for time, has not been started. */
  putBack(n: number, { kind }: ObjectOutcome): void {
    const changed = kind === "changed" ? 1 : 0;
    const sql = "UPDATE objects SET until = NULL, token = NULL, starts = starts - ?, changes = changes + ? WHERE n = ?";
    this.#sql.exec(sql, kind === "fault" ? 0 : 1, changed, n);
  }

  keepFailure({ key, error, message, at }: FailedObject): void {
    this.#sql.exec("INSERT INTO failures (key, error, message, at) VALUES (?, ?, ?, ?)", key, error, message, at);
  }

  /** The failures that are kept, the latest first. */
  failures(offset: number, limit: number): FailedObject[] {
    const rows = this.#sql.exec("SELECT * FROM failures ORDER BY n DESC LIMIT ? OFFSET ?", limit, offset);
    return rows.map(({ key, error, message, at }) => ({
      key: String(key),
      error: String(error),
      message: String(message),
      at: Number(at),
    }));
  }
}
