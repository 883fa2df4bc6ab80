/**
 * The databases of a deployment, by the names of their bindings: `DB` holds all accounts and keys, and it and `DB_1`,
 * `DB_2` and so on hold the records of accounts. Where an account's records lie is written down when it is made, so
 * that a further database moves nothing that exists.
 */
import { zlib } from "../../wasm/zlib.ts";
import { DATABASE_BINDING, DIRECTORY } from "../env.ts";
import { outage } from "../errors.ts";
import { DATABASE_ROOM_SHARE } from "../limits/accounts.ts";

/** Every database, `DB` first. */
export function databasesOf(env: object): ReadonlyMap<string, D1Database> {
  const found = Object.entries(env).filter((entry): entry is [string, D1Database] => {
    return DATABASE_BINDING.test(entry[0]) && isDatabase(entry[1]);
  });
  return new Map(found.toSorted(([a], [b]) => numberOf(a) - numberOf(b)));
}

/**
 * The database with this name.
 * @throws ApiError 503 when the deployment has none
 */
export function databaseNamed(env: object, name: string): D1Database {
  const database: unknown = DATABASE_BINDING.test(name) ? Reflect.get(env, name) : undefined;
  if (isDatabase(database)) return database;
  const cause = new Error(`There is no database ${name}`);
  throw outage("The service cannot reach the records of this account right now", cause);
}

function numberOf(name: string): number {
  return Number(DATABASE_BINDING.exec(name)?.[1] ?? 0);
}

function isDatabase(value: unknown): value is D1Database {
  return typeof value === "object" && value !== null && "prepare" in value;
}

/** A database that may take further accounts. */
export interface Place {
  readonly name: string;
  readonly bytes: number;
}

/** The databases with their sizes; one that the sweep has not found in order yet takes no accounts, but DB does. */
export async function placesOf(env: Env): Promise<readonly Place[]> {
  const { results } = await env.DB.prepare("SELECT name, bytes FROM databases").all<Place>();
  const sizes = new Map(results.map(({ name, bytes }) => [name, bytes]));
  const names = [...databasesOf(env).keys()].filter((name) => name === DIRECTORY || sizes.has(name));
  return names.map((name) => ({ name, bytes: sizes.get(name) ?? 0 }));
}

/**
 * Where the records of a new account shall lie: evenly among the databases with room, by the account's id; in the
 * emptiest when none has room.
 * @param limitBytes the size from which on a database takes no further jobs
 */
export function placeFor(accountId: string, places: readonly Place[], limitBytes: number): string {
  const roomy = places.filter(({ bytes }) => bytes < limitBytes * DATABASE_ROOM_SHARE);
  const emptiest = places.toSorted((a, b) => a.bytes - b.bytes)[0];
  return (roomy[zlib().crc32(accountId) % roomy.length] ?? emptiest)?.name ?? DIRECTORY;
}

/**
 * Measures a database and notes its size in the directory, for new accounts and for whoever looks up a key.
 * @throws when it lacks the schema, as one to which no migrations were applied
 */
export async function measure(directory: D1Database, { name, db }: { name: string; db: D1Database }, now: number) {
  const { meta } = await db.prepare("SELECT 1 FROM webhooks LIMIT 1").run();
  const bytes = meta.size_after;
  await directory
    .prepare(
      `INSERT INTO databases (name, bytes, measured_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes, measured_at = excluded.measured_at`,
    )
    .bind(name, bytes, now)
    .run();
  return bytes;
}
