/** Accounts: keys, credits, budgets, receipts, and what meters and databases count of them. */

/** How long an isolate trusts what it knows of a key: a revoked key stops working within a minute. */
export const KEY_CACHE_SECONDS = 30;
/** How long an isolate remembers that a key does not exist, so that guessing does not reach the database each time. */
export const UNKNOWN_KEY_CACHE_SECONDS = 5;
/** Keys that exist, as an isolate remembers them; the oldest are forgotten. */
export const MAX_CACHED_KEYS = 10_000;
/** Keys that do not exist, remembered apart from those that do: a flood of them forgets only its own. */
export const MAX_CACHED_UNKNOWN_KEYS = 1_000;
/** Client addresses whose requests without a known key an isolate counts; the longest silent are forgotten. */
export const MAX_COUNTED_ADDRESSES = 10_000;

/** A reserved credit whose work never reported back is free again after this; the longest job ends well before. */
export const CREDIT_LEASE_SECONDS = 300;
/** An accepted job that nobody has told of is done or given up after this: it is started for an hour, five times at most. */
export const ACCEPTED_JOB_SECONDS = 7_200;
/** What is kept of a budget of processor time for a credit of an account that has done nothing yet: a search of AVIF takes it. */
export const FIRST_CPU_MS_OF_CREDIT = 2_000;
/** What an operator may bound for an account. */
export const BUDGETS = ["credits_per_month", "cpu_seconds_per_day", "finals_per_day"] as const;
/** Percents of a budget at which its operator is told. */
export const ALERT_PERCENTS = [80, 100] as const;
/** Days whose spending a meter knows, and notices that it remembers to have made. */
export const MAX_BUDGET_DAYS = 4;
export const MAX_TOLD_ALERTS = 64;
/** Between two attempts of a meter to have its operator told. */
export const ALERT_RETRY_MS = 60_000;
/** The largest budgets. */
export const MAX_CPU_SECONDS_PER_DAY = 1_000_000_000;
export const MAX_FINALS_PER_DAY = 1_000_000_000;
/** How long the answer to a request with an `Idempotency-Key` is repeated. */
export const RECEIPT_KEPT_MS = 24 * 3_600_000;
/** After this without a sign of life a request with an `Idempotency-Key` has ended without an answer. */
export const RECEIPT_RUN_MS = 45_000;
/** Between two signs of life: two may be lost. */
export const RECEIPT_RENEWAL_MS = 14_000;
export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;
/** Longer keys are kept as their hashes. */
export const MAX_KEPT_KEY_CHARACTERS = 64;
/** How long a refusal is repeated whose work had not begun: the same request comes to the same again, for nothing. */
export const REFUSAL_RECEIPT_KEPT_MS = 300_000;
/** Receipts of one account, and their bytes, of which the oldest go: a Durable Object ends at 10 GB. */
export const MAX_RECEIPTS = 100_000;
export const MAX_RECEIPT_BYTES = 256 * 1024 * 1024;

/** Requests that an isolate takes from an account's meter at once: a call of the meter is a trip and a piece of the bill. */
export const MAX_BLOCK_REQUESTS = 20;
/**
 * How long a data center keeps what became of them to itself: the more is told at once, the fewer rows are written. What goes
 * on after an answer has 30 seconds: the rest is for calls that are repeated.
 */
export const DEFAULT_METER_BLOCK_SECONDS = 25;
export const MAX_METER_BLOCK_SECONDS = 25;
/**
 * How long an isolate keeps requests that nobody has made yet: their credits are reserved for `CREDIT_LEASE_SECONDS`, and the
 * last of them must end in time.
 */
export const BLOCK_HELD_SECONDS = 180;
/** Between two writes of a busy meter: what a crash may forget. */
export const METER_WRITE_INTERVAL_MS = 1_000;
/** Writes of a meter within that time that wait for nothing: a second awake costs as much as one and a half rows. */
export const METER_WRITES = 2;
/** Between two copies of a meter's usage to the database: how old the list of all accounts may be. */
export const USAGE_WRITE_INTERVAL_MS = 600_000;
/** How long usage can be queried: thirteen months, to compare a month with that of the year before. */
export const USAGE_HISTORY_DAYS = 400;
/**
 * How far a page of the usage of all accounts may be from its beginning where they lie in several databases: so many entries
 * are read from each, to be merged.
 */
export const MAX_MERGED_ENTRIES = 10_000;
/**
 * Days of usage that are summed by one statement: 100 keys for 60 days are 6,000 rows, some 2 ms of a database that does one
 * thing at a time.
 */
export const USAGE_SUM_DAYS = 60;
/** Days of usage that a query without dates is about. */
export const DEFAULT_USAGE_DAYS = 30;
/** What a client is told to wait when the meter or the database does not answer. */
export const OUTAGE_RETRY_SECONDS = 5;

/** What a new account gets when the operator does not say. */
export const DEFAULT_PLAN = "standard";
export const MAX_CREDITS = 1_000_000_000_000;
/** Credits of an account to which the operator has named no number: more than any meter counts. */
export const UNLIMITED_CREDITS = MAX_CREDITS + 1;
/** What an agent may have processed on one day, unless its key says another number: a loop that goes wrong costs no more. */
export const DEFAULT_AGENT_DAILY_LIMIT = 200;
/** More is no limit. */
export const MAX_AGENT_DAILY_LIMIT = 1_000_000;
/** Keys of one account. */
export const MAX_KEYS = 100;

/** Entries of a list in one answer. */
export const DEFAULT_PAGE_ENTRIES = 50;
export const MAX_PAGE_ENTRIES = 100;

/**
 * The size from which on a database takes no further jobs. D1 ends at 10 GB; the rest is for what goes on: answers and
 * attempts of jobs that were accepted, usage, saved assets, and what comes before the next sweep measures.
 */
export const DATABASE_BYTES = 8_000_000_000;
export const MAX_DATABASE_BYTES = 9_500_000_000;
/** The share of it up to which a database takes new accounts: those that it has will still grow. */
export const DATABASE_ROOM_SHARE = 0.75;
/** What a client is told to wait when its database is full: room comes with days that end. */
export const FULL_RETRY_SECONDS = 600;
/** Databases that one sweep looks after, in turn: D1 runs 1,000 statements for an invocation. */
export const SWEEP_DATABASES = 3;
