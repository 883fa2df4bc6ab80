/** The credit of a final: reserved before its work, spent when it is kept, free again when it failed. */
import { creditsOf } from "../account/accounts.ts";
import { withoutCredits } from "../budget-refusals.ts";
import { outage } from "../errors.ts";
import { MAX_CACHED_DELIVERIES } from "../limits/delivery.ts";
import { Recent } from "../recent.ts";
import { beyondHour, hourlyOf } from "./hourly.ts";
import type { Order } from "./order.ts";
import { noteSpent } from "./spent-budgets.ts";

/** The meter counts what an account does without a key under this name. */
const KEY = "deliveries";

/** Processor time of drafts whose finals are somebody else's, by account: it is told with the next final that is asked for. */
const owed = new Recent<number>(MAX_CACHED_DELIVERIES);

/** Notes what a draft took that nobody closes a credit for. */
export function owe({ accountId, budget }: Payer, cpuMs: number): void {
  if (budget) owed.set(accountId, (owed.get(accountId) ?? 0) + cpuMs);
}

function takeOwed(accountId: string): number {
  const cpuMs = owed.get(accountId) ?? 0;
  owed.delete(accountId);
  return cpuMs;
}

type Payer = Pick<Order["delivery"], "accountId" | "creditsTotal" | "limits" | "budget">;

/** What the meter is asked for the credit of a final. */
function askOf(delivery: Payer) {
  const { budget } = delivery;
  const creditsTotal = creditsOf(delivery);
  const owedMs = takeOwed(delivery.accountId);
  return {
    key: KEY,
    limit: Number.MAX_SAFE_INTEGER,
    creditsTotal,
    ...(budget && { budget, isFinal: true, ...(owedMs > 0 && { owedMs }) }),
  };
}

/**
 * @throws ApiError 402 when no credit is left, 429 when a budget of the day is spent, or anonymous clients have had as many
 *   finals as they may within this hour, 503 when the meter does not answer
 */
export async function reserveCredit(env: Env, order: Order): Promise<number> {
  const { delivery } = order;
  const hourly = hourlyOf(order);
  const { lease, hourSeconds, short } = await meterOf(env, delivery.accountId)
    .take({ ...askOf(delivery), ...(hourly && { hourly }) })
    .catch((cause: unknown) => {
      throw outage("The service cannot count credits right now", cause);
    });
  if (hourSeconds !== undefined) throw beyondHour(order, hourSeconds);
  if (short) throw noteSpent(delivery.accountId, short);
  if (lease === undefined) throw withoutCredits(delivery);
  return lease;
}

/**
 * Counts a result that an anonymous client has adopted: it takes no credit, but reading an original and a row, as new ones do.
 * @throws ApiError 429 when anonymous clients have had as many as they may within this hour, 503 when the meter does not answer
 */
export async function countAdopted(env: Env, order: Order): Promise<void> {
  const hourly = hourlyOf(order);
  if (!hourly) return;
  const { hourSeconds } = await meterOf(env, order.delivery.accountId)
    .take({ key: KEY, limit: Number.MAX_SAFE_INTEGER, hourly })
    .catch((cause: unknown) => {
      throw outage("The service cannot count results right now", cause);
    });
  if (hourSeconds !== undefined) throw beyondHour(order, hourSeconds);
}

/** A credit for a final whose announcement was lost, and its credit with it; undefined when none is left. */
export async function reserveAnew(env: Env, delivery: Payer): Promise<number | undefined> {
  const { lease } = await meterOf(env, delivery.accountId).take(askOf(delivery));
  return lease;
}

/** @param cpuMs milliseconds of processor time that the final and its draft took */
export async function spendCredit(env: Env, accountId: string, lease: number, cpuMs: number): Promise<void> {
  await meterOf(env, accountId).closeFinal(lease, { isMade: true, cpuMs });
}

/** @param cpuMs milliseconds of processor time that were spent all the same */
export async function returnCredit(env: Env, accountId: string, lease: number, cpuMs: number): Promise<void> {
  await meterOf(env, accountId).closeFinal(lease, { isMade: false, cpuMs });
}

function meterOf(env: Env, accountId: string) {
  return env.METER.getByName(`account:${accountId}`);
}
