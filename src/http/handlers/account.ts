/** What an account is told of its plan, its credits and its failed work. */
import { creditsOf, isUnlimited } from "../../account/accounts.ts";
import type { Account } from "../../contract/response.ts";
import { deployed } from "../../version.ts";
import { accountOf, type AppContext } from "../context.ts";
import { admitted } from "../rate-limit.ts";

/** GET /1.0/account: the meter's one answer holds credits and failed work as well. */
export async function showAccount(c: AppContext): Promise<Response> {
  const { used = 0, failedMs = 0, today } = (await admitted(c)) ?? {};
  const { settings } = c.var;
  const account = accountOf(c);
  const total = creditsOf(account);
  const { cpu_seconds_per_day: cpu, finals_per_day: finals } = account.limits;
  const answer: Account = {
    success: true,
    code: 200,
    ...deployed(c.env),
    subscription: { name: account.plan },
    credits: {
      total,
      used,
      remaining: Math.max(0, total - used),
      ...(isUnlimited({ creditsTotal: total }) && { unlimited: true }),
    },
    ...(cpu !== undefined && { cpu_seconds: { limit: cpu, used: Math.floor((today?.cpuMs ?? 0) / 1_000) } }),
    ...(finals !== undefined && { finals: { limit: finals, used: today?.finals ?? 0 } }),
    failed_ms: { limit: settings.maxFailedMs, used: failedMs },
    ...(settings.egressRanges.length > 0 && { egress_ranges: [...settings.egressRanges] }),
  };
  return c.json(answer);
}
