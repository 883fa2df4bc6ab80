/**
 * What each key did on each day. Counted in the account's meter with everything else that it counts, and copied to the
 * database from there: no request waits for a row, and no count is lost to concurrency.
 */
import { SWEEP_BATCHES, SWEEP_DELETIONS, USAGE_HISTORY_DAYS } from "../limits.ts";

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
}

/** By day and key: `2026-11-20 <key id>`. */
export type Tally = Map<string, Counts>;

const NOTHING: Counts = { requests: 0, errors: 0, pictures: 0, bytesIn: 0, bytesOut: 0, credits: 0 };
const DAY_MS = 86_400_000;

/** The calendar day, UTC: `2026-11-20`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Adds to the counts of a key, on the day of `now`; returns the name of the entry. */
export function count(tally: Tally, key: string, more: Partial<Counts>, now: number): string {
  const name = `${dayOf(now)} ${key}`;
  tally.set(name, sumOf([tally.get(name) ?? NOTHING, { ...NOTHING, ...more }]));
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
    }),
    NOTHING,
  );
}

// A meter that crashed may know less than it has written: a count never goes back.
const SAVE_SQL = `INSERT INTO usage (account_id, key_id, day, requests, errors, pictures, bytes_in, bytes_out, credits)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
  ON CONFLICT (account_id, day, key_id) DO UPDATE SET
    requests = max(requests, excluded.requests), errors = max(errors, excluded.errors),
    pictures = max(pictures, excluded.pictures), bytes_in = max(bytes_in, excluded.bytes_in),
    bytes_out = max(bytes_out, excluded.bytes_out), credits = max(credits, excluded.credits)`;

/** Writes the totals of these entries; writing them again changes nothing. */
export async function saveUsage(db: D1Database, accountId: string, tally: ReadonlyMap<string, Counts>): Promise<void> {
  if (tally.size === 0) return;
  const save = db.prepare(SAVE_SQL);
  await db.batch(
    [...tally].map(([name, counts]) => {
      const [day, key] = name.split(" ");
      const { requests, errors, pictures, bytesIn, bytesOut, credits } = counts;
      return save.bind(accountId, key, day, requests, errors, pictures, bytesIn, bytesOut, credits);
    }),
  );
}

/** Days are `2026-11-20`, both included. */
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

const COUNTED = "requests, errors, pictures, bytes_in AS bytesIn, bytes_out AS bytesOut, credits";

/** The newest day first, and what the whole range comes to. */
export async function listUsage(
  db: D1Database,
  range: UsageRange,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ entries: UsageEntry[]; total: Counts }> {
  const { where, values } = conditionOf(range);
  const list = `SELECT day, usage.account_id AS accountId, key_id AS keyId, ${COUNTED},
      coalesce(keys.name, '') AS keyName, coalesce(keys.hint, '') AS keyHint
    FROM usage LEFT JOIN keys ON keys.id = usage.key_id
    WHERE ${where} ORDER BY day DESC, usage.account_id, key_id LIMIT ? OFFSET ?`;
  const sums = Object.keys(NOTHING).map((name) => `coalesce(sum(${name}), 0) AS ${name}`);
  const total = `SELECT ${sums.join(", ")} FROM (SELECT ${COUNTED} FROM usage WHERE ${where})`;
  const [entries, totals] = await db.batch([
    db.prepare(list).bind(...values, page.limit, page.offset),
    db.prepare(total).bind(...values),
  ]);
  return { entries: (entries?.results ?? []) as UsageEntry[], total: (totals?.results[0] ?? NOTHING) as Counts };
}

function conditionOf({ accountId, keyId, start, end }: UsageRange): { where: string; values: string[] } {
  const parts = [
    ["day >= ?", start],
    ["day <= ?", end],
    ["usage.account_id = ?", accountId],
    ["usage.key_id = ?", keyId],
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
