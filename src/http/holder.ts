/** A request in the name of an account: what its meter is asked, and what the handlers know of it. */
import type { Holder } from "../account/keys.ts";
import type { UseAsk } from "../account/token-uses.ts";
import type { AppContext } from "./context.ts";
import { receiptOf } from "./idempotency.ts";
import { startCount } from "./rate-limit.ts";
import type { Route } from "./route.ts";

/** What the meter has to know of a route. */
export type Terms = Pick<Route, "costsCredit" | "isRepeatable">;

/**
 * Starts to count a request of a holder, who is known to the handlers from now on unless the account is suspended.
 * @param use the upload token that it comes with, which has receipts of its own: its bearer may not ask for those of the key
 */
export function countHolder(c: AppContext, holder: Holder, { costsCredit, isRepeatable }: Terms, use?: UseAsk): void {
  const { account, keyId, databaseBytes } = holder;
  const isActive = account.status === "active";
  const ask = { key: keyId, limit: c.var.settings.rateLimit, account: account.id, database: account.database };
  const { creditsTotal } = account;
  const bounds = isActive ? { failedMs: c.var.settings.maxFailedMs, ...(costsCredit && { creditsTotal }) } : {};
  const meter = `account:${account.id}`;
  const receipt = isRepeatable && isActive ? receiptOf(c, use?.id ?? keyId) : undefined;
  startCount(c, { meter, ask: { ...ask, ...bounds, ...(receipt !== undefined && { receipt }), ...(use && { use }) } });
  if (!isActive) return;
  c.set("account", account);
  c.set("databaseBytes", databaseBytes);
}
