/** The service's schema and statements over the SQLite that comes with Node, for benches and simulations. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

const MIGRATIONS = join(import.meta.dirname, "..", "..", "src", "migrations");

/** A new database with the deployed schema, in memory unless a file is named. */
export async function openDatabase(path = ":memory:"): Promise<DatabaseSync> {
  const database = new DatabaseSync(path);
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  for (const name of files) database.exec(await readFile(join(MIGRATIONS, name), "utf8"));
  return database;
}

/**
 * What the statements of webhooks use of D1; a batch is done whole or not at all, as there, also within a transaction.
 * @param told is told of every statement
 */
export function databaseOverNode(database: DatabaseSync, told: (sql: string) => void): D1Database {
  const known = new Map<string, StatementSync>();
  const statementOf = (sql: string): StatementSync => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  const execute = (sql: string, values: readonly SQLInputValue[]) => {
    told(sql);
    const statement = statementOf(sql);
    if (!/^SELECT|RETURNING/.test(sql)) {
      const { changes } = statement.run(...values);
      return { success: true, results: [], meta: { changes: Number(changes) } };
    }
    const results = statement.all(...values);
    return { success: true, results, meta: { changes: results.length } };
  };
  const [begin, commit, ...rollback] = ["SAVEPOINT batch", "RELEASE batch", "ROLLBACK TO batch", "RELEASE batch"].map(
    (sql) => database.prepare(sql),
  );
  const prepare = (sql: string, values: readonly SQLInputValue[] = []) => ({
    bind: (...given: readonly SQLInputValue[]) => prepare(sql, given),
    execute: () => execute(sql, values),
    run: async () => execute(sql, values),
    all: async () => execute(sql, values),
    first: async (column?: string) => {
      const row: Record<string, unknown> | undefined = execute(sql, values).results[0];
      return row === undefined ? null : column === undefined ? row : row[column];
    },
  });
  const batch = async (statements: readonly ReturnType<typeof prepare>[]) => {
    begin?.run();
    try {
      const results = statements.map((statement) => statement.execute());
      commit?.run();
      return results;
    } catch (error) {
      for (const step of rollback) step.run();
      throw error;
    }
  };
  return { prepare: (sql: string) => prepare(sql), batch } as unknown as D1Database;
}
