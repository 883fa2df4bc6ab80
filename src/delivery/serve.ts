/** An address answered: from the bucket, or by work that is done once however many ask. */
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import type { Stopwatch } from "../image/stopwatch.ts";
import {
  FAILING_ORIGIN_MS,
  FINAL_LOOK_MS,
  FINAL_WAIT_MS,
  MAX_DELIVERY_WORK,
  RESULT_MARK_MS,
  SHARED_WAIT_MS,
} from "../limits.ts";
import { causesOf, logLine } from "../log.ts";
import type { Street } from "../street/edges.ts";
import type { Canonical } from "./canonical.ts";
import { claimFinal, dropFinal, isClaimed, noteLease, releaseFinal } from "./claims.ts";
import { countDelivery } from "./counts.ts";
import { reserveCredit, returnCredit, spendCredit } from "./credit.ts";
import type { FinalJob, FinalMessage } from "./finals.ts";
import { type FoundOriginal, readOriginal } from "./original.ts";
import type { OpenedDelivery } from "./records.ts";
import { isOneEncoding, type Made, makeDraft, makeFinal } from "./render.ts";
import { findResult, putResult, type ResultFacts, type StoredResult } from "./results.ts";
import type { Located } from "./sources.ts";

/** An address that was admitted. */
export interface Order {
  readonly delivery: OpenedDelivery;
  readonly located: Located;
  /** The source in plain text. */
  readonly source: string;
  readonly canonical: Canonical;
  /** The name of the result's object. */
  readonly key: string;
  /** A draft will not do. */
  readonly needsFinal: boolean;
}

export interface ServePorts {
  readonly env: Env;
  readonly settings: Settings;
  readonly street: Street;
  readonly defer: (work: Promise<unknown>) => void;
  readonly stopwatch?: Stopwatch;
}

export interface Picture {
  readonly body: ReadableStream<Uint8Array> | Uint8Array;
  readonly facts: ResultFacts;
  readonly cache: "stored" | "miss";
}

/** Work of this isolate, by what it makes. */
const running = new Map<string, Promise<Made>>();

/** @throws ApiError 402, 404, 413, 415, 422, 502, 503 or 504 */
export async function serve(ports: ServePorts, order: Order): Promise<Picture> {
  const { env, defer } = ports;
  const { delivery, key } = order;
  const stored = await findResult(env.BUCKET, key);
  if (stored && isUsable(order, stored)) {
    if (stored.facts.checkedAt + delivery.ttl * 1_000 <= Date.now()) return renewed(ports, order, stored);
    countDelivery(env.DB, delivery, { storedHits: 1 }, defer);
    return { body: await bodyOf(ports, order, stored), facts: stored.facts, cache: "stored" };
  }
  await stored?.object.body.cancel();
  return { ...(await madeOnce(ports, order)), cache: "miss" };
}

function isUsable({ delivery, needsFinal }: Order, { facts }: StoredResult): boolean {
  return facts.madeAt >= delivery.purgedAt && (!needsFinal || facts.rendition === "final");
}

/** The bytes of a result; one that is asked for after a long time is marked, so that the sweep leaves it. */
async function bodyOf({ env, defer }: ServePorts, { key }: Order, stored: StoredResult): Promise<Picture["body"]> {
  const { object, facts } = stored;
  if (object.uploaded.getTime() + RESULT_MARK_MS > Date.now()) return object.body;
  const bytes = new Uint8Array(await object.arrayBuffer());
  defer(putResult(env.BUCKET, key, bytes, facts));
  return bytes;
}

/** After its time a result is good for as long again if its original is what it was. */
async function renewed(ports: ServePorts, order: Order, stored: StoredResult): Promise<Picture> {
  const { env, defer } = ports;
  const { delivery, key } = order;
  const { facts, object } = stored;
  const bytes = new Uint8Array(await object.arrayBuffer());
  const asIs = { body: bytes, facts, cache: "stored" } as const;
  const now = Date.now();
  let found: FoundOriginal | null;
  try {
    found = await readOriginal(originPorts(ports, delivery), order.located, facts.validators);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      await env.BUCKET.delete(key);
      throw error;
    }
    if (now < facts.checkedAt + delivery.ttl * 1_000 + FAILING_ORIGIN_MS) return asIs;
    throw error;
  }
  if (found && (await hashOf(found.original.bytes)) !== facts.originalHash) {
    return { ...(await madeOnce(ports, order, found)), cache: "miss" };
  }
  found?.original.memory.release();
  const checked = { ...facts, checkedAt: now, ...(found && { validators: found.validators }) };
  defer(putResult(env.BUCKET, key, bytes, checked));
  countDelivery(env.DB, delivery, { storedHits: 1 }, defer);
  return { ...asIs, facts: checked };
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes as Uint8Array<ArrayBuffer>)).toHex();
}

function originPorts({ env, settings }: ServePorts, { accountId }: OpenedDelivery) {
  return { env, settings, accountId };
}

/** Equal misses at the same moment share one piece of work. */
async function madeOnce(ports: ServePorts, order: Order, found?: FoundOriginal): Promise<Omit<Picture, "cache">> {
  const isFinal = finalAtOnce(order);
  const name = `${isFinal ? "final" : "draft"} ${order.key}`;
  const known = running.get(name);
  if (known) {
    found?.original.memory.release();
    const { bytes, facts } = await patiently(known, name);
    return { body: bytes, facts };
  }
  if (running.size >= MAX_DELIVERY_WORK) {
    found?.original.memory.release();
    throw new ApiError(503, "Too many results are being made right now");
  }
  const work = isFinal ? finalOf(ports, order, found) : draftOf(ports, order, found);
  running.set(name, work);
  const forget = () => void (running.get(name) === work && running.delete(name));
  work.then(forget, forget);
  const { bytes, facts } = await work;
  return { body: bytes, facts };
}

/** Work of another request may end with it, without a word: nobody waits for that for ever. */
async function patiently(work: Promise<Made>, name: string): Promise<Made> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    if (running.get(name) === work) running.delete(name);
    reject(new ApiError(503, "The result is still being made"));
  }, SHARED_WAIT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function finalAtOnce({ needsFinal, delivery, canonical }: Order): boolean {
  return needsFinal || !delivery.refine || isOneEncoding(canonical.processing);
}

/** Reserves the credit of a final that was claimed; without one nobody makes it. */
async function reserved({ env }: ServePorts, { delivery, key }: Order): Promise<number> {
  try {
    const lease = await reserveCredit(env, delivery.accountId, delivery.creditsTotal);
    await noteLease(env.DB, key, lease);
    return lease;
  } catch (error) {
    await dropFinal(env.DB, key);
    throw error;
  }
}

function claimOf({ delivery, source, canonical, key }: Order) {
  const { accountId, id: deliveryId } = delivery;
  const { processing, accept } = canonical;
  const job: FinalJob = { accountId, processing, accept, source };
  return { key, deliveryId, job: JSON.stringify(job) };
}

/** A draft, and the word to the queue that its final is wanted. */
async function draftOf(ports: ServePorts, order: Order, found?: FoundOriginal): Promise<Made> {
  const { env, defer } = ports;
  const { key, delivery } = order;
  const isOurs = await claimed(ports, order, found);
  const ready = isOurs ? await madeMeanwhile(ports, order, found) : undefined;
  if (ready) return ready;
  const lease = isOurs ? await givenBackOnFailure(found, reserved(ports, order)) : undefined;
  try {
    const made = await makeDraft(ports, renderingOf(order), found ?? (await read(ports, order)));
    countDelivery(env.DB, delivery, { drafts: 1 }, defer);
    if (lease === undefined) return made;
    await putResult(env.BUCKET, key, made.bytes, made.facts);
    await releaseFinal(env.DB, key, Date.now());
    defer(announced(env, key));
    return made;
  } catch (error) {
    if (lease !== undefined) await abandoned(ports, order, lease);
    throw error;
  }
}

/** Losing the message costs time, not the final: the sweep sends it again. */
async function announced(env: Env, key: string): Promise<void> {
  try {
    await env.QUEUE.send({ kind: "final", id: key } satisfies FinalMessage);
  } catch (error) {
    logLine("error", { event: "final not announced", causes: causesOf(error) });
  }
}

/** What was kept between the look into the bucket and the claim: then there is nothing to be made. */
async function madeMeanwhile(ports: ServePorts, order: Order, found?: FoundOriginal): Promise<Made | undefined> {
  const stored = await givenBackOnFailure(found, findResult(ports.env.BUCKET, order.key));
  if (!stored) return undefined;
  const { facts, object } = stored;
  const isNew = facts.checkedAt + order.delivery.ttl * 1_000 > Date.now() && isUsable(order, stored);
  if (!isNew) {
    await object.body.cancel();
    return undefined;
  }
  found?.original.memory.release();
  const bytes = new Uint8Array(await object.arrayBuffer());
  await dropFinal(ports.env.DB, order.key);
  return { bytes, facts };
}

async function claimed(ports: ServePorts, order: Order, found: FoundOriginal | undefined): Promise<boolean> {
  return givenBackOnFailure(found, claimFinal(ports.env.DB, claimOf(order), Date.now()));
}

/** The memory of an original that will not be worked on. */
async function givenBackOnFailure<Result>(found: FoundOriginal | undefined, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    found?.original.memory.release();
    throw error;
  }
}

async function abandoned({ env }: ServePorts, { key, delivery }: Order, lease: number): Promise<void> {
  await dropFinal(env.DB, key);
  await returnCredit(env, delivery.accountId, lease);
}

/** The final, made here, or elsewhere and waited for. */
async function finalOf(ports: ServePorts, order: Order, found?: FoundOriginal): Promise<Made> {
  const { env, defer } = ports;
  const { key, delivery } = order;
  const giveUpAt = Date.now() + FINAL_WAIT_MS;
  while (!(await claimed(ports, order, found))) {
    const elsewhere = await givenBackOnFailure(found, awaited(ports, order, giveUpAt));
    if (!elsewhere) continue;
    found?.original.memory.release();
    return elsewhere;
  }
  const ready = await madeMeanwhile(ports, order, found);
  if (ready) return ready;
  const lease = await givenBackOnFailure(found, reserved(ports, order));
  try {
    const made = await makeFinal(ports, renderingOf(order), found ?? (await read(ports, order)));
    await putResult(env.BUCKET, key, made.bytes, made.facts);
    await dropFinal(env.DB, key);
    defer(spendCredit(env, delivery.accountId, lease));
    countDelivery(env.DB, delivery, { finals: 1 }, defer);
    return made;
  } catch (error) {
    await abandoned(ports, order, lease);
    throw error;
  }
}

/**
 * The final that somebody else makes; undefined when that has ended without one.
 * @throws ApiError 503 when it takes too long
 */
async function awaited({ env }: ServePorts, order: Order, giveUpAt: number): Promise<Made | undefined> {
  do {
    const stored = await findResult(env.BUCKET, order.key);
    if (stored && isUsable({ ...order, needsFinal: true }, stored)) {
      return { bytes: new Uint8Array(await stored.object.arrayBuffer()), facts: stored.facts };
    }
    await stored?.object.body.cancel();
    if (!(await isClaimed(env.DB, order.key))) return undefined;
    await scheduler.wait(FINAL_LOOK_MS);
  } while (Date.now() < giveUpAt);
  throw new ApiError(503, "The result is still being made");
}

async function read(ports: ServePorts, { delivery, located }: Order): Promise<FoundOriginal> {
  const found = await readOriginal(originPorts(ports, delivery), located);
  if (!found) throw new Error("An original was found unchanged that nobody knew");
  return found;
}

function renderingOf({ delivery, canonical }: Order) {
  const { processing, accept } = canonical;
  return { accountId: delivery.accountId, processing, accept };
}
