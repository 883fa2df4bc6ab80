/**
 * D1's interface over the SQLite that comes with Node, with the time of every statement: the real functions run their
 * real statements on it. A batch is a transaction, as in D1; nothing is sent anywhere.
 */
import { resourceUsage } from "node:process";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** What a statement took, and whether other programs or the disk had a part in it. */
export interface Taken {
  readonly milliseconds: number;
  /** The processor was given to somebody else meanwhile. */
  readonly interrupted: boolean;
}

type Told = (taken: Taken, sql: string) => void;

export function timedDatabase(database: DatabaseSync, told: Told): D1Database {
  const commit = () => database.exec("COMMIT");
  const timed = {
    prepare: (sql: string) => new Statement(database, told, sql, []),
    batch: async (statements: readonly Statement[]) => {
      database.exec("BEGIN IMMEDIATE");
      const results = statements.map((statement) => statement.execute());
      measured(commit, "COMMIT", told);
      return results;
    },
  };
  return timed as unknown as D1Database;
}

/** How often the process gave the processor up, be it to wait for the disk, or had to. */
function switches(): number {
  const { involuntaryContextSwitches, voluntaryContextSwitches } = resourceUsage();
  return involuntaryContextSwitches + voluntaryContextSwitches;
}

/** The clock counts finer than processor time is counted, and says the same of whoever was not interrupted. */
function measured<Result>(work: () => Result, sql: string, told: Told): Result {
  const before = switches();
  const startedAt = performance.now();
  const result = work();
  const milliseconds = performance.now() - startedAt;
  told({ milliseconds, interrupted: switches() > before }, sql);
  return result;
}

class Statement {
  readonly #database: DatabaseSync;
  readonly #told: Told;
  readonly #sql: string;
  readonly #values: readonly SQLInputValue[];

  constructor(database: DatabaseSync, told: Told, sql: string, values: readonly SQLInputValue[]) {
    this.#database = database;
    this.#told = told;
    this.#sql = sql;
    this.#values = values;
  }

  bind(...values: SQLInputValue[]): Statement {
    return new Statement(this.#database, this.#told, this.#sql, values);
  }

  execute() {
    const results = measured(() => this.#database.prepare(this.#sql).all(...this.#values), this.#sql, this.#told);
    const last = this.#database.prepare("SELECT changes() AS changes").get();
    return { success: true, results, meta: { changes: Number(last?.["changes"] ?? 0), size_after: 0 } };
  }

  async run() {
    return this.execute();
  }

  async all() {
    return this.execute();
  }

  async first(column?: string) {
    const [row] = this.execute().results;
    return row === undefined ? null : column === undefined ? row : row[column];
  }
}
