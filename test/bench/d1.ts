/**
 * Ten million records in three databases: every statement of the service on a full database, how many jobs a second one
 * takes, and what a record weighs. SQLite as it comes with Node runs the deployed schema and the real functions with their
 * real statements (timed-database.ts); D1 adds the way to it. `RECORDS` in the environment changes how many.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuUsage } from "node:process";
import type { DatabaseSync } from "node:sqlite";

import { listAccounts } from "../../src/account/accounts.ts";
import { findAsset, listAssets, openAsset, saveAsset } from "../../src/account/assets.ts";
import { placesOf } from "../../src/account/databases.ts";
import { findHolder, forgetKeys, generateKey } from "../../src/account/keys.ts";
import { listUsage, saveUsage, sweepUsage } from "../../src/account/usage.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { MAX_WEBHOOK_OFFSET, WEBHOOK_BODY_DAYS, WEBHOOK_HISTORY_DAYS } from "../../src/limits.ts";
import { countSql, pickSql, SEALED_COLUMNS } from "../../src/street/reseal.ts";
import { list, type Page } from "../../src/webhook/listing.ts";
import { secretOf } from "../../src/webhook/secrets.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";
import { BUSY, fill, fillDirectory, NOW, openDatabase } from "./d1-records.ts";
import { type Taken, timedDatabase } from "./timed-database.ts";

const RECORDS = Number(process.env["RECORDS"] ?? 10_000_000);
const DATABASES = 3;
const ACCOUNTS = 100_000;
const ROUNDS = 40;
const INSERTING_MS = 3_000;
const DAY_MS = 86_400_000;
const WHOLE: Page = { statuses: [], start: 0, end: Number.MAX_SAFE_INTEGER, offset: 0, limit: 50 };

/** The most that a statement of a request may take, in milliseconds. */
const GOOD_MS = 5;

/** What statements took, by what they were for. */
class Times {
  readonly #times = new Map<string, Taken[]>();
  #purpose = "";

  readonly tell = (taken: Taken): void => {
    const known = this.#times.get(this.#purpose) ?? [];
    known.push(taken);
    this.#times.set(this.#purpose, known);
  };

  async of(purpose: string, work: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
    this.#purpose = purpose;
    for (let round = 0; round < rounds; round += 1) await work();
  }

  /** Statements that were interrupted, by other programs or by a wait for the disk, are counted; measured where all were. */
  print(): void {
    console.log(`\n${"statements of".padEnd(55)} count  interrupted  median ms  worst ms`);
    for (const [purpose, taken] of this.#times) {
      const whole = taken.filter(({ interrupted }) => !interrupted);
      const measured = whole.length > 0 ? whole : taken;
      const sorted = measured.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
      const [median, worst] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
      const counts = `${String(taken.length).padStart(5)} ${String(taken.length - whole.length).padStart(12)}`;
      const figures = `${median.toFixed(2).padStart(10)} ${worst.toFixed(2).padStart(9)}`;
      console.log(`${purpose.padEnd(55)} ${counts} ${figures}${worst >= GOOD_MS ? " *" : ""}`);
    }
  }
}

const entry = (id: string) => ({
  id,
  accountId: BUSY,
  createdAt: NOW,
  toldUntil: NOW,
  delaySeconds: 0,
  target: randomBytes(110),
  job: randomBytes(700),
  bytesKey: null,
});

/** One job from its acceptance to its second delivery. */
async function lives(db: D1Database, times: Times): Promise<void> {
  const store = storeOf(db);
  const ids = Array.from({ length: ROUNDS }, () => randomUUID());
  const each = (purpose: string, work: (id: string) => Promise<unknown>) => {
    const left = [...ids];
    return times.of(purpose, () => work(left.pop() ?? ""));
  };
  const outcome = {
    status: "delivered",
    code: 200,
    attempts: [{ at: NOW, code: 200, durationMs: 9 }],
    retries: 0,
    wakeAt: null,
  } as const;
  await each("accepting a job", (id) => store.insert(entry(id)));
  await each("claiming a job", (id) => store.claimRun(id, "claim", NOW, 1_000));
  await each("renewing a claim", (id) => store.renewRun(id, "claim", NOW + 2_000));
  await each("giving a claim back", (id) =>
    store.releaseRun(id, "claim", { wakeAt: NOW, toldUntil: NOW, counts: true }),
  );
  await each("ending a job", (id) => store.finishRun(id, JSON.stringify({ filler: "x".repeat(900) }), NOW, NOW));
  await each("looking at a record", (id) => store.standing(id));
  await each("claiming a delivery", (id) => store.claimDelivery(id, "delivery", NOW, 1_000));
  await each("ending a delivery", (id) => store.finishDelivery(id, "delivery", outcome, NOW));
  await each("showing a record", (id) => store.find(BUSY, id));
  await each("repeating a notification", (id) => store.reschedule(BUSY, id, NOW));
}

async function pages(db: D1Database, times: Times): Promise<void> {
  const kinds: readonly (readonly [string, Partial<Page>])[] = [
    ["listing the newest 50", {}],
    ["listing 100 failed", { statuses: ["failed"], limit: 100 }],
    ["listing 100 of three states", { statuses: ["failed", "created", "dispatched"], limit: 100 }],
    [
      "listing 100 of a week of a month ago",
      { statuses: ["delivered", "failed"], start: NOW - 37 * DAY_MS, end: NOW - 30 * DAY_MS, limit: 100 },
    ],
    ["listing 100 after skipping as many as may be", { offset: MAX_WEBHOOK_OFFSET, limit: 100 }],
  ];
  for (const [title, changes] of kinds) await times.of(title, () => list(db, BUSY, { ...WHOLE, ...changes }));
}

async function accounts(db: D1Database, times: Times): Promise<void> {
  const shelf = { db, vault: vaultOf([new Uint8Array(32)]), accountId: BUSY };
  const seal = { close: async () => new Uint8Array(80), open: async () => "secret" };
  const counts = { requests: 1, errors: 0, pictures: 1, bytesIn: 1, bytesOut: 1, credits: 1 };
  const year = { accountId: "account-7", start: "2025-11-21", end: "2026-11-20" };
  let saved = 0;
  await times.of("saving an asset beside 900 of its kind", () =>
    saveAsset(shelf, "connector", { id: `new-${(saved += 1)}`, name: "", details: {}, secret: {} }, new Date(NOW)),
  );
  await times.of("listing assets", () => listAssets(shelf, "watermark", { offset: 800, limit: 100 }));
  await times.of("showing an asset", () => findAsset(shelf, "keyfile", "asset-00301"));
  await times.of("opening an asset", () => openAsset(shelf, "connector", "new-1"));
  await times.of("reading a signing secret", () => secretOf(db, seal, BUSY, NOW));
  await times.of("saving usage", () => saveUsage(db, "account-7", new Map([["2026-11-20 key-7", counts]])));
  await times.of("usage of an account in a year", () =>
    listUsage({ records: [db], directory: db }, year, { offset: 0, limit: 50 }),
  );
}

/** What only the clock and the operator ask. */
async function rest(db: D1Database, database: DatabaseSync, times: Times): Promise<void> {
  await times.of("sweeping usage", () => sweepUsage(db, NOW), 5);
  const uploads = { olderThan: async () => [{ key: "jobs/x/y", id: "y" }], remove: async () => undefined } as never;
  const later = NOW + 7 * 60_000;
  const idle = { now: () => later, random: () => 0, waiting: async () => 0, enqueue: async () => undefined };
  await times.of("sweeping records", () => sweepWebhooks({ db, uploads, ...idle }), 1);
  const all = { start: "2026-10-22", end: "2026-11-20" };
  await times.of(
    "operator: a month's usage of 500 accounts",
    () => listUsage({ records: [db], directory: db }, all, { offset: 0, limit: 50 }),
    5,
  );
  for (const column of SEALED_COLUMNS) {
    const head = `operator: ${column.table}.${column.column}`;
    await times.of(
      `${head}, 500 to seal anew`,
      () => db.prepare(pickSql(column)).bind('[["0000000000","ffffffffff"]]', 500, 1e6).all(),
      3,
    );
    await times.of(`${head}, counting those left`, () => db.prepare(countSql(column)).bind(new Uint8Array(5)).all(), 3);
  }
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

async function directory(db: D1Database, database: DatabaseSync, times: Times): Promise<void> {
  fillDirectory(database, ACCOUNTS);
  await times.of(`looking a key up among ${ACCOUNTS}`, async () => {
    forgetKeys();
    await findHolder(db, generateKey(), NOW);
  });
  await times.of("operator: listing accounts", () => listAccounts(db, { offset: 100, limit: 100 }));
  await times.of("operator: choosing a database", () => placesOf({ DB: db } as Env));
}

/** Jobs accepted in a second, and in a second of processor time, of which a busy machine gives less. */
async function inserts(database: DatabaseSync): Promise<readonly [number, number]> {
  const store = storeOf(timedDatabase(database, () => undefined));
  const given = entry("");
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
  database.exec(
    "DELETE FROM usage; DELETE FROM assets; DELETE FROM webhook_jobs; UPDATE webhooks SET payload = NULL, target = x''; VACUUM",
  );
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
  const startedAt = performance.now();
  fill(database, Math.round(RECORDS / DATABASES));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { size } = await stat(path);
  const db = timedDatabase(database, times.tell);
  if (index === 0) await directory(db, database, times);
  await lives(db, times);
  await pages(db, times);
  await accounts(db, times);
  const [perSecond, perProcessorSecond] = await inserts(database);
  await rest(db, database, times);
  database.close();
  console.log(
    `database ${index}: ${Math.round(RECORDS / DATABASES)} records, ${(size / 1e9).toFixed(2)} GB, filled in ${seconds.toFixed(0)} s, ${perSecond.toFixed(0)} jobs accepted a second, ${perProcessorSecond.toFixed(0)} a second of processor time`,
  );
}

export async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "darkroom-d1-"));
  try {
    const times = new Times();
    for (let index = 0; index < DATABASES; index += 1) await one(folder, index, times);
    times.print();
    await weights(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
