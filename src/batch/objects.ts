/** The objects of a batch that are listed and not over, and those that failed: rows of its database. */
import { MAX_OBJECT_STARTS, OBJECT_LEASE_MS, OBJECT_TOLD_MS } from "../limits/batch.ts";
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
export interface Begun {
  readonly key: string;
  /** As it was listed, or told of. */
  readonly bytes: number;
  readonly starts: number;
  readonly changes: number;
}

/** What is known of the rows without reading them: of a thousand that wait each count would read all, for every object. */
interface Known {
  /** Objects that are not over. */
  left: number;
  /** Those of them that somebody was told of, or works on. */
  inFlight: number;
  /** A moment before which nobody is taken for dead. */
  noneDeadBefore: number;
}

export class Objects {
  readonly #sql: Sql;
  /** Undefined: the rows are to be read, since a move was not brought to its end. */
  #known: Known | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  add(objects: readonly { readonly key: string; readonly bytes: number }[]): void {
    this.#change((known) => {
      for (const { key, bytes } of objects) {
        this.#sql.exec("INSERT INTO objects (key, bytes) VALUES (?, ?)", key, bytes);
      }
      known.left += objects.length;
    });
  }

  /** Objects that a notification has told of: their bytes are kept as -1 - bytes, which needs no column. */
  addHeard(objects: readonly { readonly key: string; readonly bytes: number }[]): void {
    this.add(objects.map(({ key, bytes }) => ({ key, bytes: -1 - bytes })));
  }

  /** Objects that are not over. */
  get left(): number {
    return this.#rows().left;
  }

  /** Objects that somebody was told of, or works on. */
  get inFlight(): number {
    return this.#rows().inFlight;
  }

  /** A move that failed was undone: what is known of the rows is read again. */
  forget(): void {
    this.#known = undefined;
  }

  #rows(): Known {
    if (this.#known) return this.#known;
    const [row] = this.#sql.exec("SELECT COUNT(*) AS n, COUNT(until) AS flying, MIN(until) AS first FROM objects");
    const [left, inFlight] = [Number(row?.["n"] ?? 0), Number(row?.["flying"] ?? 0)];
    return (this.#known = { left, inFlight, noneDeadBefore: Number(row?.["first"] ?? Number.POSITIVE_INFINITY) });
  }

  /** Changes rows, and what is known of them: both, or neither. */
  #change<Result>(change: (known: Known) => Result): Result {
    const known = this.#rows();
    this.#known = undefined;
    const result = change(known);
    this.#known = known;
    return result;
  }

  /** Has what the dead had in their hands wait again. */
  returnDead(now: number): void {
    if (this.#rows().noneDeadBefore > now) return;
    this.#sql.exec("UPDATE objects SET until = NULL, token = NULL WHERE until <= ?", now);
    this.forget();
  }

  /** Takes what the dead had in their hands away. */
  removeDead(now: number): void {
    if (this.#rows().noneDeadBefore > now) return;
    this.#sql.exec("DELETE FROM objects WHERE until <= ?", now);
    this.forget();
  }

  /** Takes away what was not begun. */
  removeWaiting(): void {
    this.#sql.exec("DELETE FROM objects WHERE token IS NULL");
    this.forget();
  }

  /**
   * Objects that somebody is to be told of now, those first that were listed first.
   * @param last numbers of those that come after all others
   */
  handOut(most: number, now: number, last: readonly string[] = []): number[] {
    return this.#change((known) => {
      if (known.left === known.inFlight) return [];
      const until = now + OBJECT_TOLD_MS;
      const take = (which: string, many: number) =>
        this.#sql.exec(
          `UPDATE objects SET until = ? WHERE n IN
             (SELECT n FROM objects WHERE until IS NULL AND ${which} (${last.join()}) ORDER BY n LIMIT ?) RETURNING n`,
          until,
          many,
        );
      const taken = [...take("n NOT IN", most)];
      if (taken.length < most && last.length > 0) taken.push(...take("n IN", most - taken.length));
      known.inFlight += taken.length;
      known.noneDeadBefore = Math.min(known.noneDeadBefore, until);
      return taken.map(({ n }) => Number(n));
    });
  }

  /** Nobody was told of these after all. */
  takeBack(numbers: readonly number[]): void {
    for (const n of numbers) this.#sql.exec("UPDATE objects SET until = NULL WHERE n = ? AND token IS NULL", n);
    this.forget();
  }

  /** Begins an object, unless it is over, somebody is at it, or it was begun too often. */
  claim(n: number, token: string, now: number): { readonly key: string; readonly isHeard: boolean } | undefined {
    return this.#change((known) => {
      const until = now + OBJECT_LEASE_MS;
      const [row] = this.#sql.exec(
        `UPDATE objects SET token = ?, until = ?, starts = starts + 1
         WHERE n = ? AND until IS NOT NULL AND (token IS NULL OR until <= ?) AND starts < ? RETURNING key, bytes, starts`,
        token,
        until,
        n,
        now,
        MAX_OBJECT_STARTS,
      );
      known.noneDeadBefore = Math.min(known.noneDeadBefore, until);
      if (!row) return undefined;
      return { key: String(row["key"]), isHeard: Number(row["bytes"]) < 0 && Number(row["starts"]) === 1 };
    });
  }

  /** Takes an object away whose every start ended without a word. @returns its name */
  removeWornOut(n: number, now: number): string | undefined {
    this.forget();
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
    const [row] = this.#sql.exec("SELECT * FROM objects WHERE n = ? AND token = ?", n, token);
    if (!row) return undefined;
    const [listed, starts, changes] = [Number(row["bytes"]), Number(row["starts"]), Number(row["changes"])];
    return { key: String(row["key"]), bytes: listed < 0 ? -1 - listed : listed, starts, changes };
  }

  /** Takes an object away that is in somebody's hands. */
  remove(n: number): void {
    this.#change((known) => {
      const taken = this.#sql.exec("DELETE FROM objects WHERE n = ? RETURNING n", n).length;
      known.left -= taken;
      known.inFlight -= taken;
    });
  }

  /** Has an object wait again that is in somebody's hands. What found no room, or a store that asks for time, has not been started. */
  putBack(n: number, { kind }: ObjectOutcome): void {
    const changed = kind === "changed" ? 1 : 0;
    const sql = "UPDATE objects SET until = NULL, token = NULL, starts = starts - ?, changes = changes + ? WHERE n = ?";
    this.#change((known) => {
      this.#sql.exec(sql, kind === "fault" ? 0 : 1, changed, n);
      known.inFlight -= 1;
    });
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
