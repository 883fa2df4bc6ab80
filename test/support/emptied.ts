/** Storage of every kind as it is in a runtime that was just started. */
// Not by way of `cloudflare:test`, which imports the whole service: most files need a part of it.
import { reset } from "cloudflare:test-internal";
import { env } from "cloudflare:workers";

/**
 * Databases, buckets, queues, caches, and Durable Objects of the files before are gone.
 *
 * All of it is kept in Durable Objects here, and the runtime deletes those that are awake. What was not called for ten
 * seconds sleeps, so stores are called first. Meters and couriers that sleep stay: they belong to accounts and jobs whose
 * names, which are random, are gone with the databases.
 * @throws Error when something is left in a store
 */
export async function emptyStorage(databases: readonly D1Database[]): Promise<void> {
  await isEmpty(databases);
  await caches.default.match("https://darkroom.test/");
  await reset();
  if (!(await isEmpty(databases))) throw new Error("A file before this one left something that was not deleted");
}

async function isEmpty(databases: readonly D1Database[]): Promise<boolean> {
  const [{ objects }, ...tables] = await Promise.all([
    env.BUCKET.list({ limit: 1 }),
    ...databases.map((database) => database.prepare("SELECT name FROM sqlite_master WHERE name = 'accounts'").first()),
  ]);
  return objects.length === 0 && tables.every((table) => table === null);
}
