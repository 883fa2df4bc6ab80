/**
 * A batch of ten million objects in a world that goes wrong, with the real state, moves and steps over the SQLite that comes
 * with Node: processes are killed between any two steps, messages lost and doubled, objects replaced and deleted meanwhile,
 * and the store asks for time. `OBJECTS` and `SEED` in the environment choose others.
 */
import { hash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";

import type { Sql, SqlRow } from "../../src/batch/objects.ts";
import { BatchWorld } from "../support/batch-simulation.ts";
import { randomOf } from "../support/event-queue.ts";

const OBJECTS = Number(process.env["OBJECTS"] ?? 10_000_000);
const SEED = Number(process.env["SEED"] ?? 1);
const TROUBLE = { kill: 0.0005, busy: 0.001, change: 0.001, pause: 0.0005 };
/** Looks at memory on the way. */
const LOOKS = 10;
const MB = 1e6;

export async function main(): Promise<void> {
  crypto.subtle.digest = async (_, data) => digestAtOnce(data as Uint8Array);
  const database = new DatabaseSync(":memory:");
  const world = new BatchWorld(sqlOver(database), OBJECTS, TROUBLE, randomOf(SEED));
  const since = performance.now();
  let next = 1;
  const watch = setInterval(() => {
    const over = overIn(world);
    if (over < (next * OBJECTS) / LOOKS) return;
    next = Math.floor((over * LOOKS) / OBJECTS) + 1;
    console.log(`  ${over} over: ${heldText(database)}, ${world.mostKnown} objects known at most`);
  }, 1_000);
  try {
    await world.run(() => new Promise((resolve) => setImmediate(resolve)));
  } finally {
    clearInterval(watch);
  }
  const seconds = (performance.now() - since) / 1_000;
  const counts = world.progress?.counts;
  const lost = world.results.filter((result, n) => result === 0 && world.gone[n] === 0 && world.versions[n] === 1);
  console.log(`  ${world.progress?.state}: ${JSON.stringify(counts)} in ${seconds.toFixed(0)} s`);
  console.log(`  ${world.kills} kills, ${world.changes} objects replaced or deleted meanwhile`);
  console.log(
    `  ${heldText(database)}; at most ${world.mostKnown} objects known, ${world.mostAtOnce} worked on at once`,
  );
  console.log(`  ${lost.length} untouched without having failed or been replaced, of ${counts?.failed} that failed`);
  console.log(world.wrong.length === 0 ? "  nothing written over, nothing done twice" : `  WRONG: ${world.wrong[0]}`);
}

/** Web Crypto hands each name to another thread and waits for it, which takes four fifths of the simulation's time. */
function digestAtOnce(data: Uint8Array): ArrayBuffer {
  const { buffer } = Uint8Array.from(hash("sha256", data, "buffer"));
  return buffer;
}

function overIn({ progress }: BatchWorld): number {
  const { done = 0, skipped = 0, failed = 0 } = progress?.counts ?? {};
  return done + skipped + failed;
}

/** What there is beside the world itself, whose arrays are not of the heap. */
function heldText(database: DatabaseSync): string {
  const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
  const bytes = pages * Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  return `database ${(bytes / MB).toFixed(2)} MB, heap ${(process.memoryUsage().heapUsed / MB).toFixed(0)} MB`;
}

function sqlOver(database: DatabaseSync): Sql {
  const known = new Map<string, StatementSync>();
  let depth = 0;
  return {
    exec: (sql, ...values) => {
      const statement = known.get(sql) ?? database.prepare(sql);
      known.set(sql, statement);
      return statement.all(...values) as unknown as readonly SqlRow[];
    },
    transaction: (moves) => {
      const [begin, commit, undo] =
        depth === 0 ? ["BEGIN", "COMMIT", "ROLLBACK"] : ["SAVEPOINT s", "RELEASE s", "ROLLBACK TO s; RELEASE s"];
      database.exec(begin);
      depth += 1;
      try {
        const result = moves();
        database.exec(commit);
        return result;
      } catch (error) {
        database.exec(undo);
        throw error;
      } finally {
        depth -= 1;
      }
    },
  };
}
