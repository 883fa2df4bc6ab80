/**
 * Results made because somebody asks: drafts and finals, each once at a time in an isolate, finals once in the world.
 */
import { ApiError } from "../errors.ts";
import { FINAL_LOOK_MS, FINAL_WAIT_MS, MAX_DELIVERY_READS, SHARED_WAIT_MS } from "../limits/delivery.ts";
import { causesOf, logLine } from "../log.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { isolateLeases } from "../scheduler/isolate-leases.ts";
import { isolateThread } from "../scheduler/time-slice.ts";
import { claimFinal, dropFinal, isClaimed } from "./claims.ts";
import { countDelivery, countSampled } from "./counts.ts";
import { countAdopted, owe, reserveCredit, returnCredit, spendCredit } from "./credit.ts";
import type { FinalJob, FinalMessage } from "./finals.ts";
import { isUsable, type Order, type ServePorts } from "./order.ts";
import { type FoundOriginal, readOriginal } from "./original.ts";
import { isOneEncoding, type Made, makeDraft, makeFinal } from "./render.ts";
import { draftKey, findResult, putFinal, putResult } from "./results.ts";
import { SharedWork } from "./shared-work.ts";
import { adoptTwin, findTwin } from "./twins.ts";

/** Work of this isolate, by what it makes. */
const running = new SharedWork<Kept>({ onEvent: () => void isolateThread.look() });

/** Requests that wait for an origin, by delivery. */
const reading = isolateLeases();

/** A result on its way to whoever asked; one without bytes is in the bucket. */
export interface Kept extends Pick<Made, "facts"> {
  readonly bytes?: Uint8Array;
  /** Of a draft: puts it into the bucket, and says under which name. It is there for who reads slowly alone. */
  readonly putAside?: () => Promise<string>;
}

/**
 * A result that is not kept yet, or whose original has changed. Equal misses at the same moment share one piece of
 * work.
 * @param found the original, where it was read already; given back in any case
 * @throws ApiError 402, 404, 413, 415, 422, 502, 503 or 504
 */
export async function madeOnce(ports: ServePorts, order: Order, found?: FoundOriginal): Promise<Kept> {
  const isFinal = finalAtOnce(order);
  const name = `${isFinal ? "final" : "draft"} ${order.key}`;
  if (running.has(name)) {
    found?.original.memory.release();
    // What is lost is made anew.
    return (await running.join(name, SHARED_WAIT_MS)) ?? madeOnce(ports, order);
  }
  const { caller } = ports;
  try {
    isolateBudget.expect(caller);
  } catch (error) {
    found?.original.memory.release();
    throw error;
  }
  const does = () => (isFinal ? finalOf(ports, order, found) : draftOf(ports, order, found));
  try {
    return await running.begin(name, does);
  } finally {
    caller.settle();
  }
}

function finalAtOnce({ needsFinal, delivery, canonical }: Order): boolean {
  return needsFinal || !delivery.refine || isOneEncoding(canonical.processing);
}

/**
 * A draft. The original comes first: anonymous clients can name any number of originals that are not there, and those
 * cost no row. Then the encoding, and beside it the claim of the final with its credit; without one, the encoding is
 * broken off.
 */
async function draftOf(ports: ServePorts, order: Order, known?: FoundOriginal): Promise<Kept> {
  const { env, defer } = ports;
  const found = known ?? (await read(ports, order));
  const refusal = new AbortController();
  const claiming = claimed(ports, order, found).catch((error: unknown) => {
    refusal.abort(error);
    throw error;
  });
  let cpuMs = 0;
  const spend = (ms: number) => (cpuMs += ms);
  const drafting = makeDraft({ ...ports, signal: refusal.signal, spend }, renderingOf(order), found);
  const [claim, draft] = await Promise.allSettled([claiming, drafting]);
  if (claim.status === "rejected") {
    owe(order.delivery, cpuMs);
    throw claim.reason;
  }
  if (claim.value?.ready) return claim.value.ready;
  const lease = claim.value?.lease;
  if (draft.status === "rejected") {
    if (lease !== undefined) await abandoned(ports, order, lease, cpuMs);
    throw draft.reason;
  }
  countSampled(env.DB, order.delivery, { drafts: 1 }, { sample: ports.settings.hitSample, defer });
  // Without a lease somebody else makes the final.
  if (lease !== undefined) defer(announced(ports, order, lease, cpuMs));
  else owe(order.delivery, cpuMs);
  return { ...draft.value, putAside: () => asideOf(ports, order, draft.value) };
}

/**
 * Says to the queue that a final is wanted: nobody waits for that. The credit goes with the message, since a row would cost
 * more.
 */
async function announced({ env }: ServePorts, { key }: Order, lease: number, draftMs: number): Promise<void> {
  try {
    await env.QUEUE.send({ kind: "final", id: key, lease, draftMs } satisfies FinalMessage);
  } catch (error) {
    // The row is there: the sweep announces it again.
    logLine("error", { event: "final not announced", causes: causesOf(error) });
  }
}

/**
 * Puts a draft aside. It is kept nowhere else but at the edge: its final takes its place in seconds, and an object costs
 * more than all of the rest.
 */
async function asideOf({ env }: ServePorts, { key }: Order, { bytes, facts }: Made): Promise<string> {
  await putResult(env, draftKey(key), bytes, facts);
  return draftKey(key);
}

/** The final, made here, or elsewhere and waited for. */
async function finalOf(ports: ServePorts, order: Order, known?: FoundOriginal): Promise<Kept> {
  const giveUpAt = Date.now() + FINAL_WAIT_MS;
  let found = known;
  for (;;) {
    found ??= await read(ports, order);
    const claim = await givenBackOnFailure(found, claimed(ports, order, found));
    if (claim && !claim.ready) return carriedOut(ports, order, found, claim.lease);
    found.original.memory.release();
    found = undefined;
    const made = claim?.ready ?? (await awaited(ports, order, giveUpAt));
    if (made) return made;
  }
}

async function carriedOut(ports: ServePorts, order: Order, found: FoundOriginal, lease: number): Promise<Made> {
  const { env, defer } = ports;
  const { key, delivery } = order;
  let cpuMs = 0;
  const spend = (ms: number) => (cpuMs += ms);
  try {
    const made = await makeFinal({ ...ports, spend }, renderingOf(order), found);
    await putFinal(env, key, made.bytes, made.facts);
    await dropFinal(env.DB, key);
    defer(spendCredit(env, delivery.accountId, lease, cpuMs));
    countDelivery(env.DB, delivery, { finals: 1 }, defer);
    return made;
  } catch (error) {
    await abandoned(ports, order, lease, cpuMs);
    throw error;
  }
}

/** A final that is the caller's to make, with its credit, or that turned out to be there. */
type Claim = { readonly lease: number; readonly ready?: undefined } | { readonly ready: Kept };

/**
 * Undefined: somebody else is at it.
 * @throws ApiError 402, 429, 503
 */
async function claimed({ env }: ServePorts, order: Order, found: FoundOriginal): Promise<Claim | undefined> {
  const { delivery, source, key } = order;
  const job: FinalJob = { ...renderingOf(order), source };
  const claim = { key, deliveryId: delivery.id, job: JSON.stringify(job) };
  if (!(await claimFinal(env.DB, claim, Date.now()))) return undefined;
  try {
    const ready = await readyMade(env, order, found);
    if (ready) {
      await dropFinal(env.DB, key);
      return { ready };
    }
    return { lease: await reserveCredit(env, order) };
  } catch (error) {
    await dropFinal(env.DB, key);
    throw error;
  }
}

/** What was kept between the look into the bucket and the claim: then there is nothing to be made. */
async function madeMeanwhile(env: Env, order: Order): Promise<Kept | undefined> {
  const stored = await findResult(env.BUCKET, order.key);
  if (!stored) return undefined;
  const { facts, object } = stored;
  await object.body.cancel();
  return facts.checkedAt >= order.askedAt && isUsable(order, facts) ? { facts } : undefined;
}

/** What need not be made: it was kept meanwhile, or the same bytes have a final under another address. */
async function readyMade(env: Env, order: Order, found: FoundOriginal): Promise<Kept | undefined> {
  const [meanwhile, twin] = await Promise.all([madeMeanwhile(env, order), findTwin(env, order, found)]);
  if (meanwhile || !twin) {
    await twin?.object.body.cancel();
    return meanwhile;
  }
  const facts = await adoptTwin(env, order, found, twin);
  if (!facts) return undefined;
  await countAdopted(env, order);
  return { facts };
}

/** The memory of an original that will not be worked on. */
async function givenBackOnFailure<Result>({ original }: FoundOriginal, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    original.memory.release();
    throw error;
  }
}

async function abandoned({ env }: ServePorts, { key, delivery }: Order, lease: number, cpuMs: number): Promise<void> {
  await dropFinal(env.DB, key);
  await returnCredit(env, delivery.accountId, lease, cpuMs);
}

/**
 * The final that somebody else makes; undefined when that has ended without one.
 * @throws ApiError 503 when it takes too long
 */
async function awaited({ env }: ServePorts, order: Order, giveUpAt: number): Promise<Kept | undefined> {
  do {
    const stored = await findResult(env.BUCKET, order.key);
    await stored?.object.body.cancel();
    if (stored && isUsable({ ...order, needsFinal: true }, stored.facts)) return { facts: stored.facts };
    if (!(await isClaimed(env.DB, order.key))) return undefined;
    await scheduler.wait(FINAL_LOOK_MS);
  } while (Date.now() < giveUpAt);
  throw new ApiError(503, "The result is still being made");
}

/**
 * The original. Whoever waits for an origin takes nothing from anybody but a place of its own delivery.
 * @throws ApiError 503 when too many wait, and what `readOriginal` throws
 */
async function read({ env, settings, caller }: ServePorts, { delivery, located }: Order): Promise<FoundOriginal> {
  if (reading.countOf(delivery.id) >= MAX_DELIVERY_READS) {
    throw new ApiError(503, "Too many originals of this delivery are being fetched right now");
  }
  const place = reading.join(1, delivery.id);
  try {
    const found = await readOriginal({ env, settings, ...delivery, caller }, located);
    if (!found) throw new Error("An original was found unchanged that nobody knew");
    return found;
  } finally {
    place.leave();
  }
}

function renderingOf({ delivery, canonical }: Order) {
  const { processing, accept } = canonical;
  const { accountId, database } = delivery;
  return { accountId, database, processing, accept };
}
