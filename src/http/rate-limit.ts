/** Counts every API request, answers 429 and 402, and puts the state of the window on every answer. */
import { creditsOf } from "../account/accounts.ts";
import { isolateBlocks } from "../account/blocks.ts";
import { boardAt } from "../account/board.ts";
import type { Failure, Outcome, RepeatableAsk, Spent, Unneeded } from "../account/metered.ts";
import type { Ending } from "../account/receipts.ts";
import type { Reach } from "../account/telling.ts";
import { beyondBudget, withoutCredits } from "../budget-refusals.ts";
import { ApiError, outage } from "../errors.ts";
import { RATE_WINDOW_SECONDS } from "../limits.ts";
import { causesOf, logLine } from "../log.ts";
import { AnonymousClients } from "./anonymous-clients.ts";
import { accountOf, type Admission, type AppContext, baseOf } from "./context.ts";
import { receivedId } from "./handed-over.ts";
import { endingOf, refuseSecond } from "./idempotency.ts";

/** Which meter counts a request, and what it is asked. */
export interface Count {
  readonly meter: string;
  readonly ask: RepeatableAsk;
}

/** Requests without a valid key are counted by client address, an IPv6 client by its network: it owns all of it. */
function clientOf(c: AppContext): string {
  return networkOf(c.req.header("cf-connecting-ip") ?? "unknown");
}

function networkOf(address: string): string {
  const host = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return address;
  const [head = "", tail] = host.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, 4).join(":");
}

/** The anonymous clients of this isolate. */
const anonymousClients = new AnonymousClients();

/**
 * Counts a request without a known key in this isolate, once. No object counts them: one for each address would cost more
 * than answering, and a flood of addresses would make a flood of objects.
 * @throws ApiError 429 when its address has sent too many
 */
export function countAnonymousClient(c: AppContext): void {
  if (c.var.anonymousClient) return;
  c.set("anonymousClient", true);
  const client = clientOf(c);
  const { anonymousLimit: limit } = c.var.settings;
  const now = Date.now();
  const resetSeconds = anonymousClients.take(client, limit, now);
  const allowed = resetSeconds === 0;
  const remaining = anonymousClients.leftOf(client, limit);
  const counted = { limit, remaining, resetSeconds: allowed ? RATE_WINDOW_SECONDS : resetSeconds, used: 0 };
  c.set("admission", Promise.resolve({ ...counted, allowed, meter: "", key: undefined }));
  if (!allowed) throw beyondRate(resetSeconds);
}

/** The request has a key that exists after all. */
export function forgetAnonymousClient(c: AppContext): void {
  if (!c.var.anonymousClient) return;
  anonymousClients.giveBack(clientOf(c));
  // What it is refused for later is counted anew.
  c.set("anonymousClient", false);
  c.set("admission", undefined);
}

/** Starts to count; the answer is awaited by whoever needs it. */
export function startCount(c: AppContext, { meter, ask }: Count): void {
  const admission = countedBy(c, meter, ask);
  // It is awaited later, before the handler or at the end: until then a failure is not unhandled.
  admission.catch(() => undefined);
  c.set("admission", admission);
}

/** Starts to count a request that may turn out to be to be counted otherwise: `countAs` says. */
export function countAhead(c: AppContext, count: Count): void {
  startCount(c, count);
  c.set("countedAhead", JSON.stringify(count));
}

/** Starts to count, unless the same was done ahead; what was done ahead in vain is taken back. */
export function countAs(c: AppContext, count: Count): void {
  if (c.var.countedAhead === JSON.stringify(count)) return;
  takeBackCount(c);
  startCount(c, count);
}

/** Gives back what a count ahead has reserved. The request stays in its window, which is for a minute. */
export function takeBackCount(c: AppContext): void {
  const { admission, countedAhead } = c.var;
  if (countedAhead === undefined) return;
  c.set("countedAhead", undefined);
  c.set("admission", undefined);
  const taking = admission?.then(async (taken) => {
    if (taken.lease === undefined || taken.key === undefined) return;
    const { meter, key, lease } = taken;
    const outcome = { lease, reserved: 1, unspent: {} };
    await isolateBlocks.close(reachOf(c), { meter, key }, blockMs(c), outcome, true);
  });
  c.executionCtx.waitUntil(taking?.catch(() => undefined) ?? Promise.resolve());
}

/** The meters, and the board of the data center that answers. */
export function reachOf(c: AppContext): Reach {
  return { meters: c.env.METER, board: boardAt(baseOf(c)) };
}

/** For how long outcomes may wait for others. Not in an object, which is billed for as long as it waits. */
function blockMs({ req, var: { settings } }: AppContext): number {
  return receivedId(req.raw) === undefined ? settings.meterBlockSeconds * 1_000 : 0;
}

async function countedBy(c: AppContext, meter: string, ask: RepeatableAsk): Promise<Admission> {
  try {
    const taken = await isolateBlocks.take(reachOf(c), meter, ask, blockMs(c));
    const { account, dailyLimit, receipt } = ask;
    return { ...taken, meter, key: account === undefined ? undefined : ask.key, dailyLimit, receipt };
  } catch (cause) {
    throw outage("The service cannot count requests right now", cause);
  }
}

/**
 * What the meter said.
 * @throws ApiError 429 when the window is full, 503 when the meter does not answer
 */
export async function admitted(c: AppContext): Promise<Admission | undefined> {
  const admission = await c.var.admission;
  if (admission && !admission.allowed) throw beyondRate(admission.resetSeconds);
  return admission;
}

/** Counts the request by client address and refuses it: with 429 once too many were refused. */
export async function refuseAnonymous(c: AppContext, error: unknown): Promise<never> {
  if (!c.var.admission) countAnonymousClient(c);
  throw error;
}

function beyondRate(seconds: number): ApiError {
  const headers = { "Retry-After": String(seconds) };
  return new ApiError(429, `Rate limit exceeded, resets in ${seconds} seconds`, { headers });
}

/**
 * What the meter said to a request that costs a credit; one that was answered before costs none.
 * @throws ApiError 409 when its like is being processed, 402 when no credit is left, 429 when failed requests took too
 *   much or the key's day is used up, besides what `admitted` throws
 */
export async function admittedWithCredit(c: AppContext): Promise<void> {
  const admission = await admitted(c);
  if (admission) refuseSecond(admission);
  if (admission?.opened?.state === "answered") return;
  const { pauseSeconds, tomorrowSeconds } = admission ?? {};
  if (tomorrowSeconds !== undefined) {
    throw beyondDay(`The daily limit of this key is reached, resets in ${tomorrowSeconds} seconds`, tomorrowSeconds);
  }
  if (pauseSeconds !== undefined) {
    const headers = { "Retry-After": String(pauseSeconds) };
    const message = `Failed requests took too much processor time, try again in ${pauseSeconds} seconds`;
    throw new ApiError(429, message, { headers });
  }
  if (admission?.short) throw beyondBudget(admission.short);
  if (admission?.lease === undefined) throw withoutCredits(accountOf(c));
}

/**
 * Reserves the credits of a request that takes several; one is reserved already.
 * @throws ApiError 402 when there are not so many left, 429 when the key may not have so many today, 503 when the meter
 *   does not answer
 */
export async function reserveCredits(c: AppContext, credits: number): Promise<void> {
  const known = await c.var.admission;
  if (credits <= 1 || known?.lease === undefined || known.key === undefined) return;
  const { dailyLimit } = known;
  const { budget } = c.var;
  const creditsTotal = creditsOf(accountOf(c));
  const stub = c.env.METER.getByName(known.meter);
  const { isReserved, tomorrowSeconds, short } = await stub
    .reserve(known.lease, { key: known.key, credits: credits - 1, creditsTotal, dailyLimit, ...(budget && { budget }) })
    .catch((cause: unknown) => Promise.reject(outage("The service cannot count credits right now", cause)));
  const takes = `this request takes ${credits}`;
  if (tomorrowSeconds !== undefined) {
    const message = `Not enough of this key's daily limit is left, which resets in ${tomorrowSeconds} seconds: ${takes}`;
    throw beyondDay(message, tomorrowSeconds);
  }
  if (short) throw beyondBudget(short);
  if (!isReserved) throw withoutCredits(accountOf(c), takes);
  c.set("admission", Promise.resolve({ ...known, credits }));
}

function beyondDay(message: string, seconds: number): ApiError {
  return new ApiError(429, message, { headers: { "Retry-After": String(seconds) } });
}

/**
 * The headers of a counted answer: the window (when the meter did not answer, what is safe to assume), and no caching.
 */
export async function countedHeaders(c: AppContext): Promise<Record<string, string>> {
  if (!c.var.admission) return {};
  const known = await c.var.admission.catch(() => undefined);
  return {
    "Cache-Control": "no-store",
    "X-RateLimit-Limit": String(known?.limit ?? c.var.settings.rateLimit),
    "X-RateLimit-Remaining": String(known?.remaining ?? 0),
    "X-RateLimit-Reset": String(known?.resetSeconds ?? RATE_WINDOW_SECONDS),
  };
}

/**
 * Spends the reserved credit after a success, gives it back after a failure, and counts what failed and how much
 * processor time it took; the answer does not wait for it, and a success without a credit needs no call at all.
 */
export async function closeCount(c: AppContext, status: number): Promise<void> {
  const admission = await c.var.admission?.catch(() => undefined);
  // What the window refused is counted already.
  if (!admission?.allowed || admission.key === undefined) return;
  const { meter, key, lease, credits = 1 } = admission;
  const ending = await endingOf(c, status);
  const closing = { meter, key, lease, credits, ending, isNear: admission.isNear };
  if (admission.use !== undefined && isUnused(c, status)) c.executionCtx.waitUntil(giveBack(c, meter, admission.use));
  // What is to be repeated is kept before it is answered the first time.
  if (ending) return close(c, closing, status);
  if (admission.isShared) return c.executionCtx.waitUntil(closeShared(c, closing, status));
  // Accepted work is not done yet: whoever does it closes the lease.
  if (status === 202 || (lease === undefined && status < 400)) return;
  c.executionCtx.waitUntil(close(c, closing, status));
}

/** The caller has gone. */
const HUNG_UP = 499;

/**
 * Has a request's outcome told with those of others, unless somebody waits for it. What failed work took is told at once: it
 * bounds the work to come. So is what is left of an invocation whose caller has gone, as it may end soon.
 */
async function closeShared(c: AppContext, open: Open, status: number): Promise<void> {
  const { meter, key, lease, credits } = open;
  const { processed, claim } = c.var;
  const isAwaited = claim !== undefined || processed?.known !== undefined || processed?.knownByBytes !== undefined;
  const isOutcome = status !== 202 && lease !== undefined && !isAwaited;
  const outcome: Outcome | undefined = isOutcome ? { lease, reserved: credits, ...endOf(c, key, status) } : undefined;
  const isCostly = outcome?.unspent !== undefined && "ms" in outcome.unspent && outcome.unspent.ms > 0;
  if (!isOutcome && status !== 202 && (lease !== undefined || status >= 400)) await close(c, open, status);
  const forMs = blockMs(c);
  const { id } = c.var;
  await isolateBlocks
    .close(reachOf(c), { meter, key }, forMs, outcome, isCostly || open.isNear === true || status === HUNG_UP)
    .catch((error: unknown) => logLine("error", { id, event: "count not closed", causes: causesOf(error) }));
}

/**
 * Whether the use of an upload token that was taken for the request is given back: the work had not begun, or its
 * failure is ours. Failed work keeps it, so that a token cannot be made to cost more work than its uses.
 */
function isUnused(c: AppContext, status: number): boolean {
  return status >= 500 || (status >= 400 && !c.var.jobLimits?.hasBegun);
}

async function giveBack(c: AppContext, meter: string, use: string): Promise<void> {
  try {
    await c.env.METER.getByName(meter).giveBack(use);
  } catch (error) {
    logLine("error", { id: c.var.id, event: "use not given back", causes: causesOf(error) });
  }
}

interface Open {
  readonly meter: string;
  readonly key: string;
  readonly lease: number | undefined;
  readonly credits: number;
  readonly ending: Ending | undefined;
  /** A budget of the account has little room left. */
  readonly isNear?: true | undefined;
}

async function close(c: AppContext, { meter, key, lease, credits, ending }: Open, status: number): Promise<void> {
  try {
    const stub = c.env.METER.getByName(meter);
    const { spent, unspent } = endOf(c, key, status);
    if (lease === undefined) {
      if (ending) await stub.end(ending);
      if (status >= 400) await stub.fail(key);
    } else if (unspent) await stub.release(lease, unspent, ending, credits);
    else await stub.settle(lease, spent, ending, credits);
  } catch (error) {
    // The answer is on its way. A credit that was not given back is free again when its lease ends.
    logLine("error", { id: c.var.id, event: "count not closed", causes: causesOf(error) });
  }
}

/** What the credits of a request were spent for, or why they were not. */
function endOf(c: AppContext, key: string, status: number): { spent?: Spent; unspent?: Failure | Unneeded } {
  const { processed, jobLimits, isReused } = c.var;
  const claim = c.var.claim === undefined ? {} : { claim: c.var.claim };
  const cpuMs = jobLimits?.takenMs ?? 0;
  const held = idleMs(c, status);
  if (status >= 400) return { unspent: { key, ms: cpuMs + held, ...(held > 0 && { idleMs: held }), ...claim } };
  if (isReused) return { unspent: claim };
  return processed ? { spent: { key, cpuMs, ...processed, ...claim } } : {};
}

/** Statuses of bodies and origins that led to nothing; whoever hung up has held memory as well. */
const BROKEN = new Set([400, 408, 422, 499]);

/** What memory was held for that nothing came of: a sender who drips takes it from others as work takes the thread. */
function idleMs({ var: { jobLimits, caller } }: AppContext, status: number): number {
  return caller && BROKEN.has(status) && !jobLimits?.hasBegun ? Math.round(caller.heldMs) : 0;
}
