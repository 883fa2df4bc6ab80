/**
 * Accounts whose budget of a day is spent, as this isolate knows them: for a while it refuses what is new before an original
 * is asked for. What is kept is served on.
 */
import { beyondBudget } from "../budget-refusals.ts";
import type { ApiError } from "../errors.ts";
import { MAX_CACHED_DELIVERIES, SPENT_BUDGET_CACHE_SECONDS } from "../limits/delivery.ts";
import { Recent } from "../recent.ts";
import type { Order } from "./order.ts";

interface Spent {
  readonly budget: string;
  /** When the budget has room again, and until when that is taken for true, milliseconds since 1970. */
  readonly endsAt: number;
  readonly until: number;
}

const spent = new Recent<Spent>(MAX_CACHED_DELIVERIES);

/** Notes what the meter said; the error says it to the visitor. */
export function noteSpent(accountId: string, short: { readonly budget: string; readonly seconds: number }): ApiError {
  const now = Date.now();
  const endsAt = now + short.seconds * 1_000;
  spent.set(accountId, {
    budget: short.budget,
    endsAt,
    until: Math.min(endsAt, now + SPENT_BUDGET_CACHE_SECONDS * 1_000),
  });
  return beyondBudget(short);
}

/** @throws ApiError 429 as long as this isolate takes a budget for spent */
export function refuseBeyondBudget({ delivery }: Order): void {
  const known = spent.get(delivery.accountId);
  const now = Date.now();
  if (!known || known.until <= now || delivery.budget === undefined) return;
  throw beyondBudget({ budget: known.budget, seconds: Math.max(1, Math.ceil((known.endsAt - now) / 1_000)) });
}

/** Forgets what was spent, so that a change made in this isolate holds here at once. */
export function forgetSpent(): void {
  spent.clear();
}
