/** The tables of scale, computed from the unit figures and the bounds of the service. */
import { CAPACITY, DELIVERY, dollarsPerMillion, JOB, LOADS, PEAK, type Work } from "../../src/docs/figures.ts";
import { MAX_SWEEP_OBJECTS, RATE_LIMIT_REQUESTS } from "../../src/limits.ts";
import { DATABASE_BYTES, KEY_CACHE_SECONDS, SWEEP_DATABASES } from "../../src/limits/accounts.ts";
import { WEBHOOK_BODY_DAYS, WEBHOOK_HISTORY_DAYS, WEBHOOK_JOBS_PER_DAY } from "../../src/limits/webhook.ts";
import { table, type Tables } from "./markdown-tables.ts";

export const SCALE_TABLES: Tables = {
  "scale-million": () => needs(1e6),
  "scale-billion": () => needs(1e9),
  "first-to-give-way": () => firstToGiveWay(),
};

const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;
const RATE_WINDOW_SECONDS = 900;
/** Minutes that what was lost may lie before the sweep finds it. */
const LOST_MINUTES = 60;

/** Bytes that a job a day takes for good: with its body for a week, without for the rest. */
const BYTES_OF_A_DAILY_JOB =
  WEBHOOK_BODY_DAYS * CAPACITY.recordBytes + (WEBHOOK_HISTORY_DAYS - WEBHOOK_BODY_DAYS) * CAPACITY.headBytes;
const JOBS_OF_A_DATABASE = DATABASE_BYTES / BYTES_OF_A_DAILY_JOB;

/** What so many of each a day take, in the busiest second where nothing else is said. */
function needs(daily: number): string {
  const rate = (daily / DAY_SECONDS) * PEAK;
  const row = (name: string, of: (work: Work) => number): string[] => [name, ...LOADS.map((work) => amount(of(work)))];
  const jobs = (of: number): string[] => LOADS.map((work) => (work === JOB ? amount(of) : ""));
  return table(
    ["In the busiest second", ...LOADS.map(({ name }) => name)],
    [
      row("Requests", ({ requests }) => rate * requests),
      row("Processor cores, one to an isolate", ({ cpuMs }) => (rate * cpuMs) / 1_000),
      row("Writes of R2", ({ writes }) => rate * writes),
      row("Reads of R2", ({ reads }) => rate * reads),
      row("Calls of Durable Objects", ({ calls }) => rate * calls),
      row("Rows written in D1", ({ rows }) => rate * rows),
      ["Databases of D1, by their statements", ...jobs(whole((rate * JOB.statements) / CAPACITY.statements))],
      ["Databases of D1, by their size", ...jobs(whole(daily / JOBS_OF_A_DATABASE))],
      row("Operations of Queues", ({ operations }) => rate * operations),
      ["Queues, by their consumers", ...jobs(whole((rate * JOB.messages * JOB.cpuMs) / 1_000 / CAPACITY.consumers))],
      ["**Dollars a month**", ...LOADS.map((work) => dollars(((daily * MONTH_DAYS) / 1e6) * dollarsPerMillion(work)))],
    ],
  );
}

interface Bound {
  readonly piece: string;
  /** How many a day it bears. */
  readonly daily: number;
  readonly of: string;
  readonly next: string;
}

/** Pictures a day at which so many a second are reached in the busiest second. */
const atPeak = (perSecond: number) => (perSecond * DAY_SECONDS) / PEAK;

function bounds(): Bound[] {
  const [made, , view] = LOADS;
  if (!made || !view) throw new Error("There are three loads");
  // One message for each: a final is written to the queue with its draft, read and deleted.
  const finals = view.operations / 3;
  return [
    {
      piece: `Jobs of one account: ${WEBHOOK_JOBS_PER_DAY.toLocaleString("en-US")} a day`,
      daily: WEBHOOK_JOBS_PER_DAY,
      of: "jobs, of one account",
      next: "`WEBHOOK_LIMIT`, a setting",
    },
    {
      piece: "The size of one database",
      daily: JOBS_OF_A_DATABASE,
      of: "jobs",
      next: "[a further database](deploy.md#several-databases)",
    },
    {
      piece: `Requests of one key: ${RATE_LIMIT_REQUESTS.toLocaleString("en-US")} in 15 minutes`,
      daily: atPeak(RATE_LIMIT_REQUESTS / RATE_WINDOW_SECONDS),
      of: "pictures, of one key",
      next: "`RATE_LIMIT`, a setting, or a further key",
    },
    {
      piece: `Consumers of the queue: ${CAPACITY.consumers} at a time`,
      daily: atPeak(CAPACITY.consumers / (JOB.messages * (JOB.cpuMs / 1_000))),
      of: "jobs",
      next: "a queue for each group of databases: the message says the database already",
    },
    {
      piece: "The meter of one account, a Durable Object",
      daily: atPeak(CAPACITY.objectCalls / made.calls),
      of: "pictures, of one account",
      next: "a few meters for an account, each with a share of its window and its credits",
    },
    {
      piece: "The size of all databases together",
      daily: CAPACITY.databaseBytes / BYTES_OF_A_DAILY_JOB,
      of: "jobs",
      next: "the platform raises it on request; else keep records for fewer days",
    },
    {
      piece: `The sweep: ${SWEEP_DATABASES} databases a minute, each within an hour`,
      daily: SWEEP_DATABASES * LOST_MINUTES * JOBS_OF_A_DATABASE,
      of: "jobs",
      next: "a sweep for each group of databases, started by messages of the queue",
    },
    {
      piece: `The sweep: ${MAX_SWEEP_OBJECTS.toLocaleString("en-US")} expired results a minute`,
      daily: MAX_SWEEP_OBJECTS * (DAY_SECONDS / 60),
      of: "pictures",
      next: "nothing fails: R2's own rule deletes the rest after a day",
    },
    {
      piece: `Messages of the queue: ${CAPACITY.messages.toLocaleString("en-US")} a second`,
      daily: atPeak(CAPACITY.messages / JOB.messages),
      of: "jobs",
      next: "a queue for each group of databases",
    },
    {
      piece: "Look-ups of keys in the database `DB`",
      daily: atPeak((CAPACITY.statements * KEY_CACHE_SECONDS) / (made.cpuMs / 1_000)),
      of: "pictures, one key to an isolate",
      next: "D1's read replicas: keys change rarely, and are trusted for half a minute anyway",
    },
    {
      piece: "Consumers of the queue, for finals in AVIF",
      daily: atPeak(CAPACITY.consumers / ((finals * DELIVERY.finalAvif.cpuMs) / 1_000)),
      of: "views",
      next: "a queue for finals alone, then several",
    },
    {
      piece: `Databases bound to one Worker: about ${CAPACITY.databases.toLocaleString("en-US")}`,
      daily: CAPACITY.databases * JOBS_OF_A_DATABASE,
      of: "jobs",
      next: "a second deployment, with accounts of its own",
    },
  ];
}

function firstToGiveWay(): string {
  const rows = bounds().sort((one, other) => one.daily - other.daily);
  return table(
    ["Bears a day", "Of", "The piece", "The next step"],
    rows.map(({ piece, daily, of, next }) => [amount(daily), of, piece, next]),
  );
}

const whole = (value: number) => Math.ceil(value);

/** A number with as many digits as are known of it. */
function amount(value: number): string {
  if (value === 0) return "";
  if (value >= 1e9) return `${Number((value / 1e9).toPrecision(2))} billion`;
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(2))} million`;
  return Number(value.toPrecision(2)).toLocaleString("en-US", { maximumFractionDigits: 3 });
}

const dollars = (value: number) => `$${Number(value.toPrecision(3)).toLocaleString("en-US")}`;
