import type { Account } from "../../contract/response.ts";
import type { AppContext } from "../context.ts";
import { admitted } from "../rate-limit.ts";

/** GET /1.0/account: the meter's one answer holds the credits as well. */
export async function showAccount(c: AppContext): Promise<Response> {
  const admission = await admitted(c);
  const { account, settings } = c.var;
  if (!account || !admission) throw new Error("The account route is mounted without a key");
  const total = account.creditsTotal;
  const answer: Account = {
    success: true,
    code: 200,
    subscription: { name: account.plan },
    credits: { total, used: admission.used, remaining: Math.max(0, total - admission.used) },
    ...(settings.egressRanges.length > 0 && { egress_ranges: [...settings.egressRanges] }),
  };
  return c.json(answer);
}
