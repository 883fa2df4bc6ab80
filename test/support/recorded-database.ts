/** A database that remembers what it was asked. */

interface Asked {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The database, and every statement that ran on it, with what was bound to it. */
export function recorded(db: D1Database): { readonly db: D1Database; readonly asked: readonly Asked[] } {
  const asked: Asked[] = [];
  const wrapped = {
    prepare: (sql: string) => new Recorded(db.prepare(sql), { sql, values: [] }, asked),
    batch: (statements: readonly Recorded[]) => db.batch(statements.map((statement) => statement.told())),
  };
  return { db: wrapped as unknown as D1Database, asked };
}

class Recorded {
  readonly #statement: D1PreparedStatement;
  readonly #question: Asked;
  readonly #asked: Asked[];

  constructor(statement: D1PreparedStatement, question: Asked, asked: Asked[]) {
    this.#statement = statement;
    this.#question = question;
    this.#asked = asked;
  }

  bind(...values: unknown[]): Recorded {
    return new Recorded(this.#statement.bind(...values), { ...this.#question, values }, this.#asked);
  }

  told(): D1PreparedStatement {
    this.#asked.push(this.#question);
    return this.#statement;
  }

  run() {
    return this.told().run();
  }

  all() {
    return this.told().all();
  }

  first(column?: string) {
    return column === undefined ? this.told().first() : this.told().first(column);
  }
}
