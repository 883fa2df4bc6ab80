/** The request as one of those who share the isolate. */
import { isolateBudget } from "../scheduler/budget.ts";
import { Caller } from "../scheduler/caller.ts";
import type { AppContext } from "./context.ts";

/** Who asks: an account by one of its keys; by an upload token a guest of it. Known once the key or the token is. */
export function callerOf(c: AppContext): Caller {
  const known = c.var.caller;
  if (known) return known;
  const { account, grant, settings, id, route } = c.var;
  const maxWaitMs = settings.maxWaitSeconds * 1_000;
  const { signal } = c.req.raw;
  const caller = new Caller({
    account: account?.id,
    isGuest: grant !== undefined,
    maxWaitMs,
    signal,
    about: { id, route },
  });
  c.set("caller", caller);
  return caller;
}

/**
 * Lets a request in that will have a picture processed, before that is read.
 * @param data what it asks for, as far as that is known: what goes to a webhook is done whenever there is room
 * @throws ApiError 503 when more is declared before it than it may wait
 */
export function expectWork(c: AppContext, data: object = {}): void {
  if (!("webhook" in data)) isolateBudget.expect(callerOf(c));
}

/** Remembers what the work of a request took, at its end. */
export function closeCaller(c: AppContext): void {
  const { caller, jobLimits } = c.var;
  if (!caller) return;
  if (jobLimits) isolateBudget.learn(caller, jobLimits.takenMs);
  else caller.settle();
}
