/**
 * What an account may spend in a period, and what it has spent of that: credits of a calendar month, processor time and finals
 * of a day, UTC. Pure: the clock is an argument, and what is kept is plain data.
 *
 * A final is counted when its credit is reserved, and is free again when it comes to nothing. How long work takes is known at
 * its end alone: until then each credit that is reserved stands for the most that a credit took of late, so that what goes on
 * at the same moment does not pass the bound together. Whoever is alone may begin as long as anything is left.
 */
import {
  ALERT_PERCENTS,
  BUDGETS,
  FIRST_CPU_MS_OF_CREDIT,
  MAX_BUDGET_DAYS,
  MAX_TOLD_ALERTS,
} from "../limits/accounts.ts";
import { secondsOfDay } from "./days.ts";
import { type ExpiringCounts, forgetEnded, sumOf, takeCount } from "./expiring-counts.ts";
import { dayOf } from "./usage.ts";

/** Bounds that the operator has set for an account; absent: none. */
export type Limits = { readonly [Name in BudgetName]?: number | undefined };

type BudgetName = (typeof BUDGETS)[number];

/** What a meter has to know of an account's bounds. */
export interface Budget extends Limits {
  /** Who is told of them; absent: nobody. */
  readonly told?: { readonly account: string; readonly database: string };
}

/** Something that a bound does not let begin, for so many seconds. */
export interface Short {
  readonly budget: "cpu_seconds_per_day" | "finals_per_day";
  readonly seconds: number;
}

/** A bound that is reached, or soon will be: to be told once. */
export interface Notice {
  readonly account: string;
  readonly database: string;
  readonly budget: BudgetName;
  /** `2026-11` or `2026-11-20`. */
  readonly period: string;
  readonly percent: (typeof ALERT_PERCENTS)[number];
  /** In the units of the bound. */
  readonly used: number;
  readonly limit: number;
}

interface Day {
  readonly ms: number;
  readonly finals: number;
}

export interface Spending {
  /** The last of them are kept, so that a clock that jumps, and comes back, finds its day again. */
  readonly days: Map<string, Day>;
  /** Milliseconds that a credit takes of late, and the most that one took; absent: nothing was done yet. */
  typical?: { readonly ms: number; readonly most: number };
  /** Credits of accepted jobs that are not done yet, by the second in which they are forgotten. */
  readonly jobs: ExpiringCounts;
  /** The bounds that were asked with last. */
  budget?: Budget | undefined;
  /** Notices that were made, by period, bound and percent. */
  readonly alerted: Set<string>;
  /** Notices that are to be told. */
  notices: Notice[];
}

export function nothingSpent(): Spending {
  return { days: new Map(), jobs: new Map(), alerted: new Set(), notices: [] };
}

const NO_DAY: Day = { ms: 0, finals: 0 };

/** What was spent on the day of `now`. */
export function today({ days }: Spending, now: number): Day {
  return days.get(dayOf(now)) ?? NO_DAY;
}

function addToDay({ days }: Spending, day: string, { ms = 0, finals = 0 }: Partial<Day>): void {
  const known = days.get(day) ?? NO_DAY;
  days.delete(day);
  days.set(day, { ms: known.ms + ms, finals: Math.max(0, known.finals + finals) });
  for (const other of days.keys()) if (days.size > MAX_BUDGET_DAYS) days.delete(other);
}

/** Share of what is new in what is typical. */
const NEW = 1 / 16;
/** Share of what the most was beyond what is typical that each piece of work lets be forgotten. */
const FORGOTTEN = 1 / 128;

/**
 * Counts the processor time of work that has ended.
 * @param ms as its estimates declared it
 * @param credits that were reserved for it
 */
export function spendCpu(spending: Spending, ms: number, credits: number, now: number): void {
  if (!(ms > 0)) return;
  addToDay(spending, dayOf(now), { ms });
  const each = ms / Math.max(1, credits);
  const { typical } = spending;
  spending.typical = typical
    ? {
        ms: typical.ms + (each - typical.ms) * NEW,
        most: Math.max(each, typical.most - (typical.most - typical.ms) * FORGOTTEN),
      }
    : { ms: each, most: each * 2 };
}

/** Milliseconds that are kept for each credit whose work has not ended. */
function expectedMs({ typical }: Spending): number {
  return typical ? Math.max(1, typical.most) : FIRST_CPU_MS_OF_CREDIT;
}

export function countFinal(spending: Spending, now: number): void {
  addToDay(spending, dayOf(now), { finals: 1 });
}

/** A final came to nothing. @param reservedAt milliseconds since 1970 */
export function takeFinalBack(spending: Spending, reservedAt: number): void {
  const day = dayOf(reservedAt);
  if (spending.days.has(day)) addToDay(spending, day, { finals: -1 });
}

/** Jobs that nobody has told of are forgotten. @param latest the second in which one is forgotten that begins now */
export function rollJobs({ jobs }: Spending, now: number, latest: number): void {
  forgetEnded(jobs, now, latest);
}

export function endJob({ jobs }: Spending, second: number | undefined, credits: number): void {
  if (second !== undefined) takeCount(jobs, second, credits);
}

/** What is asked for, as bounds see it. */
export interface Sought {
  readonly budget?: Budget | undefined;
  readonly isFinal?: boolean | undefined;
}

/** Credits that the bounds of the day have room for. @param leased credits of work that goes on */
export function roomOfDay(spending: Spending, { budget = {}, isFinal }: Sought, leased: number, now: number): number {
  const { ms, finals } = today(spending, now);
  const { cpu_seconds_per_day: seconds, finals_per_day: most } = budget;
  const ofFinals = isFinal && most !== undefined ? most - finals : Infinity;
  if (seconds === undefined) return ofFinals;
  const leftMs = seconds * 1_000 - ms;
  if (leftMs <= 0) return 0;
  const inWork = leased + sumOf(spending.jobs);
  const ofCpu = Math.floor(leftMs / expectedMs(spending)) - inWork;
  return Math.min(ofFinals, inWork === 0 ? Math.max(1, ofCpu) : ofCpu);
}

/** How soon work that goes on may leave room for other work. */
const SOON_SECONDS = 2;

/** Which bound of the day has no room for so many credits; undefined: all have. */
export function shortOf(
  spending: Spending,
  sought: Sought,
  leased: number,
  now: number,
  credits = 1,
): Short | undefined {
  if (sought.budget === undefined || roomOfDay(spending, sought, leased, now) >= credits) return undefined;
  const { finals_per_day: most = Infinity, cpu_seconds_per_day: seconds = Infinity } = sought.budget;
  const { ms, finals } = today(spending, now);
  if (sought.isFinal && finals >= most) return { budget: "finals_per_day", seconds: secondsOfDay(now) };
  const isOver = ms >= seconds * 1_000;
  return { budget: "cpu_seconds_per_day", seconds: isOver ? secondsOfDay(now) : SOON_SECONDS };
}

/** What was spent of each bound, in its own units. */
function spentOf(spending: Spending, credits: { readonly month: string; readonly used: number }, now: number) {
  const { ms, finals } = today(spending, now);
  const day = dayOf(now);
  return {
    credits_per_month: { period: credits.month, used: credits.used },
    cpu_seconds_per_day: { period: day, used: ms / 1_000 },
    finals_per_day: { period: day, used: finals },
  } as const;
}

/**
 * Notes what is to be told of bounds that were reached since.
 * @returns whether there is anything new
 */
export function noteAlerts(
  spending: Spending,
  credits: { readonly month: string; readonly used: number },
  now: number,
): boolean {
  const { budget, alerted } = spending;
  if (!budget?.told) return false;
  const { told } = budget;
  const spent = spentOf(spending, credits, now);
  const fresh: Notice[] = [];
  for (const name of BUDGETS) {
    const limit = budget[name];
    if (limit === undefined) continue;
    const { period, used } = spent[name];
    for (const percent of ALERT_PERCENTS) {
      const mark = `${period} ${name} ${limit} ${percent}`;
      if (used * 100 < limit * percent || alerted.has(mark)) continue;
      alerted.add(mark);
      fresh.push({ ...told, budget: name, period, percent, used: Math.floor(used), limit });
    }
  }
  for (const mark of alerted) if (alerted.size > MAX_TOLD_ALERTS) alerted.delete(mark);
  spending.notices = [...spending.notices, ...fresh];
  return fresh.length > 0;
}

/** What an object that was evicted may forget of a bound: a thousandth of it. */
const FORGETTABLE = 1_000;

/** How much of the bounds is spent, as steps of which no object may forget more than one; absent: there are none. */
export function stepsOf(
  spending: Spending,
  credits: { readonly month: string; readonly used: number },
  now: number,
): readonly number[] {
  const { budget } = spending;
  if (!budget) return [];
  const spent = spentOf(spending, credits, now);
  return BUDGETS.map((name) => Math.floor((spent[name].used * FORGETTABLE) / (budget[name] ?? Infinity)));
}
