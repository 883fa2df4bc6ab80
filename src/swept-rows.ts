/** Sweeps of tables that have no index of times, and whose keys begin evenly. */

/** What is swept of a table. */
interface Swept {
  readonly table: string;
  /** The columns of its key; values of the first are spread evenly. */
  readonly key: readonly [string, ...string[]];
  /** The column that says when a row was made, in milliseconds since 1970. */
  readonly madeAt: string;
  /** Rows that a call looks at. */
  readonly rows: number;
}

/**
 * Deletes rows that are over. A call looks at some of them, from anywhere on: no index of times is written for it, and
 * no place where the next call goes on.
 * @param before milliseconds since 1970: rows made earlier are over
 * @param from the value of the first column from which on rows are looked at
 */
export async function sweepFrom(
  db: D1Database,
  { table, key, madeAt, rows }: Swept,
  before: number,
  from: string | number,
): Promise<void> {
  const [first] = key;
  const name = key.join(", ");
  await db
    .prepare(
      `DELETE FROM ${table} WHERE ${madeAt} < ?1 AND (${name}) IN
         (SELECT ${name} FROM ${table} WHERE ${first} >= ?2 ORDER BY ${first} LIMIT ?3)`,
    )
    .bind(before, from, rows)
    .run();
}
