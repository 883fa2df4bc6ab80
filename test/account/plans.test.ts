/** Every statement of the service finds its rows by an index, however many there are. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { changeAccount, createAccount, findAccount, listAccounts } from "../../src/account/accounts.ts";
import {
  type Shelf,
  changeAsset,
  deleteAsset,
  findAsset,
  listAssets,
  openAsset,
  saveAsset,
} from "../../src/account/assets.ts";
import { measure, placesOf } from "../../src/account/databases.ts";
import { createKey, deleteKey, findHolder, findHolderById, listKeys } from "../../src/account/keys.ts";
import { listUsage, saveUsage, sweepUsage } from "../../src/account/usage.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { listDeliveryCounts } from "../../src/delivery/counts.ts";
import { reseal } from "../../src/entrances/reseal.ts";
import { uploadKey, uploadsOf } from "../../src/webhook/bytes.ts";
import { list } from "../../src/webhook/listing.ts";
import { STATUSES } from "../../src/webhook/record.ts";
import { rotateSecret, secretOf } from "../../src/webhook/secrets.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { sweepWebhooks } from "../../src/webhook/sweep.ts";
import { recorded } from "../support/recorded-database.ts";
import { store as storeRecords } from "../support/webhooks.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

/** What may be read whole. */
const SMALL: Readonly<Record<string, string>> = {
  "SCAN databases": "one row a database",
  "SCAN webhook_secrets": "one row an account; only when the operator has everything sealed anew",
};

/** Steps of a plan that read a table from its beginning to its end. */
async function scans(sql: string, values: readonly unknown[]): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results
    .map(({ detail }) => detail.replace("SCAN kept", /JOIN (\w+) AS kept/.exec(sql)?.[1] ?? "kept"))
    .filter(
      (detail) =>
        /^SCAN (?!\(|(?:\d+ )?CONSTANT)/.test(detail) && !/USING (?:COVERING )?INDEX|VIRTUAL TABLE/.test(detail),
    )
    .filter((detail) => SMALL[detail] === undefined);
}

async function walkRecords(db: D1Database): Promise<void> {
  const store = storeOf(db);
  const id = crypto.randomUUID();
  const sealed = new Uint8Array(40);
  await store.insert({
    id,
    accountId: "a",
    createdAt: NOW,
    toldUntil: NOW,
    delaySeconds: 0,
    target: sealed,
    job: sealed,
    bytesKey: null,
  });
  await store.claimRun(id, "claim", NOW, 1);
  await store.renewRun(id, "claim", NOW);
  await store.releaseRun(id, "claim", { wakeAt: NOW, toldUntil: NOW, counts: true });
  await store.untell([id]);
  await store.finishRun(id, { payload: "{}", dueAt: NOW, now: NOW });
  await store.claimDelivery(id, "claim", NOW, 1);
  const outcome = { status: "delivered", code: 200, attempts: [], retries: 0, wakeAt: null } as const;
  await store.finishDelivery(id, "claim", outcome, NOW);
  await store.reschedule("a", id, NOW);
  await store.standing(id);
  await store.find("a", id);
  for (const statuses of [[], [...STATUSES], ["failed"], ["failed", "created"]] as const) {
    await list(db, "a", { statuses, start: 0, end: NOW, offset: 10, limit: 50 });
  }
}

async function walkSweep(db: D1Database): Promise<void> {
  await storeRecords(
    { accountId: "a", createdAt: NOW - 61 * DAY_MS },
    { accountId: "a", createdAt: NOW - 8 * DAY_MS },
    { accountId: "a", status: "created", payload: null, wakeAt: NOW - DAY_MS, createdAt: NOW - DAY_MS },
  );
  const uploads = uploadsOf(env.BUCKET);
  await uploads.put(uploadKey("left", NOW - 2 * DAY_MS), new Uint8Array(1));
  const idle = { now: () => NOW, random: () => 0, waiting: async () => 0, enqueue: async () => undefined };
  await sweepWebhooks({ db, uploads, ...idle });
  await sweepUsage(db, NOW);
  await measure(db, { name: "DB", db }, NOW);
}

async function walkAccounts(db: D1Database): Promise<void> {
  const account = await createAccount(db, { name: "a", plan: "p", creditsTotal: 1 }, new Date(NOW));
  await changeAccount(db, account.id, { plan: "q" });
  await findAccount(db, account.id);
  await listAccounts(db, { offset: 10, limit: 50 });
  await placesOf({ ...env, DB: db });
  const { key, record } = await createKey(db, account.id, "", new Date(NOW));
  expect(await findHolder(db, key, NOW)).not.toBeNull();
  expect(await findHolderById(db, record.id, NOW)).not.toBeNull();
  await listKeys(db, account.id);
  await deleteKey(db, account.id, record.id);
  const counts = { requests: 1, errors: 0, pictures: 0, bytesIn: 0, bytesOut: 0, credits: 0, failedMs: 0 };
  await saveUsage(db, account.id, new Map([["2026-11-20 k", counts]]));
  const range = { start: "2026-11-01", end: "2026-11-30" };
  for (const one of [{}, { accountId: account.id }, { keyId: "k" }, { accountId: account.id, keyId: "k" }]) {
    await listUsage({ records: [db], directory: db }, { ...range, ...one }, { offset: 0, limit: 50 });
  }
}

async function walkSecrets(db: D1Database): Promise<void> {
  const [old, fresh] = [new Uint8Array(32), new Uint8Array(32).fill(1)];
  const shelf: Shelf = { db, vault: vaultOf([old]), accountId: "a" };
  const asset = { id: "0000000000", name: "", details: {}, secret: {} };
  await saveAsset(shelf, "connector", asset, new Date(NOW));
  await changeAsset(shelf, "connector", asset, new Date(NOW));
  await listAssets(shelf, "connector", { offset: 0, limit: 50 });
  await findAsset(shelf, "connector", asset.id);
  await openAsset(shelf, "connector", asset.id);
  const seal = { close: async () => new Uint8Array(40), open: async () => "secret" };
  await secretOf(db, seal, "a", NOW);
  await rotateSecret(db, seal, "a", NOW);
  expect(await reseal([db], vaultOf([fresh, old]))).toMatchObject({ resealed: 1 });
  await deleteAsset(shelf, "connector", asset.id);
}

it("the days of one account, or of one key, are found without those of others", async () => {
  const { db, asked } = recorded(env.DB);
  const [range, page] = [
    { start: "2026-11-01", end: "2026-11-30" },
    { offset: 0, limit: 50 },
  ];
  await listDeliveryCounts(db, { ...range, accountId: "a" }, page);
  await listUsage({ records: [db], directory: db }, { ...range, accountId: "a" }, page);
  const ofKey = asked.length;
  await listUsage({ records: [db], directory: db }, { ...range, accountId: "a", keyId: "k" }, page);
  for (const [index, { sql, values }] of asked.entries()) {
    if (!/FROM (?:delivery_)?usage/.test(sql)) continue;
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...values)
      .all<{ detail: string }>();
    expect(results[0]?.detail, sql).toContain(index < ofKey ? "(account_id=? AND day>?" : "(key_id=? AND day>?");
  }
});

it("no statement reads a table that grows from its beginning to its end", async () => {
  const { db, asked } = recorded(env.DB);
  for (const walk of [walkRecords, walkSweep, walkAccounts, walkSecrets]) await walk(db);
  const statements = new Map(asked.map(({ sql, values }) => [sql, values]));
  expect(statements.size).toBeGreaterThan(45);
  const found: Record<string, string[]> = {};
  for (const [sql, values] of statements) {
    const read = await scans(sql, values);
    if (read.length > 0) found[sql] = read;
  }
  expect(found).toEqual({});
});
