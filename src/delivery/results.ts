/**
 * Results as objects of the bucket: `derived/<delivery>/<original>/<request>`. The names are hashes, so that no part of an
 * address can leave its place, and everything of an original, or of a delivery, lies under one prefix.
 */

import type { Looks } from "../image/search/second-opinion.ts";
import { RESULT_SWEEP_MS } from "../limits/delivery.ts";
import { percentDecoded } from "../percent.ts";
import type { Validators } from "../source/validators.ts";
import { isDue, rest } from "../storage/rests.ts";
import { isPurgedSince } from "./purges.ts";
import { noteTwin, type TwinName, twinOf } from "./twin-rows.ts";

const PREFIX = "derived/";
/** Hexadecimal digits of a hash in a name: 128 bits. */
const HASH_CHARACTERS = 32;
/** Most keys that R2 lists or deletes at once. */
const BATCH_KEYS = 1_000;

/** Where everything of a delivery lies. */
export function deliveryPrefix(delivery: string): string {
  return `${PREFIX}${delivery}/`;
}

/** Where everything of an original lies; the last segment names the original. */
export async function originalPrefix(delivery: string, identity: string): Promise<string> {
  return `${deliveryPrefix(delivery)}${await shortHash(identity)}/`;
}

/** The first half of the SHA-256 of a text, in hex. */
export async function shortHash(text: string): Promise<string> {
  return shortHashOf(new TextEncoder().encode(text));
}

/** The first half of the SHA-256 of bytes, in hex. */
export async function shortHashOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return new Uint8Array(digest).toHex().slice(0, HASH_CHARACTERS);
}

/** The names of a delivery, of an original and of a request in the name of a result. */
function partsOf(key: string): { readonly delivery: string; readonly original: string; readonly request: string } {
  const [, delivery = "", original = "", request = ""] = key.split("/");
  return { delivery, original, request };
}

/** What leads from the bytes of an original and a request to a final. */
function twinName(key: string, hash: string): TwinName {
  const { delivery, request } = partsOf(key);
  return { hash, request, delivery };
}

/** Where results lie, and what is known of them besides. */
export type Shelf = Pick<Env, "BUCKET" | "DB">;

/**
 * Deletes the objects under a prefix.
 * @param before milliseconds since 1970: only what was put earlier
 * @param batches of objects at most
 * @returns whether there may be more
 */
export async function forget(bucket: R2Bucket, prefix: string, before: number, batches: number): Promise<boolean> {
  let cursor: string | undefined;
  for (let batch = 0; batch < batches; batch++) {
    const page = await bucket.list({ prefix, limit: BATCH_KEYS, ...(cursor !== undefined && { cursor }) });
    const due = page.objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
    if (due.length > 0) await bucket.delete(due);
    if (!page.truncated) return false;
    ({ cursor } = page);
  }
  return true;
}

/** What is known of a result besides its bytes. */
export interface ResultFacts {
  readonly rendition: "draft" | "final";
  /** The moment before its original was asked for, and when that was last found unchanged, milliseconds since 1970. */
  readonly readAt: number;
  readonly checkedAt: number;
  readonly validators: Validators;
  /** What the original's origin lets caches do with it; absent: anything. */
  readonly caching?: Caching;
  /** The first half of the SHA-256 of the original's bytes, and the SHA-1 of the result's, in hex. */
  readonly originalHash: string;
  readonly hash: string;
  readonly mime: string;
  readonly name: string;
  readonly picture: PictureFacts;
}

/** What an origin's `Cache-Control` forbids: any copy, or those of caches that several people use. */
export type Caching = "no-store" | "private";

/** What `format=json` answers with. */
interface PictureFacts {
  readonly width: number;
  readonly height: number;
  readonly original: {
    readonly width: number;
    readonly height: number;
    readonly format: string;
    readonly bytes: number;
  };
  readonly bytes: number;
  readonly format: string;
  readonly score?: number;
  readonly looks?: Looks;
}

/** R2 keeps 2,048 bytes with an object; an origin that says more says it in vain. */
const MAX_VALIDATOR_CHARACTERS = 512;

/**
 * Keeps a result, unless its original was purged since it was asked for. A purge deletes what it finds after it can be seen
 * here: what is put meanwhile is found by one of the two.
 * @returns whether it was kept
 */
export async function putResult(
  { BUCKET: bucket, DB }: Shelf,
  key: string,
  bytes: Uint8Array | ReadableStream,
  facts: ResultFacts,
): Promise<boolean> {
  const isPurged = () => isPurgedSince(DB, partsOf(key), facts.readAt);
  if (await isPurged()) {
    if (bytes instanceof ReadableStream) await bytes.cancel();
    return false;
  }
  await bucket.put(key, bytes, {
    httpMetadata: { contentType: facts.mime },
    customMetadata: { facts: JSON.stringify(withShortNames(facts)) },
  });
  // What nobody knows to be good is not kept.
  const isBad = await isPurged().catch(async (error: unknown) => {
    await bucket.delete(key);
    throw error;
  });
  if (isBad) await bucket.delete(key);
  return !isBad;
}

/**
 * Keeps a final, which is found by the bytes of its original from then on. Where what leads there cannot be written, the
 * next address of the same bytes is made anew, and that is all.
 */
export async function putFinal(shelf: Shelf, key: string, bytes: Uint8Array, facts: ResultFacts): Promise<boolean> {
  const isKept = await putResult(shelf, key, bytes, facts);
  // A draft that was put aside has no reader to come; deleting costs nothing.
  const over = [shelf.BUCKET.delete(draftKey(key))];
  if (isKept) over.push(noteTwin(shelf.DB, twinName(key, facts.originalHash), key, Date.now()));
  await Promise.allSettled(over);
  return isKept;
}

/** Where a draft lies that somebody reads slowly: beside its final, which it never takes the place of. */
export function draftKey(key: string): string {
  return `${key}-draft`;
}

/**
 * The final of another address of the same bytes, for the same request; undefined where there is none. Whoever is given it
 * reads its body, or cancels it.
 * @param hash the first half of the SHA-256 of the original's bytes, in hex
 */
export async function findSameFinal(
  { BUCKET: bucket, DB }: Shelf,
  key: string,
  hash: string,
): Promise<StoredResult | undefined> {
  const other = await twinOf(DB, twinName(key, hash));
  if (other === undefined || other === key) return undefined;
  const stored = await findResult(bucket, other);
  if (stored?.facts.originalHash === hash && stored.facts.rendition === "final") return stored;
  await stored?.object.body.cancel();
  return undefined;
}

/** Puts a result once more, as new and with what is known of it now: from the bucket into the bucket, out of no memory. */
export async function markResult(shelf: Shelf, key: string, facts: ResultFacts): Promise<void> {
  const stored = await findSameResult(shelf.BUCKET, key, facts);
  if (stored) await putResult(shelf, key, stored.object.body, facts);
}

/** ASCII alone is safe in an object's metadata, and one name of a file is as good as another. */
function withShortNames(facts: ResultFacts): ResultFacts {
  const { etag, modified } = facts.validators;
  const isKept = (text: string | undefined) =>
    text !== undefined && text.length <= MAX_VALIDATOR_CHARACTERS && /^[ -~]*$/.test(text);
  return {
    ...facts,
    name: encodeURIComponent(facts.name).slice(-MAX_VALIDATOR_CHARACTERS),
    validators: { ...(etag && isKept(etag) && { etag }), ...(modified && isKept(modified) && { modified }) },
  };
}

export interface StoredResult {
  readonly facts: ResultFacts;
  readonly object: R2ObjectBody;
}

/** A result; undefined where there is none. Whoever is given it reads its body, or cancels it. */
export async function findResult(bucket: R2Bucket, key: string): Promise<StoredResult | undefined> {
  const object = await bucket.get(key);
  if (object === null) return undefined;
  const facts = factsOf(object);
  if (facts) return { facts, object };
  await object.body.cancel();
  return undefined;
}

/** A result that has not been replaced since these facts about it were read; undefined where it has, or is gone. */
export async function findSameResult(
  bucket: R2Bucket,
  key: string,
  facts: ResultFacts,
): Promise<StoredResult | undefined> {
  const stored = await findResult(bucket, key);
  if (stored?.facts.hash === facts.hash && stored.facts.rendition === facts.rendition) return stored;
  await stored?.object.body.cancel();
  return undefined;
}

function factsOf({ customMetadata }: R2Object): ResultFacts | undefined {
  const text = customMetadata?.["facts"];
  if (text === undefined) return undefined;
  // Earlier versions kept the moment at which encoding began.
  const { madeAt = 0, readAt = madeAt, ...facts } = JSON.parse(text) as KeptFacts;
  return { ...facts, readAt, name: decodedName(facts.name) };
}

/** Facts as objects carry them. */
type KeptFacts = Omit<ResultFacts, "readAt"> & { readonly readAt?: number; readonly madeAt?: number };

/** A name that was cut may end in half a letter. */
function decodedName(name: string): string {
  return percentDecoded(name) ?? name.replace(/%[\da-f]{0,2}/gi, "_");
}

/** The name of a result's object. */
export async function resultKey(delivery: string, identity: string, request: string): Promise<string> {
  return `${await originalPrefix(delivery, identity)}${await shortHash(request)}`;
}

/** What the clock calls results of deliveries. */
const PART = "derived";

const CURSOR_SQL = "SELECT key FROM delivery_sweep WHERE id = 1";
const MOVE_SQL =
  "INSERT INTO delivery_sweep (id, key) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET key = excluded.key";

/**
 * Deletes what nobody has asked for since, a page of a thousand a call; the next call goes on where this one ended, and
 * after the last page a while passes.
 * @param before milliseconds since 1970
 */
export async function sweepResults({ BUCKET: bucket, DB }: Shelf, before: number, now: number): Promise<void> {
  if (!(await isDue(DB, PART, now))) return;
  const startAfter = await DB.prepare(CURSOR_SQL).first<string>("key");
  const page = await bucket.list({ prefix: PREFIX, limit: BATCH_KEYS, ...(startAfter && { startAfter }) });
  const due = page.objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
  if (due.length > 0) await bucket.delete(due);
  const last = page.truncated ? (page.objects.at(-1)?.key ?? "") : "";
  if (last !== (startAfter ?? "")) await DB.prepare(MOVE_SQL).bind(last).run();
  if (last === "") await rest(DB, PART, now + RESULT_SWEEP_MS);
}
