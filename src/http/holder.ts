/** A request in the name of an account: what its meter is asked, and what the handlers know of it. */
import { creditsOf } from "../account/accounts.ts";
import type { Holder } from "../account/keys.ts";
import type { UseAsk } from "../account/token-uses.ts";
import type { AppContext } from "./context.ts";
import { receiptOf } from "./idempotency.ts";
import { wholeOf } from "./inside.ts";
import { type Count, countAhead, countAs } from "./rate-limit.ts";
import type { Route } from "./route.ts";

/** What the meter has to know of a route. */
export type Terms = Pick<Route, "costsCredit" | "isForAgents" | "isRepeatable">;

/**
 * Starts to count a request of a holder, who is known to the handlers from now on, unless the account is suspended or the
 * key is for agents and the route is not.
 * @param use the upload token that it comes with, which has receipts of its own: its bearer may not ask for those of the key
 */
export function countHolder(c: AppContext, holder: Holder, terms: Terms, use?: UseAsk): void {
  countAs(c, countOf(c, holder, terms, use));
  if (!isOpen(c, holder, terms)) return;
  c.set("account", holder.account);
  c.set("databaseBytes", holder.databaseBytes);
  c.set("budget", holder.budget);
}

/**
 * Starts to count a request of whom its key belonged to lately. `countHolder` goes on with that, or takes it back. What a
 * request with a name has begun cannot be taken back: such a request waits until its holder is known.
 */
export function countFormerHolder(c: AppContext, holder: Holder, terms: Terms): void {
  const count = countOf(c, holder, terms);
  if (count.ask.receipt === undefined) countAhead(c, count);
}

/** What the meter of a holder is asked. */
function countOf(c: AppContext, holder: Holder, terms: Terms, use?: UseAsk): Count {
  const { account, keyId, dailyLimit, budget } = holder;
  const { rateLimit: limit, maxFailedMs: failedMs } = c.var.settings;
  const isPart = wholeOf(c.req.raw) !== undefined;
  const ask = { key: keyId, limit, account: account.id, database: account.database, isPart, ...(budget && { budget }) };
  const meter = `account:${account.id}`;
  if (!isOpen(c, holder, terms)) return { meter, ask: { ...ask, ...(use && { use }) } };
  const creditsTotal = creditsOf(account);
  const charge = terms.costsCredit && { creditsTotal, ...(dailyLimit !== undefined && { dailyLimit }) };
  const receipt = terms.isRepeatable ? receiptOf(c, use?.id ?? keyId) : undefined;
  return {
    meter,
    ask: { ...ask, failedMs, ...charge, ...(receipt !== undefined && { receipt }), ...(use && { use }) },
  };
}

function isOpen(c: AppContext, { account, dailyLimit }: Holder, { isForAgents }: Terms): boolean {
  const isForKey = dailyLimit === undefined || isForAgents === true || wholeOf(c.req.raw) !== undefined;
  return account.status === "active" && isForKey;
}
