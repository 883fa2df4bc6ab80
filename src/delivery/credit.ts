/** The credit of a final: reserved before its work, spent when it is kept, free again when it failed. */
import { ApiError, outage } from "../errors.ts";

/** The meter counts what an account does without a key under this name. */
const KEY = "deliveries";

/** @throws ApiError 402 when no credit is left, 503 when the meter does not answer */
export async function reserveCredit(env: Env, accountId: string, creditsTotal: number): Promise<number> {
  const { lease } = await meterOf(env, accountId)
    .take({ key: KEY, limit: Number.MAX_SAFE_INTEGER, creditsTotal })
    .catch((cause: unknown) => {
      throw outage("The service cannot count credits right now", cause);
    });
  if (lease === undefined) throw new ApiError(402, "No credits left in this period");
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
