/** What is said where an account has spent what it may. */
import { ApiError } from "./errors.ts";

/** Credits of a plan and of a budget, in a calendar month. */
interface Monthly {
  readonly creditsTotal: number;
  readonly limits: { readonly credits_per_month?: number | undefined };
}

/** @param takes how many are asked for, where they are several */
export function withoutCredits({ creditsTotal, limits }: Monthly, takes?: string): ApiError {
  const { credits_per_month: most = Infinity } = limits;
  const enough = takes === undefined ? "No" : "Not enough";
  const rest = takes === undefined ? "" : `: ${takes}`;
  if (most >= creditsTotal) return new ApiError(402, `${enough} credits left in this period${rest}`);
  return new ApiError(402, `${enough} credits left in this month's budget of ${most}${rest}`);
}

/** A budget of the day is spent, or what goes on may spend what is left of it. */
export function beyondBudget(short: { readonly budget: string; readonly seconds: number }): ApiError {
  const what = { cpu_seconds_per_day: "processor time", finals_per_day: "new pictures" }[short.budget] ?? short.budget;
  const message = `Today's budget of ${what} is spent, try again in ${short.seconds} seconds`;
  return new ApiError(429, message, { headers: { "Retry-After": String(short.seconds) } });
}
