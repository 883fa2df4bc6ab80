/** Bindings whose calls go wrong at random: they fail before or after they did their work, or answer late. */

/** What becomes of one call of a binding. */
export type Mishap = "none" | "fails" | "fails after" | "late";

/** What decides about a call; `where` names binding and method, such as `DB.run`. */
export type Chance = (where: string) => Mishap;

/** How long a late call takes: long beside other calls, short beside a test. */
const LATE_MS = 60;

/** @throws Error as bindings do when their service is away, before or after `call` ran */
async function suffered<Result>(mishap: Mishap, where: string, call: () => Promise<Result>): Promise<Result> {
  if (mishap === "fails") throw new Error(`${where}: network connection lost`);
  if (mishap === "late") await scheduler.wait(LATE_MS);
  const result = await call();
  if (mishap === "fails after") throw new Error(`${where}: network connection lost after the call`);
  return result;
}

/** A database whose statements suffer mishaps; a batch is one call. */
export function faultyDatabase(db: D1Database, name: string, chance: Chance): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrapped = (statement: D1PreparedStatement): D1PreparedStatement => {
    const run =
      <Method extends "run" | "all" | "first" | "raw">(method: Method) =>
      (...values: unknown[]) =>
        suffered(chance(`${name}.${method}`), `${name}.${method}`, () =>
          (statement[method] as (...given: unknown[]) => Promise<unknown>)(...values),
        );
    const faulty = {
      bind: (...values: unknown[]) => wrapped(statement.bind(...values)),
      run: run("run"),
      all: run("all"),
      first: run("first"),
      raw: run("raw"),
    };
    inner.set(faulty, statement);
    return faulty as unknown as D1PreparedStatement;
  };
  const database = {
    prepare: (sql: string) => wrapped(db.prepare(sql)),
    batch: (statements: readonly D1PreparedStatement[]) =>
      suffered(chance(`${name}.batch`), `${name}.batch`, () =>
        db.batch(statements.map((statement) => inner.get(statement) ?? statement)),
      ),
  };
  return database as unknown as D1Database;
}

/** A binding whose methods each suffer mishaps: a bucket, a queue, a stub of an object. */
export function faultyBinding<Binding extends object>(binding: Binding, name: string, chance: Chance): Binding {
  return new Proxy(binding, {
    get: (target, member) => {
      const callable = target as Record<string | symbol, (...given: unknown[]) => unknown>;
      if (typeof callable[member] !== "function" || typeof member === "symbol") return callable[member];
      const where = `${name}.${member}`;
      // A method of a stub is called in place: it has no `apply` of its own, and would ask the object for one.
      return (...values: unknown[]) => suffered(chance(where), where, async () => callable[member]?.(...values));
    },
  });
}

/** A namespace of objects whose calls suffer mishaps. */
export function faultyObjects(
  namespace: { getByName: (name: string) => object },
  name: string,
  chance: Chance,
): { getByName: (name: string) => object } {
  return { getByName: (id) => faultyBinding(namespace.getByName(id), name, chance) };
}
