/** Every statement of the service, by what it is for: what requests, queues and couriers ask, what the clock, what the operator. */
import { randomBytes, randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

import { changeAccount, createAccount, findAccount, listAccounts } from "../../src/account/accounts.ts";
import { findAlike, keepLooks, sweepLooks } from "../../src/account/alike.ts";
import { changeAsset, deleteAsset, findAsset, listAssets, openAsset, saveAsset } from "../../src/account/assets.ts";
import { measure, placesOf } from "../../src/account/databases.ts";
import { createKey, deleteKey, findHolder, forgetKeys, generateKey, listKeys } from "../../src/account/keys.ts";
import { listUsage, saveUsage, sweepUsage } from "../../src/account/usage.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { claimFinal, dropFinal, isClaimed, lostFinals, releaseFinal, startFinal } from "../../src/delivery/claims.ts";
import {
  countDelivery,
  listDeliveryCounts,
  saveDeliveryCounts,
  sweepDeliveryCounts,
} from "../../src/delivery/counts.ts";
import { isPurgedSince, rememberPurge, sweepPurges } from "../../src/delivery/purges.ts";
import {
  changeDelivery,
  createDelivery,
  deleteDelivery,
  findDelivery,
  listDeliveries,
  markPurged,
  openDelivery,
} from "../../src/delivery/records.ts";
import { rotateSigning, signingOf } from "../../src/delivery/signing-pairs.ts";
import { noteTwin, sweepTwins, twinOf } from "../../src/delivery/twin-rows.ts";
import { countSql, pickSql, SEALED_COLUMNS } from "../../src/entrances/reseal.ts";
import { USAGE_HISTORY_DAYS } from "../../src/limits/accounts.ts";
import { MAX_COUNTED_SECRETS } from "../../src/limits/assets.ts";
import { MAX_WEBHOOK_OFFSET } from "../../src/limits/webhook.ts";
import { isDue, rest } from "../../src/storage/rests.ts";
import { list, type Page } from "../../src/webhook/listing.ts";
import { rotateSecret, secretOf } from "../../src/webhook/secrets.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";
import { BUSY, NOW } from "./d1-records.ts";
import { type Taken, timedDatabase } from "./timed-database.ts";

const ROUNDS = 100;
/** For what only the clock and the operator ask. */
const FEW = 5;
const DAY_MS = 86_400_000;
const WHOLE: Page = { statuses: [], start: 0, end: Number.MAX_SAFE_INTEGER, offset: 0, limit: 50 };
const FIRST_PAGE = { offset: 0, limit: 100 };
const TODAY = new Date(NOW);
const YEAR = { start: new Date(NOW - USAGE_HISTORY_DAYS * DAY_MS).toISOString().slice(0, 10), end: "2026-11-20" };
const vault = vaultOf([new Uint8Array(32)]);

/** A database whose statements are told of by what they are for. */
export class Asked {
  readonly db: D1Database;
  readonly #database: DatabaseSync;
  #purpose = "";

  /** @param told is told what a statement was for, and what it took */
  constructor(database: DatabaseSync, told: (purpose: string, taken: Taken) => void) {
    this.#database = database;
    this.db = timedDatabase(database, (taken, sql) =>
      told(sql === "COMMIT" ? `${this.#purpose}: commit` : this.#purpose, taken),
    );
  }

  async of(purpose: string, work: (round: number) => Promise<unknown>, rounds = ROUNDS): Promise<void> {
    this.#purpose = purpose;
    for (let round = 0; round < rounds; round += 1) await work(round);
    // Log and pages become one in the background, as far as requests are concerned.
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
}

export const jobOf = (id: string) => ({
  id,
  accountId: BUSY,
  createdAt: NOW,
  toldUntil: NOW,
  delaySeconds: 0,
  target: randomBytes(110),
  job: randomBytes(700),
  bytesKey: null,
});

/** Jobs from their acceptance to their second delivery. */
export async function askOfJobs(asked: Asked): Promise<void> {
  const store = storeOf(asked.db);
  const ids = Array.from({ length: ROUNDS }, () => randomUUID());
  const each = (purpose: string, work: (id: string) => Promise<unknown>) =>
    asked.of(purpose, (round) => work(ids[round] ?? ""));
  const attempts = [{ at: NOW, code: 200, durationMs: 9 }];
  const outcome = { status: "delivered", code: 200, attempts, retries: 0, wakeAt: null } as const;
  const release = { wakeAt: NOW, toldUntil: NOW, counts: true };
  await each("accepting a job", (id) => store.insert(jobOf(id)));
  await each("claiming a job", (id) => store.claimRun(id, "claim", NOW, 1_000));
  await each("renewing a claim", (id) => store.renewRun(id, "claim", NOW + 2_000));
  await each("giving a claim back", (id) => store.releaseRun(id, "claim", release));
  await each("handing out after all", (id) => store.untell([id]));
  await each("ending a job", (id) =>
    store.finishRun(id, { payload: JSON.stringify({ filler: "x".repeat(900) }), dueAt: NOW, now: NOW }),
  );
  await each("looking at a record", (id) => store.standing(id));
  await each("claiming a delivery", (id) => store.claimDelivery(id, "delivery", NOW, 1_000));
  await each("ending a delivery", (id) => store.finishDelivery(id, "delivery", outcome, NOW));
  await each("showing a record", (id) => store.find(BUSY, id));
  await each("repeating a notification", (id) => store.reschedule(BUSY, id, NOW));
  const seal = { close: async () => new Uint8Array(80), open: async () => "secret" };
  await asked.of("reading a signing secret", () => secretOf(asked.db, seal, BUSY, NOW));
  await asked.of("making a new signing secret", () => rotateSecret(asked.db, seal, BUSY, NOW));
}

export async function askForPages(asked: Asked): Promise<void> {
  const [monthAgo, end] = [NOW - 37 * DAY_MS, NOW - 30 * DAY_MS];
  const kinds: readonly (readonly [string, Partial<Page>])[] = [
    ["listing the newest 50", {}],
    ["listing 100 failed", { statuses: ["failed"], limit: 100 }],
    ["listing 100 of three states", { statuses: ["failed", "created", "dispatched"], limit: 100 }],
    ["listing 100 of a week of a month ago", { statuses: ["delivered", "failed"], start: monthAgo, end, limit: 100 }],
    ["listing 100 after skipping as many as may be", { offset: MAX_WEBHOOK_OFFSET, limit: 100 }],
    [
      "listing 100 of four states after skipping as many",
      { statuses: ["failed", "created", "dispatched", "delivered"], offset: MAX_WEBHOOK_OFFSET, limit: 100 },
    ],
  ];
  for (const [title, changes] of kinds) await asked.of(title, () => list(asked.db, BUSY, { ...WHOLE, ...changes }));
}

export async function askOfAssets(asked: Asked): Promise<void> {
  const shelf = { db: asked.db, vault, accountId: BUSY };
  const asset = (id: string) => ({ id, name: "", details: {}, secret: {} });
  // Beside 900 of its kind there is room for 100.
  const among = (round: number) => `new-${round % 90}`;
  await asked.of("saving an asset", (round) => saveAsset(shelf, "connector", asset(`new-${round}`), TODAY), 90);
  await asked.of("changing an asset", (round) => changeAsset(shelf, "connector", asset(among(round)), TODAY));
  await asked.of("listing assets", () => listAssets(shelf, "watermark", { offset: 800, limit: 100 }));
  await asked.of("showing an asset", () => findAsset(shelf, "keyfile", "asset-00301"));
  await asked.of("opening an asset", (round) => openAsset(shelf, "connector", among(round)));
  await asked.of("deleting an asset", (round) => deleteAsset(shelf, "connector", among(round)), 90);
}

export async function askOfUsage(asked: Asked): Promise<void> {
  const counts = { requests: 1, errors: 0, pictures: 1, bytesIn: 1, bytesOut: 1, credits: 1, failedMs: 0 };
  const tables = { records: [asked.db], directory: asked.db };
  const usageOf = (accountId: string, keyId?: string) => () =>
    listUsage(tables, { ...YEAR, accountId, keyId }, FIRST_PAGE);
  await asked.of("saving usage", () => saveUsage(asked.db, "account-7", new Map([["2026-11-20 key-7", counts]])));
  const month = { accountId: BUSY, start: "2026-10-22", end: "2026-11-20" };
  await asked.of("usage of 100 keys in a month", () => listUsage(tables, month, FIRST_PAGE));
  await asked.of("usage of one key in 400 days", usageOf("account-7"));
  await asked.of("usage of one of 100 keys in 400 days", usageOf(BUSY, "busy-key-7"));
  await asked.of("usage of 100 keys in 400 days", usageOf(BUSY));
}

/** What lies in the directory alone. */
export async function askTheDirectory(asked: Asked): Promise<void> {
  const { db } = asked;
  await asked.of("looking a key up", () => {
    forgetKeys();
    return findHolder(db, generateKey(), NOW);
  });
  await asked.of("operator: making an account", () =>
    createAccount(db, { name: "a", plan: "p", creditsTotal: 1 }, TODAY),
  );
  await asked.of("operator: changing an account", () => changeAccount(db, "account-7", { plan: "q" }));
  await asked.of("operator: showing an account", () => findAccount(db, "account-7"));
  await asked.of("operator: listing accounts", () => listAccounts(db, { offset: 100, limit: 100 }));
  await asked.of("operator: choosing a database", () => placesOf({ DB: db } as Env));
  await asked.of("operator: making, listing and deleting a key", async () => {
    const { record } = await createKey(db, "account-7", "", TODAY);
    await listKeys(db, "account-7");
    await deleteKey(db, "account-7", record.id);
  });
  await asked.of("sweep: measuring a database", () => measure(db, { name: "DB", db }, NOW));
}

export async function askOfDeliveries(asked: Asked): Promise<void> {
  const { db } = asked;
  const shelf = { db, vault };
  const rules = {
    name: "",
    sources: [],
    presets: {},
    unsigned: false,
    refine: true,
    ttl: 60,
    provenance: "auto",
  } as const;
  const made: string[] = [];
  await asked.of("making a delivery", async (round) => {
    made.push((await createDelivery(shelf, `account-${round}`, rules, TODAY)).delivery.id);
  });
  const each = (purpose: string, work: (id: string, accountId: string) => Promise<unknown>) =>
    asked.of(purpose, (round) => work(made[round] ?? "", `account-${round}`));
  await each("looking a delivery up", (id) => openDelivery(shelf, id, NOW));
  await asked.of("listing 100 deliveries", () => listDeliveries(db, BUSY, FIRST_PAGE));
  await each("showing a delivery", (id, account) => findDelivery(db, account, id));
  await each("changing a delivery", (id, account) => changeDelivery(db, account, id, { ttl: 61 }, TODAY));
  await each("showing what a delivery signs with", (id, account) => signingOf(shelf, account, id, NOW));
  await each("making a new pair", (id, account) => rotateSigning(shelf, account, id, NOW));
  await each("purging a delivery", (id, account) => markPurged(db, account, id, { all: true, now: NOW }));
  await each("deleting a delivery", (id, account) => deleteDelivery(db, account, id));
  await each("claiming a final", (id) => claimFinal(db, { key: id, deliveryId: id, job: "x".repeat(900) }, NOW));
  await each("asking whether a final is made", (id) => isClaimed(db, id));
  await each("starting a final", (id) => startFinal(db, id, NOW, true));
  await each("giving a final back", (id) => releaseFinal(db, id, NOW, -1));
  await each("ending a final", (id) => dropFinal(db, id));
  const twin = (id: string) => ({ hash: "5".repeat(32), request: "6".repeat(32), delivery: id });
  await each("noting the bytes of a final", (id) => noteTwin(db, twin(id), "derived/a/b/c", NOW));
  await each("asking for a final of the same bytes", (id) => twinOf(db, twin(id)));
  await each("remembering a purge", (id) => rememberPurge(db, id, undefined, NOW));
  await each("asking whether an original was purged", (id) =>
    isPurgedSince(db, { delivery: id, original: "5".repeat(32) }, NOW),
  );
  await asked.of("counting a delivery", async (round) => {
    countDelivery(db, { id: `dl_${round}`, accountId: BUSY }, { finals: 1 }, () => undefined, NOW);
    await saveDeliveryCounts(db);
  });
  for (const [whose, accountId] of [
    ["100 deliveries", BUSY],
    ["no delivery", "nobody"],
  ] as const) {
    await asked.of(`usage of ${whose} in 400 days`, () => listDeliveryCounts(db, { ...YEAR, accountId }, FIRST_PAGE));
  }
  await asked.of("sweep: finals that were lost", () => lostFinals(db, NOW), FEW);
  await asked.of("sweep: finals by the bytes of their originals", () => sweepTwins(db, NOW - DAY_MS, "0"), FEW);
  await asked.of("sweep: purges", () => sweepPurges(db, NOW + DAY_MS), FEW);
  await asked.of("sweep: letting a part of the bucket rest", () => rest(db, "derived", NOW), 1);
  await asked.of("sweep: asking whether a part is due", () => isDue(db, "derived", NOW), 1);
  await asked.of("sweep: usage of deliveries", () => sweepDeliveryCounts(db, NOW + 2 * DAY_MS), 1);
  const everybody = { ...YEAR, accountId: undefined };
  await asked.of("operator: usage of all deliveries", () => listDeliveryCounts(db, everybody, FIRST_PAGE), FEW);
}

/** What only the clock asks of a database with records. */
export async function askAsTheClock(asked: Asked): Promise<void> {
  const { db } = asked;
  const phash = "0123456789abcdef";
  await asked.of("remembering what a result looks like", (round) =>
    keepLooks(db, BUSY, [{ phash, id: `${round}`, name: `${round}.jpg` }], NOW),
  );
  await asked.of("looking for alike results", () => findAlike(db, BUSY, { phash, distance: 7, limit: 100 }, NOW));
  await asked.of("sweep: what results looked like", () => sweepLooks(db, NOW - DAY_MS, 0), FEW);
  await asked.of("sweep: usage", () => sweepUsage(db, NOW + 2 * DAY_MS), 1);
  const uploads = { olderThan: async () => [{ key: "jobs/x/y", id: "y" }], remove: async () => undefined } as never;
  const later = NOW + 7 * 60_000;
  const idle = { now: () => later, random: () => 0, waiting: async () => 0, enqueue: async () => undefined };
  await asked.of("sweep: records", () => sweepWebhooks({ db, uploads, ...idle }), 1);
}

export async function askAsTheOperator(asked: Asked): Promise<void> {
  const { db } = asked;
  const month = { start: "2026-10-22", end: "2026-11-20" };
  const tables = { records: [db], directory: db };
  await asked.of("operator: a month's usage of everybody", () => listUsage(tables, month, FIRST_PAGE), FEW);
  for (const column of SEALED_COLUMNS) {
    const name = `operator: ${column.table}.${column.column}`;
    const pick = db.prepare(pickSql(column)).bind('[["0000000000","ffffffffff"]]', 500, 1e6);
    await asked.of(`${name}, 500 to seal anew`, () => pick.all(), FEW);
    const count = db.prepare(countSql(column)).bind(new Uint8Array(5), MAX_COUNTED_SECRETS);
    await asked.of(`${name}, counting those left`, () => count.all(), FEW);
  }
}
