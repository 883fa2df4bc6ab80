/** What an account is told of its plan and credits. */
import type { Account } from "../../contract/response.ts";
import { accountOf, type AppContext } from "../context.ts";
import { admitted } from "../rate-limit.ts";

/** GET /1.0/account: the meter's one answer holds the credits as well. */
export async function showAccount(c: AppContext): Promise<Response> {
  const used = (await admitted(c))?.used ?? 0;
  const { settings } = c.var;
  const account = accountOf(c);
  const total = account.creditsTotal;
  const answer: Account = {
    success: true,
    code: 200,
    subscription: { name: account.plan },
    credits: { total, used, remaining: Math.max(0, total - used) },
    ...(settings.egressRanges.length > 0 && { egress_ranges: [...settings.egressRanges] }),
  };
  return c.json(answer);
}
