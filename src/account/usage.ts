/**
 * What each key did on each day. Counted in the account's meter with everything else that it counts, and copied to the
 * database from there: no request waits for a row, and no count is lost to concurrency.
 */
import { ApiError } from "../errors.ts";
import { MAX_MERGED_ENTRIES, USAGE_HISTORY_DAYS, USAGE_SUM_DAYS } from "../limits/accounts.ts";
import { SWEEP_BATCHES, SWEEP_DELETIONS } from "../limits/webhook.ts";

/** Counts of one key on one day. */
export interface Counts {
  /** All that the key was used for, queries and refusals included. */
  readonly requests: number;
  /** Those that were answered with 4xx or 5xx, and accepted jobs that failed later. */
  readonly errors: number;
  /** Processed images. */
  readonly pictures: number;
  /** Bytes of the originals of these pictures. */
  readonly bytesIn: number;
  /** Bytes of the results of these pictures. */
  readonly bytesOut: number;
  readonly credits: number;
  /** Milliseconds of processor time that failed work took, that of accepted jobs included. */
  readonly failedMs: number;
}

/** By day and key: `2026-11-20 <key id>`. */
export type Tally = Map<string, Counts>;

const NOTHING: Counts = { requests: 0, errors: 0, pictures: 0, bytesIn: 0, bytesOut: 0, credits: 0, failedMs: 0 };
const DAY_MS = 86_400_000;

/** The calendar day, UTC: `2026-11-20`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Adds to the counts of a key, on the day of `now`; returns the name of the entry. */
export function count(tally: Tally, key: string, more: Partial<Counts>, now: number): string {
  const name = `${dayOf(now)} ${key}`;
  // What an earlier version counted has fewer members.
  tally.set(
    name,
    sumOf([
      { ...NOTHING, ...tally.get(name) },
      { ...NOTHING, ...more },
    ]),
  );
  return name;
}

/** Forgets the entries of earlier days. */
export function forgetDaysBefore(tally: Tally, now: number): void {
  const today = dayOf(now);
  for (const name of tally.keys()) if (name < today) tally.delete(name);
}

function sumOf(all: readonly Counts[]): Counts {
  return all.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      errors: sum.errors + one.errors,
      pictures: sum.pictures + one.pictures,
      bytesIn: sum.bytesIn + one.bytesIn,
      bytesOut: sum.bytesOut + one.bytesOut,
      credits: sum.credits + one.credits,
      failedMs: sum.failedMs + one.failedMs,
    }),
    NOTHING,
  );
}

// A meter that crashed may know less than it has written: a count never goes back.
const SAVE_SQL = `INSERT INTO usage (account_id, key_id, day, requests, errors, pictures, bytes_in, bytes_out, credits, failed_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
  ON CONFLICT (account_id, day, key_id) DO UPDATE SET
    requests = max(requests, excluded.requests), errors = max(errors, excluded.errors),
    pictures = max(pictures, excluded.pictures), bytes_in = max(bytes_in, excluded.bytes_in),
    bytes_out = max(bytes_out, excluded.bytes_out), credits = max(credits, excluded.credits),
    failed_ms = max(failed_ms, excluded.failed_ms)`;

/** Writes the totals of these entries; writing them again changes nothing. */
export async function saveUsage(db: D1Database, accountId: string, tally: ReadonlyMap<string, Counts>): Promise<void> {
  if (tally.size === 0) return;
  const save = db.prepare(SAVE_SQL);
  await db.batch(
    [...tally].map(([name, counts]) => {
      const [day, key] = name.split(" ");
      const { requests, errors, pictures, bytesIn, bytesOut, credits, failedMs } = { ...NOTHING, ...counts };
      return save.bind(accountId, key, day, requests, errors, pictures, bytesIn, bytesOut, credits, failedMs);
    }),
  );
}

/** Days are `2026-11-20`, both included; no more of them than are kept. */
export interface UsageRange {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly start: string;
  readonly end: string;
}

/** One key on one day. */
export interface UsageEntry extends Counts {
  readonly day: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The key's name and last characters; empty once it was revoked. */
  readonly keyName: string;
  readonly keyHint: string;
}

/** Where usage and the names of keys are found. */
export interface UsageTables {
  /** The database of the account, or all. */
  readonly records: readonly D1Database[];
  /** The database of the keys. */
  readonly directory: D1Database;
}

type Page = { readonly offset: number; readonly limit: number };
type Counted = Counts & Pick<UsageEntry, "day" | "accountId" | "keyId">;

const COUNTED =
  "requests, errors, pictures, bytes_in AS bytesIn, bytes_out AS bytesOut, credits, failed_ms AS failedMs";

/**
 * The newest day first, and what the whole range comes to.
 * @throws ApiError 422 for a page far from the beginning that has to be merged from several databases
 */
export async function listUsage(
  { records, directory }: UsageTables,
  range: UsageRange,
  page: Page,
): Promise<{ entries: UsageEntry[]; total: Counts }> {
  const [only, ...others] = records;
  const isOne = only !== undefined && others.length === 0;
  const { entries, total } = isOne ? await readUsage(only, range, page) : await readAll(records, range, page);
  return { entries: await named(directory, entries), total };
}

/** Every database gives what may be on the page. */
async function readAll(records: readonly D1Database[], range: UsageRange, { offset, limit }: Page) {
  if (offset > MAX_MERGED_ENTRIES) {
    throw new ApiError(422, `offset must be at most ${MAX_MERGED_ENTRIES}; start and end narrow the list`);
  }
  const parts = await Promise.all(records.map((db) => readUsage(db, range, { offset: 0, limit: offset + limit })));
  const entries = parts.flatMap((part) => part.entries).toSorted(inOrder);
  return { entries: entries.slice(offset, offset + limit), total: sumOf(parts.map((part) => part.total)) };
}

/** As the databases order: the newest day first, then by account and key. */
function inOrder(a: Counted, b: Counted): number {
  return compare(b.day, a.day) || compare(a.accountId, b.accountId) || compare(a.keyId, b.keyId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function readUsage(
  db: D1Database,
  range: UsageRange,
  page: Page,
): Promise<{ entries: Counted[]; total: Counts }> {
  const { where, values } = conditionOf(range);
  const list = `SELECT day, account_id AS accountId, key_id AS keyId, ${COUNTED} FROM usage
    WHERE ${where} ORDER BY day DESC, account_id, key_id LIMIT ? OFFSET ?`;
  const [{ results: entries }, ...parts] = await Promise.all([
    db
      .prepare(list)
      .bind(...values, page.limit, page.offset)
      .all<Counted>(),
    ...piecesOf(range).map((piece) => sumUsage(db, piece)),
  ]);
  return { entries, total: sumOf(parts) };
}

async function sumUsage(db: D1Database, range: UsageRange): Promise<Counts> {
  const { where, values } = conditionOf(range);
  const sums = Object.keys(NOTHING).map((name) => `coalesce(sum(${name}), 0) AS ${name}`);
  const sql = `SELECT ${sums.join(", ")} FROM (SELECT ${COUNTED} FROM usage WHERE ${where})`;
  const row = await db
    .prepare(sql)
    .bind(...values)
    .first<Counts>();
  return row ?? NOTHING;
}

/** A range as several, so that other statements get their turn between the sums of a long one. */
function piecesOf(range: UsageRange): UsageRange[] {
  const [first, last] = [Date.parse(range.start), Date.parse(range.end)];
  const pieces: UsageRange[] = [];
  for (let at = first; at <= last; at += USAGE_SUM_DAYS * DAY_MS) {
    const end = Math.min(last, at + (USAGE_SUM_DAYS - 1) * DAY_MS);
    pieces.push({ ...range, start: dayOf(at), end: dayOf(end) });
  }
  return pieces;
}

/** The entries with the names of their keys. */
async function named(directory: D1Database, entries: readonly Counted[]): Promise<UsageEntry[]> {
  const ids = [...new Set(entries.map(({ keyId }) => keyId))];
  const { results } = await directory
    .prepare("SELECT id, name, hint FROM keys WHERE id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(ids))
    .all<{ id: string; name: string; hint: string }>();
  const keys = new Map(results.map((key) => [key.id, key]));
  return entries.map((entry) => {
    const { name: keyName = "", hint: keyHint = "" } = keys.get(entry.keyId) ?? {};
    return { ...entry, keyName, keyHint };
  });
}

function conditionOf({ accountId, keyId, start, end }: UsageRange): { where: string; values: string[] } {
  const parts = [
    ["day >= ?", start],
    ["day <= ?", end],
    // The days of one key are found by the key's own index, not among those of all keys of the account.
    [keyId === undefined ? "account_id = ?" : "+account_id = ?", accountId],
    ["key_id = ?", keyId],
  ].filter((part): part is [string, string] => part[1] !== undefined);
  return { where: parts.map(([sql]) => sql).join(" AND "), values: parts.map(([, value]) => value) };
}

const OLD_SQL = "DELETE FROM usage WHERE rowid IN (SELECT rowid FROM usage WHERE day < ?1 LIMIT ?2)";

/** Deletes what is older than USAGE_HISTORY_DAYS, so much at a time. */
export async function sweepUsage(db: D1Database, now: number): Promise<void> {
  const before = dayOf(now - USAGE_HISTORY_DAYS * DAY_MS);
  for (let batch = 0; batch < SWEEP_BATCHES; batch += 1) {
    const { meta } = await db.prepare(OLD_SQL).bind(before, SWEEP_DELETIONS).run();
    if (meta.changes < SWEEP_DELETIONS) return;
  }
}
