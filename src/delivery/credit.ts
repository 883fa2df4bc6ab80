/** The credit of a final: reserved before its work, spent when it is kept, free again when it failed. */
import { ApiError, outage } from "../errors.ts";
import { beyondHour, hourlyOf } from "./hourly.ts";
import type { Order } from "./order.ts";

/** The meter counts what an account does without a key under this name. */
const KEY = "deliveries";

/**
 * @throws ApiError 402 when no credit is left, 429 when anonymous clients have had as many finals as they may within
 *   this hour, 503 when the meter does not answer
 */
export async function reserveCredit(env: Env, order: Order): Promise<number> {
  const { accountId, creditsTotal } = order.delivery;
  const hourly = hourlyOf(order);
  const { lease, hourSeconds } = await meterOf(env, accountId)
    .take({ key: KEY, limit: Number.MAX_SAFE_INTEGER, creditsTotal, ...(hourly && { hourly }) })
    .catch((cause: unknown) => {
      throw outage("The service cannot count credits right now", cause);
    });
  if (hourSeconds !== undefined) throw beyondHour(order, hourSeconds);
  if (lease === undefined) throw new ApiError(402, "No credits left in this period");
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
export async function reserveAnew(
  env: Env,
  { accountId, creditsTotal }: Pick<Order["delivery"], "accountId" | "creditsTotal">,
): Promise<number | undefined> {
  const { lease } = await meterOf(env, accountId).take({ key: KEY, limit: Number.MAX_SAFE_INTEGER, creditsTotal });
  return lease;
}

export async function spendCredit(env: Env, accountId: string, lease: number): Promise<void> {
  await meterOf(env, accountId).settle(lease);
}

export async function returnCredit(env: Env, accountId: string, lease: number): Promise<void> {
  await meterOf(env, accountId).release(lease);
}

function meterOf(env: Env, accountId: string) {
  return env.METER.getByName(`account:${accountId}`);
}
