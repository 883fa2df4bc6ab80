/** Databases as they are after 60 busy days: the deployed schema, filled with records by SQLite itself. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { MAX_KEYS, USAGE_HISTORY_DAYS } from "../../src/limits/accounts.ts";
import { MAX_DELIVERIES } from "../../src/limits/delivery.ts";
import { WEBHOOK_BODY_DAYS, WEBHOOK_HISTORY_DAYS } from "../../src/limits/webhook.ts";

const DAY_MS = 86_400_000;
export const NOW = Date.UTC(2026, 10, 20, 12);
/** The account that has half of the records of its database. */
export const BUSY = "busy";
const OTHERS = 500;
const MIGRATIONS = join(import.meta.dirname, "..", "..", "src", "migrations");

export async function openDatabase(path: string): Promise<DatabaseSync> {
  const database = new DatabaseSync(path);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 0",
  );
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  for (const name of names) database.exec(await readFile(join(MIGRATIONS, name), "utf8"));
  return database;
}

/** Fills a database; indexes are made at the end, which takes a fraction of the time and gives what inserting gives. */
export function fill(database: DatabaseSync, records: number): void {
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  const sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'webhooks' AND sql IS NOT NULL";
  const indexes = database.prepare(sql).all();
  for (const { name } of indexes) database.exec(`DROP INDEX ${String(name)}`);
  database.prepare(RECORDS_SQL).run(records, records);
  for (const { sql: index } of indexes) database.exec(String(index));
  database.prepare(USAGE_SQL).run(USAGE_HISTORY_DAYS);
  database.prepare(BUSY_USAGE_SQL).run(USAGE_HISTORY_DAYS);
  database.prepare(ASSETS_SQL).run();
  database.exec("COMMIT; PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Accounts with a key each, as the directory has them. */
export function fillDirectory(database: DatabaseSync, accounts: number): void {
  database
    .prepare(`${countTo("?1")} INSERT INTO accounts (id, name, plan, credits_total, status, created_at, database)
    SELECT printf('account-%d', i), 'Name', 'standard', 10000, 'active', printf('2026-%08d', i), 'DB_1' FROM n`)
    .run(accounts);
  database
    .prepare(`${countTo("?1")} INSERT INTO keys (id, account_id, hash, name, hint, created_at)
    SELECT printf('key-%d', i), printf('account-%d', i), hex(randomblob(32)), '', 'abcd', '2026' FROM n`)
    .run(accounts);
  for (const sql of [DELIVERIES_SQL, FINALS_SQL, DELIVERY_USAGE_SQL]) database.exec(sql);
  database.exec("INSERT INTO databases VALUES ('DB', 1, 1), ('DB_1', 1, 1), ('DB_2', 1, 1)");
}

function countTo(end: string): string {
  return `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${end})`;
}

const UUID =
  "lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6))))";
/** Moments of creation, evenly over the history. */
const CREATED = `${NOW - WEBHOOK_HISTORY_DAYS * DAY_MS} + CAST(i * ${WEBHOOK_HISTORY_DAYS * DAY_MS}.0 / ?2 AS INTEGER)`;

/**
 * Nearly all are delivered, one in 50 failed for good; the youngest have bodies; of the very youngest some wait for their
 * run, their delivery or their next attempt, and some of these are overdue.
 */
const RECORDS_SQL = `${countTo("?1")}, record (i, created, status) AS (
    SELECT i, ${CREATED}, CASE WHEN i > ?2 * 0.995 AND i % 4 = 0
      THEN CASE i % 3 WHEN 0 THEN 'created' WHEN 1 THEN 'scheduled' ELSE 'dispatched' END
      ELSE iif(i % 50 = 0, 'failed', 'delivered') END FROM n)
  INSERT INTO webhooks (id, account_id, status, code, created_at, updated_at, delay_seconds, target, payload, attempts, wake_at, job, bytes_key, stage, sweep_at)
  SELECT ${UUID}, iif(i % 2 = 0, '${BUSY}', printf('account-%d', i % ${OTHERS})), status,
    CASE status WHEN 'delivered' THEN 200 WHEN 'failed' THEN 503 ELSE 0 END, created, created, 0,
    iif(created >= ${NOW - WEBHOOK_BODY_DAYS * DAY_MS}, randomblob(110), x''),
    iif(status <> 'created' AND created >= ${NOW - WEBHOOK_BODY_DAYS * DAY_MS}, '{"success":true,"code":200,"filler":"' || hex(zeroblob(400)) || '"}', NULL),
    iif(status = 'created', '[]', '[{"at":1795176000000,"code":200,"duration_ms":123}]'),
    iif(status IN ('delivered', 'failed'), NULL, ${NOW - 3_600_000} + i % 7200000),
    iif(status = 'created', randomblob(700), NULL), iif(status = 'created', 'jobs/000000498612/' || i, NULL),
    CASE WHEN status NOT IN ('delivered', 'failed') THEN 'waiting'
      WHEN created >= ${NOW - WEBHOOK_BODY_DAYS * DAY_MS} THEN 'kept' ELSE 'emptied' END,
    CASE WHEN status NOT IN ('delivered', 'failed') THEN ${NOW - 3_600_000} + i % 7200000
      WHEN created >= ${NOW - WEBHOOK_BODY_DAYS * DAY_MS} THEN created + ${WEBHOOK_BODY_DAYS * DAY_MS}
      ELSE created + ${WEBHOOK_HISTORY_DAYS * DAY_MS} END
  FROM record`;
/** As many deliveries as an account may have, and one of each of 10,000 others. */
const DELIVERIES_SQL = `INSERT INTO accounts (id, name, plan, credits_total, status, created_at, database)
  VALUES ('${BUSY}', 'Name', 'standard', 10000, 'active', '2026', 'DB');
  ${countTo("10100")} INSERT INTO deliveries (id, account_id, name, sources, presets, unsigned, refine, ttl, signing, created_at, updated_at)
  SELECT printf('dl_%d', i), iif(i < ${MAX_DELIVERIES}, '${BUSY}', printf('account-%d', i)), '',
    '[{"kind":"web","prefix":"https://www.example.com/uploads/"}]', '{}', 'false', 1, 604800, randomblob(200), '2026', '2026' FROM n`;
const FINALS_SQL = `${countTo("10000")} INSERT INTO delivery_finals (key, delivery_id, job, wake_at)
  SELECT hex(randomblob(40)), printf('dl_%d', i % 10100), hex(zeroblob(450)), ${NOW - 3_600_000} + i * 720 FROM n`;
const DELIVERY_USAGE_SQL = `${countTo(String(USAGE_HISTORY_DAYS))} INSERT INTO delivery_usage
  SELECT d.account_id, d.id, date('2026-11-20', printf('-%d days', i)), 1, 1, 1, 1000
  FROM n, (SELECT id, account_id FROM deliveries LIMIT 2000) AS d`;
/** One key of each account, every day. */
const USAGE_SQL = `${countTo("?1")} INSERT INTO usage
  SELECT printf('account-%d', a.value), printf('key-%d', a.value), date('2026-11-20', printf('-%d days', i)), 100, 1, 99, 1000000, 100000, 99, 0
  FROM n, json_each((SELECT json_group_array(i) FROM (${countTo(String(OTHERS))} SELECT i FROM n))) AS a`;
/** As many keys as an account may have, every day. */
const BUSY_USAGE_SQL = `${countTo("?1")} INSERT INTO usage
  SELECT '${BUSY}', printf('busy-key-%d', k.value), date('2026-11-20', printf('-%d days', i)), 100, 1, 99, 1000000, 100000, 99, 0
  FROM n, json_each((SELECT json_group_array(i) FROM (${countTo(String(MAX_KEYS))} SELECT i FROM n))) AS k`;
const ASSETS_SQL = `${countTo("900")} INSERT INTO assets
  SELECT printf('asset-%05d', i * 3 + k.value), '${BUSY}', CASE k.value WHEN 0 THEN 'watermark' WHEN 1 THEN 'keyfile' ELSE 'connector' END,
    'name', '{}', randomblob(800), printf('2026-%08d', i), '2026' FROM n, json_each('[0,1,2]') AS k`;
