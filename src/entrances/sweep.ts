/** The fourth entrance: the clock. Hands out work that was lost and deletes what is over. */
import { sweepLooks } from "../account/alike.ts";
import { databasesOf, measure } from "../account/databases.ts";
import { sweepUsage } from "../account/usage.ts";
import { sweepDeliveries } from "../delivery/sweep.ts";
import { settingsOf } from "../env.ts";
import { LEFTOVER_SWEEP_MS, MAX_SWEEP_OBJECTS, TEMPORARY_SWEEP_MS } from "../limits.ts";
import { SWEEP_DATABASES } from "../limits/accounts.ts";
import { logLine } from "../log.ts";
import { type PlacedMessage, uploadsIn } from "../pipeline/work.ts";
import { isDue, rest } from "../storage/rests.ts";
import { sweepTemporary } from "../storage/volatile.ts";
import type { UploadStore } from "../webhook/bytes.ts";
import { sweepWebhooks } from "../webhook/sweep.ts";

/** What the clock of the deployment calls the sweep at. */
const SWEEP_EVERY_MS = 60_000;

interface Database {
  readonly name: string;
  readonly db: D1Database;
}

/** @throws AggregateError after everything was tried */
export async function sweep(env: Env): Promise<void> {
  const now = Date.now();
  await all("The sweep did not do everything", [
    sweepResults(env, now),
    sweepDeliveries(env, settingsOf(env), now),
    ...turnOf(env, now).map((database) => sweepDatabase(env, database, now)),
  ]);
}

/** Results whose hour is over answer nobody, however long they lie there: a look every few minutes is often enough. */
async function sweepResults({ BUCKET, DB }: Env, now: number): Promise<void> {
  if (!(await isDue(DB, "temporary", now))) return;
  const { more } = await sweepTemporary(BUCKET, now, MAX_SWEEP_OBJECTS);
  if (!more) await rest(DB, "temporary", now + TEMPORARY_SWEEP_MS);
}

/** Uploaded bytes, which are looked for where one hour is over or something was found before. */
function restingUploads(env: Env, { name, db }: Database, now: number): UploadStore {
  const uploads = uploadsIn(env, name);
  return {
    ...uploads,
    olderThan: async (moment, limit) => {
      if (!(await isDue(db, "jobs", now))) return [];
      const found = await uploads.olderThan(moment, limit);
      if (found.length === 0) await rest(db, "jobs", now + LEFTOVER_SWEEP_MS);
      return found;
    },
  };
}

/** The databases whose turn it is in this minute: all of them where there are few. */
function turnOf(env: Env, now: number): Database[] {
  const databases = [...databasesOf(env)].map(([name, db]) => ({ name, db }));
  const first = (Math.floor(now / SWEEP_EVERY_MS) * SWEEP_DATABASES) % databases.length;
  return [...databases.slice(first), ...databases.slice(0, first)].slice(0, SWEEP_DATABASES);
}

/** One database by itself: another one that does not answer holds nothing up here. */
async function sweepDatabase(env: Env, database: Database, now: number): Promise<void> {
  const { name, db } = database;
  await all(`The sweep of ${name} did not do everything`, [
    sweepUsage(db, now),
    sweepLooks(db, now),
    sweepWebhooks({
      db,
      uploads: restingUploads(env, database, now),
      now: () => Date.now(),
      random: Math.random,
      waiting: async () => (await env.QUEUE.metrics()).backlogCount,
      enqueue: async (messages) => {
        const placed = messages.map((message): PlacedMessage => ({ ...message, database: name }));
        await env.QUEUE.sendBatch(placed.map((body) => ({ body })));
      },
    }),
    lookAtSize(env, database, now),
  ]);
}

async function lookAtSize(env: Env, database: Database, now: number): Promise<void> {
  const bytes = await measure(env.DB, database, now);
  const limit = settingsOf(env).databaseBytesLimit;
  if (bytes >= limit) logLine("error", { event: "database full", database: database.name, bytes, limit });
}

async function all(failure: string, steps: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(steps);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, failure);
}
