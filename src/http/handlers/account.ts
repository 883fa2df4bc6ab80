/** What an account is told of its plan, its credits and its failed work. */
import { isUnlimited } from "../../account/accounts.ts";
import type { Account } from "../../contract/response.ts";
import { deployed } from "../../version.ts";
import { accountOf, type AppContext } from "../context.ts";
import { admitted } from "../rate-limit.ts";

/** GET /1.0/account: the meter's one answer holds credits and failed work as well. */
export async function showAccount(c: AppContext): Promise<Response> {
  const { used = 0, failedMs = 0 } = (await admitted(c)) ?? {};
  const { settings } = c.var;
  const account = accountOf(c);
  const total = account.creditsTotal;
  const answer: Account = {
    success: true,
    code: 200,
    ...deployed(c.env),
    subscription: { name: account.plan },
    credits: { total, used, remaining: Math.max(0, total - used), ...(isUnlimited(account) && { unlimited: true }) },
    failed_ms: { limit: settings.maxFailedMs, used: failedMs },
    ...(settings.egressRanges.length > 0 && { egress_ranges: [...settings.egressRanges] }),
  };
  return c.json(answer);
}
