/**
 * Ten million records in three databases: every statement of the service on a full database, how many jobs a second one
 * takes, and what a record weighs. SQLite as it comes with Node runs the deployed schema and the real functions with their
 * real statements (d1-statements.ts); D1 adds the way to it. Databases lie in memory where the machine has such a folder:
 * nothing waits for a disk. `RECORDS` in the environment changes how many there are, and `ASKED` how many of the databases are
 * filled and asked; `FOLDER` names a folder that keeps them: those that are there are not filled again.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuUsage } from "node:process";
import type { DatabaseSync } from "node:sqlite";

import { WEBHOOK_BODY_DAYS, WEBHOOK_HISTORY_DAYS } from "../../src/limits/webhook.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { fill, fillDirectory, openDatabase } from "./d1-records.ts";
import {
  askAsTheClock,
  askAsTheOperator,
  askForPages,
  askOfAssets,
  askOfDeliveries,
  askOfJobs,
  askOfUsage,
  askTheDirectory,
  Asked,
  jobOf,
} from "./d1-statements.ts";
import { type Taken, timedDatabase } from "./timed-database.ts";

const RECORDS = Number(process.env["RECORDS"] ?? 10_000_000);
const DATABASES = 3;
const ASKED = Number(process.env["ASKED"] ?? DATABASES);
const ACCOUNTS = 100_000;
const INSERTING_MS = 3_000;
/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";

/** The most that a statement may take, in milliseconds. */
const GOOD_MS = 5;

/** What statements took, by what they were for. */
class Times {
  readonly #times = new Map<string, Taken[]>();

  readonly tell = (purpose: string, taken: Taken): void => {
    const known = this.#times.get(purpose) ?? [];
    known.push(taken);
    this.#times.set(purpose, known);
  };

  /** Statements that others interrupted are counted; measured only where all were. */
  print(): void {
    console.log(`\n${"milliseconds of statements of".padEnd(56)} count  interrupted    p50    p99    max`);
    for (const [purpose, taken] of this.#times) {
      const whole = taken.filter(({ interrupted }) => !interrupted);
      const measured = whole.length > 0 ? whole : taken;
      const sorted = measured.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      const counts = `${String(taken.length).padStart(5)} ${String(taken.length - whole.length).padStart(12)}`;
      const figures = [at(0.5), at(0.99), at(1)].map((value) => value.toFixed(2).padStart(6)).join(" ");
      console.log(`${purpose.padEnd(56)} ${counts} ${figures}${at(1) >= GOOD_MS ? " *" : ""}`);
    }
  }
}

/** Jobs accepted in a second, and in a second of processor time, of which a busy machine gives less. */
async function inserts(database: DatabaseSync): Promise<readonly [number, number]> {
  const store = storeOf(timedDatabase(database, () => undefined));
  const given = jobOf("");
  const [startedAt, before] = [performance.now(), cpuUsage()];
  let count = 0;
  for (; performance.now() - startedAt < INSERTING_MS; count += 1) await store.insert({ ...given, id: randomUUID() });
  const { user, system } = cpuUsage(before);
  return [(count * 1_000) / (performance.now() - startedAt), (count * 1_000_000) / (user + system)];
}

/** Bytes a record takes in all, with and without its body. */
async function weights(folder: string): Promise<void> {
  const records = 60_000;
  const database = await openDatabase(join(folder, "weights.sqlite"));
  const bytes = () =>
    Number(database.prepare("SELECT (SELECT * FROM pragma_page_count) * 4096 AS bytes").get()?.["bytes"]);
  const before = bytes();
  fill(database, records);
  database.exec("DELETE FROM usage; DELETE FROM assets; UPDATE webhooks SET payload = NULL, target = x''; VACUUM");
  const bare = (bytes() - before) / records;
  database.exec(`UPDATE webhooks SET payload = hex(zeroblob(450)), target = randomblob(110); VACUUM`);
  const whole = (bytes() - before) / records;
  database.close();
  const mean = (whole * WEBHOOK_BODY_DAYS + bare * (WEBHOOK_HISTORY_DAYS - WEBHOOK_BODY_DAYS)) / WEBHOOK_HISTORY_DAYS;
  console.log(
    `\nA record with a body of 900 bytes and an address of 80: ${Math.round(whole)} bytes; without: ${Math.round(bare)}; ${Math.round(mean)} over 60 days`,
  );
}

async function one(folder: string, index: number, times: Times): Promise<void> {
  const path = join(folder, `records-${index}.sqlite`);
  const database = await openDatabase(path);
  const before = cpuUsage();
  if (database.prepare("SELECT 1 FROM webhooks LIMIT 1").get() === undefined) {
    fill(database, Math.round(RECORDS / DATABASES));
    if (index === 0) fillDirectory(database, ACCOUNTS);
  }
  const { user, system } = cpuUsage(before);
  const { size } = await stat(path);
  const asked = new Asked(database, times.tell);
  if (index === 0) {
    await askTheDirectory(asked);
    await askOfDeliveries(asked);
  }
  for (const ask of [askOfJobs, askForPages, askOfAssets, askOfUsage, askAsTheClock, askAsTheOperator])
    await ask(asked);
  const [perSecond, perProcessorSecond] = await inserts(database);
  database.close();
  console.log(
    `database ${index}: ${Math.round(RECORDS / DATABASES)} records, ${(size / 1e9).toFixed(2)} GB, filled in ${((user + system) / 1e6).toFixed(0)} s of processor time, ${perSecond.toFixed(0)} jobs accepted a second, ${perProcessorSecond.toFixed(0)} a second of processor time`,
  );
}

export async function main(): Promise<void> {
  const { FOLDER } = process.env;
  const folder = FOLDER ?? (await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "darkroom-d1-")));
  try {
    const times = new Times();
    for (let index = 0; index < ASKED; index += 1) await one(folder, index, times);
    times.print();
    await weights(folder);
  } finally {
    if (FOLDER === undefined) await rm(folder, { recursive: true });
  }
}
