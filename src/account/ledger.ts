/**
 * The rate windows and credits of one account as plain data and moves on it. Pure: the clock is an argument, so every
 * rule can be tested without waiting; the Durable Object around it only keeps it.
 */
import { RATE_WINDOW_SECONDS } from "../limits.ts";
import { ACCEPTED_JOB_SECONDS, CREDIT_LEASE_SECONDS } from "../limits/accounts.ts";
import {
  countFinal,
  nothingSpent,
  rollJobs,
  roomOfDay,
  type Short,
  shortOf,
  spendCpu,
  type Spending,
  today,
  type Sought,
} from "./budgets.ts";
import { countToday, type Days, nextDay, restOfDay } from "./days.ts";
import { addCount, type ExpiringCounts, forgetEnded, sumOf, takeCount } from "./expiring-counts.ts";
import { addedFailure, type Failed, failedMs, forgottenAt, pauseSeconds } from "./failed-work.ts";
import { countThisHour, type Hours, restOfHour } from "./hours.ts";
import { lapse, lend, type Lent, lentOf, unlend } from "./lent.ts";
import { count, type Counts, dayOf, type Tally } from "./usage.ts";
import { type Window, windowOf, type Windows } from "./windows.ts";

interface Accepted {
  readonly day: string;
  readonly jobs: number;
  readonly bytes: number;
}

export const NOTHING_ACCEPTED: Accepted = { day: "", jobs: 0, bytes: 0 };

export interface Ledger {
  readonly windows: Windows;
  /** The calendar month, UTC, that `used` counts: `2026-11`. */
  month: string;
  /** Credits spent in the month. */
  used: number;
  /** Credits reserved and not settled yet, until the reservation ends. */
  readonly leases: ExpiringCounts;
  /** Requests that isolates hold and have not made yet: they fill windows like others. */
  readonly lent: Lent;
  /** Processor time of failed work, as it was at a moment: it is forgotten evenly, `limitMs` in the time of a window. */
  failed: Failed;
  /** Whose usage this is; undefined for what counts client addresses. */
  account?: string;
  /** The database that holds the account's records; what an earlier version wrote has none. */
  database?: string;
  /** Jobs with a webhook that were accepted on a day, and what they take in the database. */
  accepted: Accepted;
  /** Credits that keys with a daily limit have reserved on a day: work that fails is counted, too. */
  readonly agents: Days;
  /** Credits reserved within an hour under names that may have only so many. */
  readonly hours: Hours;
  /** What the account's keys did, today and on days not yet in the database. */
  readonly usage: Tally;
  /** Entries of `usage` that the database does not know as they are. */
  readonly unsaved: Set<string>;
  /** When the usage is copied next, milliseconds since the epoch; absent: nothing is to be copied. */
  copyAt?: number;
  /** Batches that were counted a moment ago, and when: one whose answer was lost comes again. */
  readonly told: Map<string, number>;
  /** What was spent of the account's budgets. */
  readonly spending: Spending;
}

/** `budget` is absent where the account has none; `isFinal`: the request is the final of a delivery. */
export interface Ask extends Sought {
  /** Which window counts the request. */
  readonly key: string;
  /** Requests allowed in the window. */
  readonly limit: number;
  /** Whose key it is: then what it does is kept by day as well. */
  readonly account?: string;
  /** Where the records of that account lie. */
  readonly database?: string;
  /** Credits of the month, when the request needs one of them. */
  readonly creditsTotal?: number;
  /** Credits that this key may reserve on one day, UTC; absent: any. */
  readonly dailyLimit?: number;
  /**
   * Credits that may be reserved under a name within an hour of the clock, beside all other bounds; of a request that needs
   * none, requests.
   */
  readonly hourly?: { readonly name: string; readonly most: number };
  /** It belongs to a request that was counted already, whose window it does not fill. */
  readonly isPart?: boolean;
  /** Milliseconds of processor time that failed work may take, in the time of a window; absent: any. */
  readonly failedMs?: number;
  /** Milliseconds of processor time of the account that nobody has told of; absent: none. */
  readonly owedMs?: number;
  /** Further requests, each with a credit, that the caller would admit by itself; absent: none. */
  readonly block?: number;
}

/** Requests, each with a credit, that are counted and reserved already: whoever holds the block admits them by itself. */
export interface Block {
  readonly requests: number;
  /** Names the reserved credits. */
  readonly lease: number;
}

export interface Taken {
  /** False: the window is full, and nothing was counted or reserved. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  /** Credits spent this month, reservations not included. */
  readonly used: number;
  /** Names the reserved credit; absent when none was asked for or none is left. */
  readonly lease?: number;
  /** No credit was reserved since the key has had as many as it may on one day: seconds until that ends, at least 1. */
  readonly tomorrowSeconds?: number;
  /** No credit was reserved since there were as many as may be within this hour: seconds until it ends, at least 1. */
  readonly hourSeconds?: number;
  /** No credit was reserved since failed work took too much: seconds until that is forgotten, at least 1. */
  readonly pauseSeconds?: number;
  /** No credit was reserved since a budget of the day has no room. */
  readonly short?: Short;
  /** Milliseconds that failed work took and that are not forgotten yet; absent when any may be taken. */
  readonly failedMs?: number;
  /** What was spent of the budgets of the day; absent when there are none. */
  readonly today?: { readonly cpuMs: number; readonly finals: number };
  /** A budget has little room left: what becomes of the request is to be told at once. */
  readonly isNear?: true;
  /** Further requests that the caller may admit by itself; absent: none. */
  readonly block?: Block;
}

export function emptyLedger(): Ledger {
  return {
    windows: new Map(),
    month: "",
    used: 0,
    leases: new Map(),
    lent: new Map(),
    failed: { ms: 0, at: 0, limitMs: 0 },
    accepted: NOTHING_ACCEPTED,
    agents: new Map(),
    hours: new Map(),
    usage: new Map(),
    unsaved: new Set(),
    told: new Map(),
    spending: nothingSpent(),
  };
}

/** Counts a request and, when asked, reserves one credit for it. */
export function take(ledger: Ledger, ask: Ask, now: number): Taken {
  roll(ledger, now);
  const window = windowOf(ledger.windows, ask.key, now);
  const isPart = ask.isPart ?? false;
  const allowed = isPart || filled(ledger, window, ask.key) < ask.limit;
  if (allowed && !isPart) window.count += 1;
  if (ask.account !== undefined) {
    ledger.account = ask.account;
    if (ask.database !== undefined) ledger.database = ask.database;
    if (!isPart) note(ledger, ask.key, { requests: 1, errors: allowed ? 0 : 1 }, now);
  }
  const pause = allowed ? pauseOf(ledger, ask, now) : 0;
  const tomorrow = ask.creditsTotal === undefined ? 0 : restOfDay(ledger.agents, ask, now);
  const hour = restOfHour(ledger.hours, ask.hourly, now);
  noteBudget(ledger, ask);
  spendCpu(ledger.spending, ask.owedMs ?? 0, 1, now);
  const short = shortOf(ledger.spending, ask, sumOf(ledger.leases), now);
  const mayReserve = allowed && pause === 0 && tomorrow === 0 && hour === 0 && !short;
  const lease = mayReserve && ask.creditsTotal !== undefined ? reserve(ledger, ask.creditsTotal, now) : undefined;
  if (lease !== undefined && ask.dailyLimit !== undefined) {
    countToday(ledger.agents, ask.key, 1, now);
  }
  if (lease !== undefined && ask.isFinal) countFinal(ledger.spending, now);
  // Of what takes no credit, the hour counts each.
  if (ask.hourly && mayReserve && (lease !== undefined || ask.creditsTotal === undefined)) {
    countThisHour(ledger.hours, ask.hourly.name, now);
  }
  const state = stateOf(ledger, ask, window, now);
  const isNear = lease !== undefined && ask.budget !== undefined && roomOfCredits(ledger, ask, now) <= FAR;
  const block = lease === undefined ? undefined : takeBlock(ledger, ask, lease, now);
  return {
    allowed,
    ...state,
    ...(lease !== undefined && { lease }),
    ...(pause > 0 && { pauseSeconds: pause }),
    ...(tomorrow > 0 && { tomorrowSeconds: tomorrow }),
    ...(hour > 0 && { hourSeconds: hour }),
    ...(short && ask.creditsTotal !== undefined && { short }),
    ...(ask.failedMs !== undefined && { failedMs: Math.round(failedMs(ledger.failed, now)) }),
    ...(isNear && { isNear }),
    ...(block && { block }),
  };
}

/** What every answer says of the window and of the credits. */
function stateOf(ledger: Ledger, { key, limit, budget }: Ask, window: Window, now: number) {
  return {
    limit,
    remaining: Math.max(0, limit - filled(ledger, window, key)),
    resetSeconds: Math.max(1, Math.ceil((window.startedAt + RATE_WINDOW_SECONDS * 1000 - now) / 1000)),
    used: ledger.used,
    ...(budget && { today: spentToday(ledger, now) }),
  };
}

function spentToday({ spending }: Ledger, now: number): { readonly cpuMs: number; readonly finals: number } {
  const { ms, finals } = today(spending, now);
  return { cpuMs: Math.round(ms), finals };
}

/** What is asked for an account says what bounds it now. */
function noteBudget({ spending }: Ledger, { account, creditsTotal, budget }: Ask): void {
  if (account !== undefined || creditsTotal !== undefined) spending.budget = budget;
}

/** Requests that a window has no room for any more: those that were made, and those that isolates hold. */
function filled({ lent }: Ledger, { count: made }: Window, key: string): number {
  return made + lentOf(lent, key);
}

/** Credits and requests that must be left where the beginning of work may be forgotten. */
const FAR = 100;

/** Requests, each with a credit, that are left before the nearest of the bounds. */
function roomOf(ledger: Ledger, ask: Ask, now: number): number {
  const { key, limit } = ask;
  const requests = limit - (ledger.windows.get(key)?.count ?? 0) - lentOf(ledger.lent, key);
  return Math.min(requests, roomOfCredits(ledger, ask, now));
}

/** Credits that are left before the nearest of the bounds on what is spent. */
function roomOfCredits(ledger: Ledger, ask: Ask, now: number): number {
  const leased = sumOf(ledger.leases);
  const { creditsTotal = 0 } = ask;
  return Math.min(creditsTotal - ledger.used - leased, roomOfDay(ledger.spending, ask, leased, now));
}

/**
 * Hands out a hundredth of what is left, at most: what others hold and do not use makes nobody wait, and near a bound each
 * request is counted by itself. None once failed work has taken half of its time.
 */
function takeBlock(ledger: Ledger, ask: Ask, lease: number, now: number): Block | undefined {
  const { block: most = 0, failedMs: limitMs } = ask;
  if (limitMs !== undefined && failedMs(ledger.failed, now) * 2 > limitMs) return undefined;
  const requests = Math.min(most, Math.floor(roomOf(ledger, ask, now) / FAR));
  if (requests <= 0) return undefined;
  addCount(ledger.leases, lease, requests);
  lend(ledger.lent, ask.key, lease, requests);
  return { requests, lease };
}

/** What an isolate that has told what it did may admit by itself from then on. */
export interface Granted extends Pick<Taken, "limit" | "remaining" | "resetSeconds" | "used" | "failedMs" | "today"> {
  readonly block: Block;
}

/**
 * Hands out a block beside no request: for those that come next to an isolate that calls anyway.
 * @returns undefined where each request is to be counted by itself
 */
export function grantBlock(ledger: Ledger, ask: Ask, now: number): Granted | undefined {
  roll(ledger, now);
  if (pauseOf(ledger, ask, now) > 0) return undefined;
  const window = windowOf(ledger.windows, ask.key, now);
  const state = stateOf(ledger, ask, window, now);
  const block = takeBlock(ledger, ask, leaseAt(now), now);
  if (!block) return undefined;
  return { ...state, ...(ask.failedMs !== undefined && { failedMs: Math.round(failedMs(ledger.failed, now)) }), block };
}

/** Requests of a block were made: their credits stay reserved until each has its outcome. */
export function useBlock(ledger: Ledger, key: string, { requests, lease }: Block, now: number): void {
  unlend(ledger.lent, key, lease, requests);
  windowOf(ledger.windows, key, now).count += requests;
  note(ledger, key, { requests }, now);
}

/** Takes requests of a block back that were not made. */
export function returnBlock(ledger: Ledger, key: string, { requests, lease }: Block, now: number): void {
  release(ledger, lease, now, requests);
  unlend(ledger.lent, key, lease, requests);
}

/** How long a batch is remembered, and how many are: whoever repeats one does so within 45 seconds. */
const TOLD_MS = 120_000;
const MAX_TOLD = 1_024;

/** Whether a batch is told for the first time; from then on it is known. */
export function isNews({ told }: Ledger, id: string, now: number): boolean {
  if (told.has(id)) return false;
  for (const [other, at] of told) if (Math.abs(now - at) > TOLD_MS || told.size >= MAX_TOLD) told.delete(other);
  told.set(id, now);
  return true;
}

/** Whether the beginning of some work may be forgotten: no bound would let more through for that. */
export function isFarFromBounds(ledger: Ledger, ask: Ask, now: number): boolean {
  if (ask.creditsTotal === undefined || ask.dailyLimit !== undefined || ask.hourly) return false;
  return roomOf(ledger, ask, now) > FAR;
}

/** Further credits, beside the one that a lease names. */
export interface More extends Pick<Ask, "key" | "budget"> {
  readonly credits: number;
  /** Credits of the month. */
  readonly creditsTotal: number;
  readonly dailyLimit: number | undefined;
}

export interface Reserved {
  /** False: there are not so many, and none of them was reserved. */
  readonly isReserved: boolean;
  /** The key may not have so many today: seconds until the day ends, at least 1. */
  readonly tomorrowSeconds?: number;
  /** A budget of the day has no room for them. */
  readonly short?: Short;
}

/** Reserves further credits: all of them, or none. */
export function reserveMore(ledger: Ledger, lease: number, more: More, now: number): Reserved {
  roll(ledger, now);
  const { key, credits, creditsTotal, dailyLimit } = more;
  const tomorrow = restOfDay(ledger.agents, more, now, credits);
  if (tomorrow > 0) return { isReserved: false, tomorrowSeconds: tomorrow };
  const leased = sumOf(ledger.leases);
  if (ledger.used + leased + credits > creditsTotal) return { isReserved: false };
  // Whoever is alone may begin, however many results there are.
  const short = leased > 1 ? shortOf(ledger.spending, more, leased, now, credits) : undefined;
  if (short) return { isReserved: false, short };
  addCount(ledger.leases, lease, credits);
  if (dailyLimit !== undefined) countToday(ledger.agents, key, credits, now);
  return { isReserved: true };
}

/** The credits of a request: those that were reserved for it, and those that it is to pay. */
export interface Credits {
  readonly reserved: number;
  readonly spent: number;
}

const ONE: Credits = { reserved: 1, spent: 1 };

/** The work succeeded: the reserved credits are spent, in the month in which the work ended, even after their lease. */
export function settle(ledger: Ledger, lease: number, now: number, { reserved, spent }: Credits = ONE): void {
  release(ledger, lease, now, reserved);
  ledger.used += spent;
}

/** The work failed: the reserved credits are free again. */
export function release(ledger: Ledger, lease: number, now: number, reserved = 1): void {
  roll(ledger, now);
  takeCount(ledger.leases, lease, reserved);
}

/** Counts processor time of failed work. */
export function lose(ledger: Ledger, ms: number, now: number): void {
  ledger.failed = addedFailure(ledger.failed, ms, now);
}

/** Adds to what a key did today. */
export function note(ledger: Ledger, key: string, more: Partial<Counts>, now: number): void {
  ledger.unsaved.add(count(ledger.usage, key, more, now));
}

/** When the ledger will hold nothing worth keeping, in milliseconds since the epoch; `now` when it already does. */
export function staleAt(ledger: Ledger, now: number): number {
  roll(ledger, now);
  const windows = [...ledger.windows.values()].map((window) => window.startedAt + RATE_WINDOW_SECONDS * 1000);
  const leases = [...ledger.leases.keys()].map((second) => second * 1000);
  const hasAgents = ledger.agents.values().some(({ day }) => day === dayOf(now));
  const isSpent = ledger.spending.days.has(dayOf(now));
  const isDayKept = hasAgents || isSpent || ledger.usage.size > 0 || ledger.accepted.day === dayOf(now);
  const until = ledger.used > 0 ? nextMonth(now) : isDayKept ? nextDay(now) : now;
  return Math.max(now, ...windows, ...leases, forgottenAt(ledger.failed, now), until);
}

/** Seconds until failed work leaves room for more; 0 when there is some. */
function pauseOf(ledger: Ledger, { failedMs: limitMs }: Ask, now: number): number {
  if (limitMs === undefined) return 0;
  ledger.failed = { ms: failedMs(ledger.failed, now), at: now, limitMs };
  return pauseSeconds(ledger.failed);
}

function reserve(ledger: Ledger, total: number, now: number): number | undefined {
  if (ledger.used + sumOf(ledger.leases) >= total) return undefined;
  const lease = leaseAt(now);
  addCount(ledger.leases, lease, 1);
  return lease;
}

/** The second in which a reservation ends that is made now: its name. */
function leaseAt(now: number): number {
  return Math.floor(now / 1000) + CREDIT_LEASE_SECONDS;
}

/** Starts a new month and forgets reservations that ended. A clock that is set back over its beginning starts none again. */
export function roll(ledger: Ledger, now: number): void {
  const month = new Date(now).toISOString().slice(0, 7);
  if (month > ledger.month) {
    ledger.month = month;
    ledger.used = 0;
  }
  for (const [key, { day }] of ledger.agents) if (day < dayOf(now)) ledger.agents.delete(key);
  const latest = leaseAt(now);
  lapse(ledger.lent, now, latest);
  forgetEnded(ledger.leases, now, latest);
  rollJobs(ledger.spending, now, jobEnd(now));
}

/** The second in which an accepted job is forgotten that nobody tells of: by then it has ended, or failed. */
export function jobEnd(now: number): number {
  return Math.floor(now / 1000) + ACCEPTED_JOB_SECONDS;
}

function nextMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
