/** Bindings whose calls go wrong at random: they fail before or after they did their work, or answer late. */
import { type Around, aroundBinding, aroundDatabase, aroundObjects } from "./around.ts";

/** What becomes of one call of a binding. */
export type Mishap = "none" | "fails" | "fails after" | "late";

/** What decides about a call; `where` names binding and method, such as `DB.run`. */
export type Chance = (where: string) => Mishap;

/** Has the nth call go wrong, and notes which that was. */
export function nthCall(
  nth: number,
  mishap: Mishap,
): { readonly chance: Chance; readonly suffered: readonly string[] } {
  let calls = 0;
  const suffered: string[] = [];
  const chance = (where: string): Mishap => {
    calls += 1;
    if (calls !== nth) return "none";
    suffered.push(`${where} ${mishap}`);
    return mishap;
  };
  return { chance, suffered };
}

/** How long a late call takes: long beside other calls, short beside a test. */
const LATE_MS = 60;

/** Calls fail as they do when their service is away, before or after they did their work. */
export function suffering(chance: Chance): Around {
  return async ({ where }, go) => {
    const mishap = chance(where);
    if (mishap === "fails") throw new Error(`${where}: network connection lost`);
    if (mishap === "late") await scheduler.wait(LATE_MS);
    const result = await go();
    if (mishap === "fails after") throw new Error(`${where}: network connection lost after the call`);
    return result;
  };
}

/** A database whose statements suffer mishaps; a batch is one call. */
export function faultyDatabase(db: D1Database, name: string, chance: Chance): D1Database {
  return aroundDatabase(db, name, suffering(chance));
}

/** A binding whose methods each suffer mishaps: a bucket, a queue. */
export function faultyBinding<Binding extends object>(binding: Binding, name: string, chance: Chance): Binding {
  return aroundBinding(binding, name, "bucket", suffering(chance));
}

/** A namespace of objects whose calls suffer mishaps. */
export function faultyObjects(
  namespace: { getByName: (name: string) => object },
  name: string,
  chance: Chance,
): { getByName: (name: string) => object } {
  return aroundObjects(namespace, name, suffering(chance));
}
