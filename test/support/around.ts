/**
 * Bindings with something around each of their calls: mishaps, bounds, distance, a bill. One seam for all of them, so that
 * several may lie around the same call.
 */

/** One statement of D1 with what is bound to it. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** One call of a binding. */
export interface Call {
  /** What kind of service is asked. */
  readonly service: "database" | "bucket" | "queue" | "object" | "web" | "cache";
  /** The binding and the method, such as `DB.run`. */
  readonly where: string;
  readonly method: string;
  readonly given: readonly unknown[];
  /** Those of D1; absent for other services. */
  readonly statements?: readonly Statement[];
  /** The name of the object that is called; absent for other services. */
  readonly object?: string;
}

/** Lies around a call: calls `go` once, or not at all. What D1 answers is a D1Result, whatever method was called. */
export type Around = (call: Call, go: () => Promise<unknown>) => Promise<unknown>;

/** Several around the same call, the first one outermost. */
export function nested(...arounds: readonly Around[]): Around {
  return (call, go) => arounds.reduceRight<() => Promise<unknown>>((inner, around) => () => around(call, inner), go)();
}

/** A database; a batch is one call. */
export function aroundDatabase(db: D1Database, name: string, around: Around): D1Database {
  const known = new WeakMap<object, { readonly inner: D1PreparedStatement; readonly statement: Statement }>();
  const wrapped = (inner: D1PreparedStatement, statement: Statement): D1PreparedStatement => {
    const called = async (method: string): Promise<D1Result> =>
      (await around(
        { service: "database", where: `${name}.${method}`, method, given: [], statements: [statement] },
        () => inner.all(),
      )) as D1Result;
    const outer = {
      bind: (...values: unknown[]) => wrapped(inner.bind(...values), { ...statement, values }),
      run: () => called("run"),
      all: () => called("all"),
      first: async (column?: string) => {
        const [row] = (await called("first")).results as Record<string, unknown>[];
        if (!row) return null;
        return column === undefined ? row : row[column];
      },
    };
    known.set(outer, { inner, statement });
    return outer as unknown as D1PreparedStatement;
  };
  const database = {
    prepare: (sql: string) => wrapped(db.prepare(sql), { sql, values: [] }),
    batch: (given: readonly D1PreparedStatement[]) => {
      const each = given.map((statement) => known.get(statement));
      const statements = each.flatMap((one) => one?.statement ?? []);
      return around({ service: "database", where: `${name}.batch`, method: "batch", given: [], statements }, () =>
        db.batch(given.map((statement, index) => each[index]?.inner ?? statement)),
      );
    },
  };
  return database as unknown as D1Database;
}

/** A binding whose methods are its calls: a bucket, a queue, a stub of an object. */
export function aroundBinding<Binding extends object>(
  binding: Binding,
  name: string,
  service: Exclude<Call["service"], "database">,
  around: Around,
  object?: string,
): Binding {
  return new Proxy(binding, {
    get: (target, member) => {
      const callable = target as Record<string | symbol, (...given: unknown[]) => unknown>;
      if (typeof callable[member] !== "function" || typeof member === "symbol") return callable[member];
      const called = { service, where: `${name}.${member}`, method: member, ...(object !== undefined && { object }) };
      // A method of a stub is called in place: it has no `apply` of its own, and would ask the object for one.
      return (...given: unknown[]) => around({ ...called, given }, async () => callable[member]?.(...given));
    },
  });
}

/** A namespace of objects. */
export function aroundObjects<Namespace extends { getByName: (name: string) => object }>(
  namespace: Namespace,
  name: string,
  around: Around,
): Namespace {
  const getByName = (id: string) => aroundBinding(namespace.getByName(id), name, "object", around, id);
  return { getByName } as Namespace;
}
