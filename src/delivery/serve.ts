/** An address answered: from the bucket while its time lasts, or by work. */
import { ApiError } from "../errors.ts";
import { FAILING_ORIGIN_MS, MAX_CHECKED_RESULTS, RESULT_MARK_MS } from "../limits/delivery.ts";
import { Recent } from "../recent.ts";
import { refuseAnonymousClient } from "./hourly.ts";
import { type Kept, madeOnce } from "./making.ts";
import { isUsable, type Order, type ServePorts } from "./order.ts";
import { type FoundOriginal, readOriginal } from "./original.ts";
import { unlessRefused } from "./refusals.ts";
import { markResult, type ResultFacts, type StoredResult } from "./results.ts";
import { refuseBeyondBudget } from "./spent-budgets.ts";

export interface Picture {
  /** Absent: it lies in the bucket. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | undefined;
  readonly facts: ResultFacts;
  readonly cache: "stored" | "miss";
  /** Puts a draft into the bucket, for who reads slowly, and says under which name; absent: the result is there. */
  readonly putAside?: (() => Promise<string>) | undefined;
}

/** @throws ApiError 402, 404, 413, 415, 422, 429, 502, 503 or 504 */
export async function serve(ports: ServePorts, order: Order): Promise<Picture> {
  const { env, ahead } = ports;
  const { delivery, key, askedAt } = order;
  const stored = await ahead.find(env.BUCKET, key).then(asChecked(key));
  if (stored && isUsable(order, stored.facts)) {
    if (stored.facts.checkedAt + delivery.ttl * 1_000 <= askedAt) return renewed(ports, order, stored);
    return { body: bodyOf(ports, order, stored), facts: stored.facts, cache: "stored" };
  }
  await stored?.object.body.cancel();
  refuseAnonymousClient(order);
  refuseBeyondBudget(order);
  return pictureOf(await unlessRefused(order, () => madeOnce(ports, order)));
}

/** When this isolate has found originals of results unchanged, milliseconds since 1970: nothing is written for that. */
const checked = new Recent<{ readonly originalHash: string; readonly at: number }>(MAX_CHECKED_RESULTS);

/** A result with what this isolate knows of its original. */
function asChecked(key: string): (stored: StoredResult | undefined) => StoredResult | undefined {
  return (stored) => {
    const known = checked.get(key);
    if (!stored || known?.originalHash !== stored.facts.originalHash) return stored;
    return { ...stored, facts: { ...stored.facts, checkedAt: Math.max(known.at, stored.facts.checkedAt) } };
  };
}

function pictureOf({ bytes, facts, putAside }: Kept): Picture {
  return { body: bytes, facts, cache: "miss", putAside };
}

/** The bytes of a result; one that is asked for after a long time is marked, so that the sweep leaves it. */
function bodyOf({ env, defer }: ServePorts, { key }: Order, stored: StoredResult): Picture["body"] {
  if (isOld(stored)) defer(markResult(env, key, stored.facts));
  return stored.object.body;
}

function isOld({ object }: StoredResult): boolean {
  return object.uploaded.getTime() + RESULT_MARK_MS <= Date.now();
}

/** After its time a result is good for as long again if its original is what it was; nothing is written for that. */
async function renewed(ports: ServePorts, order: Order, stored: StoredResult): Promise<Picture> {
  const { env, settings, defer, caller } = ports;
  const { delivery, key, located, askedAt } = order;
  const { facts, object } = stored;
  const asIs = { body: object.body, facts, cache: "stored" } as const;
  let original: FoundOriginal | null;
  try {
    original = await unlessRefused(order, () =>
      readOriginal({ env, settings, ...delivery, caller }, located, facts.validators),
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) await env.BUCKET.delete(key);
    else if (askedAt < facts.checkedAt + delivery.ttl * 1_000 + FAILING_ORIGIN_MS) return asIs;
    await object.body.cancel();
    throw error;
  }
  if (original && original.hash !== facts.originalHash) {
    const changed = original;
    await object.body.cancel();
    // It was not an anonymous client who changed it: this is none of what anonymous clients have made within an hour.
    const owned = { ...order, isUnsigned: false };
    return pictureOf(await unlessRefused(order, () => madeOnce(ports, owned, changed)));
  }
  original?.original.memory.release();
  const now = { ...(original ? toldBy(original, facts) : facts), checkedAt: askedAt };
  checked.set(key, { originalHash: facts.originalHash, at: askedAt });
  // What the origin calls the same bytes now has to be known, or they would be read whole every time.
  if (original || isOld(stored)) defer(markResult(env, key, now));
  return { ...asIs, facts: now };
}

/** The facts of a result with what its origin says now. */
function toldBy({ validators, caching }: FoundOriginal, facts: ResultFacts): ResultFacts {
  const { caching: _, ...others } = facts;
  return { ...others, validators, ...(caching && { caching }) };
}
