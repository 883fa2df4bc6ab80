/**
 * Bindings without a call between workers, so that a test can afford very many: the database over the SQLite inside a
 * Durable Object, which is the deployed engine, and a bucket in memory.
 */

/**
 * What the statements of webhooks use of D1.
 * @param told is told of every statement
 */
export function databaseOver(storage: DurableObjectStorage, told: () => void = () => undefined): D1Database {
  const database = {
    prepare: (sql: string) => new Statement(storage.sql, sql, [], told),
    batch: async (statements: readonly Statement[]) =>
      storage.transactionSync(() => statements.map((statement) => statement.execute())),
    exec: async (sql: string) => void storage.sql.exec(sql),
  };
  return database as unknown as D1Database;
}

class Statement {
  readonly #storage: SqlStorage;
  readonly #sql: string;
  readonly #values: readonly unknown[];
  readonly #told: () => void;

  constructor(storage: SqlStorage, sql: string, values: readonly unknown[], told: () => void) {
    this.#storage = storage;
    this.#sql = sql;
    this.#values = values;
    this.#told = told;
  }

  bind(...values: unknown[]): Statement {
    const sent = values.map((value) => (value instanceof Uint8Array ? value.slice().buffer : value));
    return new Statement(this.#storage, this.#sql, sent, this.#told);
  }

  execute() {
    this.#told();
    const results = this.#storage
      .exec(this.#sql, ...this.#values)
      .toArray()
      .map(plain);
    const { changes } = this.#storage.exec<{ changes: number }>("SELECT changes() AS changes").one();
    return { success: true, results, meta: { changes } };
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

/** Bytes come as lists of numbers, as D1 gives them. */
function plain(row: Record<string, SqlStorageValue>): Record<string, unknown> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** What uploads use of R2. */
export function bucketInMemory(): R2Bucket {
  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  const bucket = {
    put: async (key: string, bytes: Uint8Array) => void objects.set(key, bytes.slice()),
    get: async (key: string) => {
      const bytes = objects.get(key);
      return bytes ? { size: bytes.length, arrayBuffer: async () => bytes.slice().buffer } : null;
    },
    delete: async (keys: readonly string[]) => keys.forEach((key) => objects.delete(key)),
    list: async ({ limit = 1_000 } = {}) => ({
      objects: [...objects.keys()]
        .toSorted()
        .slice(0, limit)
        .map((key) => ({ key })),
    }),
  };
  return bucket as unknown as R2Bucket;
}
