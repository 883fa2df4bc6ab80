/** A request in the name of an account: what its meter is asked, and what the handlers know of it. */
import { creditsOf } from "../account/accounts.ts";
import type { Holder } from "../account/keys.ts";
import type { UseAsk } from "../account/token-uses.ts";
import type { AppContext } from "./context.ts";
import { receiptOf } from "./idempotency.ts";
import { wholeOf } from "./inside.ts";
import { startCount } from "./rate-limit.ts";
import type { Route } from "./route.ts";

/** What the meter has to know of a route. */
export type Terms = Pick<Route, "costsCredit" | "isForAgents" | "isRepeatable">;

/**
 * Starts to count a request of a holder, who is known to the handlers from now on, unless the account is suspended or the
 * key is for agents and the route is not.
 * @param use the upload token that it comes with, which has receipts of its own: its bearer may not ask for those of the key
 */
export function countHolder(c: AppContext, holder: Holder, terms: Terms, use?: UseAsk): void {
  const { account, keyId, dailyLimit, databaseBytes, budget } = holder;
  const { rateLimit: limit, maxFailedMs: failedMs } = c.var.settings;
  const isPart = wholeOf(c.req.raw) !== undefined;
  const isOpen = account.status === "active" && (dailyLimit === undefined || terms.isForAgents === true || isPart);
  const ask = { key: keyId, limit, account: account.id, database: account.database, isPart, ...(budget && { budget }) };
  const creditsTotal = creditsOf(account);
  const charge = terms.costsCredit && { creditsTotal, ...(dailyLimit !== undefined && { dailyLimit }) };
  const bounds = isOpen ? { failedMs, ...charge } : {};
  const meter = `account:${account.id}`;
  const receipt = terms.isRepeatable && isOpen ? receiptOf(c, use?.id ?? keyId) : undefined;
  startCount(c, { meter, ask: { ...ask, ...bounds, ...(receipt !== undefined && { receipt }), ...(use && { use }) } });
  if (!isOpen) return;
  c.set("account", account);
  c.set("databaseBytes", databaseBytes);
  c.set("budget", budget);
}
