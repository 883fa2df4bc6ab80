/** Credits that keys with a daily limit have reserved, by day, UTC. Pure: the clock is an argument. */
import { dayOf } from "./usage.ts";

/** By key, the day on which it reserved last, and how many. */
export type Days = Map<string, { readonly day: string; readonly count: number }>;

/** A key that may have a daily limit. */
export interface Limited {
  readonly key: string;
  readonly dailyLimit?: number | undefined;
}

export function countToday(days: Days, key: string, credits: number, now: number): void {
  days.set(key, { day: dayOf(now), count: reservedToday(days, key, now) + credits });
}

function reservedToday(days: Days, key: string, now: number): number {
  const known = days.get(key);
  return known?.day === dayOf(now) ? known.count : 0;
}

/** Seconds until a key may reserve so many credits that have no room in its day; 0 when they have. */
export function restOfDay(days: Days, { key, dailyLimit }: Limited, now: number, credits = 1): number {
  if (dailyLimit === undefined || reservedToday(days, key, now) + credits <= dailyLimit) return 0;
  return secondsOfDay(now);
}

/** Seconds until the day ends, at least 1. */
export function secondsOfDay(now: number): number {
  return Math.max(1, Math.ceil((nextDay(now) - now) / 1000));
}

export function nextDay(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
}
