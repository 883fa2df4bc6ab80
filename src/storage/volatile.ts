/**
 * Volatile storage: results under a public, unguessable URL that ends after a while.
 *
 * The URL is `{base}/temp/<uuid>/<name>`, the key in the bucket `temp/<expiry, unix seconds>/<uuid>/<name>`. The expiry
 * is part of the uuid, so a URL leads to its key, or to nothing, without asking anybody; and keys are listed in the
 * order in which they expire, so a sweep reads what is due and stops at the first that is not.
 */
import { ApiError } from "../errors.ts";
import { baseName, type Encoded } from "../files.ts";
import { MAX_SWEEP_OBJECTS, MAX_TEMPORARY_TTL_SECONDS } from "../limits.ts";
import { expiryIn, uuidWith } from "./expiring-uuid.ts";
import { serveObject } from "./serve.ts";

/** Where results live and how long. */
export interface Lease {
  /** The public address of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly ttlSeconds: number;
}

const PREFIX = "temp/";
/** Digits of an expiry in a key, so that keys sort by it: enough until the year 2286. */
const EXPIRY_DIGITS = 10;
/** Clocks of two machines differ; a URL that was just made must not seem too far ahead. */
const CLOCK_SKEW_SECONDS = 60;
/** Most keys that R2 lists or deletes at once. */
const BATCH_KEYS = 1_000;
const PATH = /^\/temp\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/([^/]+)\/?$/i;

/**
 * Puts a result where its URL serves it until it expires.
 * @param now milliseconds since 1970
 */
export async function keepTemporarily(
  bucket: R2Bucket,
  lease: Lease,
  { bytes, mime, name: given }: Encoded,
  now: number,
): Promise<{ url: string; expires_at: string }> {
  const expiry = Math.floor(now / 1_000) + lease.ttlSeconds;
  const uuid = uuidWith(expiry);
  const name = baseName(given) || "image";
  const key = keyOf(expiry, uuid, name);
  const stored = await bucket.put(key, bytes, { httpMetadata: { contentType: mime } });
  if (stored.size !== bytes.length) {
    await bucket.delete(key);
    throw new Error("The result was not stored whole");
  }
  const url = `${lease.baseUrl}/temp/${uuid}/${encodeURIComponent(name)}`;
  return { url, expires_at: new Date(expiry * 1_000).toISOString() };
}

/**
 * Answers a request for such a URL: GET and HEAD, conditions, one range.
 * @param now milliseconds since 1970
 * @throws ApiError 404 for what is not there, or no longer; 405 for another method
 */
export async function serveTemporary(request: Request, bucket: R2Bucket, now: number): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new ApiError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  }
  const found = locate(new URL(request.url).pathname, now / 1_000);
  const response = found && (await serveObject(request, bucket, found));
  if (!response) throw new ApiError(404, "Resource not found");
  return response;
}

/**
 * When a result in volatile storage ends.
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970; undefined when the URL is another one
 */
export function temporaryEnd(url: string, now: number): number | undefined {
  const found = locate(new URL(url).pathname, now / 1_000);
  return found && now + found.remaining * 1_000;
}

/** Whether such a URL still leads to its result. */
export async function hasTemporary(bucket: R2Bucket, url: string, now: number): Promise<boolean> {
  const found = locate(new URL(url).pathname, now / 1_000);
  return found !== undefined && (await bucket.head(found.key)) !== null;
}

/**
 * A result by its URL, for ourselves.
 * @param now milliseconds since 1970
 */
export async function readTemporary(bucket: R2Bucket, url: string, now: number): Promise<R2ObjectBody | null> {
  const found = locate(new URL(url).pathname, now / 1_000);
  return found ? bucket.get(found.key) : null;
}

/**
 * Deletes a result by its URL before its time.
 * @param now milliseconds since 1970
 */
export async function removeTemporary(bucket: R2Bucket, url: string, now: number): Promise<void> {
  const found = locate(new URL(url).pathname, now / 1_000);
  if (found) await bucket.delete(found.key);
}

/** @param seconds since 1970 */
function locate(path: string, seconds: number): { key: string; name: string; remaining: number } | undefined {
  const [, uuid, segment] = PATH.exec(path) ?? [];
  if (uuid === undefined || segment === undefined) return undefined;
  const expiry = expiryIn(uuid);
  const remaining = Math.floor(expiry - seconds);
  // A uuid that is not ours expires at a random time: nearly all of them end here, without a look into the bucket.
  if (seconds >= expiry || remaining > MAX_TEMPORARY_TTL_SECONDS + CLOCK_SKEW_SECONDS) return undefined;
  const name = decoded(segment);
  if (name === undefined || name !== baseName(name)) return undefined;
  return { key: keyOf(expiry, uuid.toLowerCase(), name), name, remaining };
}

/**
 * Deletes what has expired, oldest first. Doing it twice or stopping half-way does no harm: the next sweep goes on.
 * @param now milliseconds since 1970
 * @param budget objects at most
 * @returns how many were deleted, and whether more are due
 */
export async function sweepTemporary(
  bucket: R2Bucket,
  now: number,
  budget = MAX_SWEEP_OBJECTS,
): Promise<{ deleted: number; more: boolean }> {
  let deleted = 0;
  for (;;) {
    const { objects } = await bucket.list({ prefix: PREFIX, limit: BATCH_KEYS });
    const due = objects.map(({ key }) => key).filter((key) => isDue(key, now / 1_000));
    const batch = due.slice(0, budget - deleted);
    if (batch.length > 0) await bucket.delete(batch);
    deleted += batch.length;
    if (batch.length < due.length) return { deleted, more: true };
    if (due.length < objects.length || objects.length === 0) return { deleted, more: false };
  }
}

/** A key under the prefix that none of ours could be is due at once. */
function isDue(key: string, seconds: number): boolean {
  const expiry = Number(key.slice(PREFIX.length, PREFIX.length + EXPIRY_DIGITS));
  return Number.isNaN(expiry) || expiry <= seconds;
}

function keyOf(expiry: number, uuid: string, name: string): string {
  return `${PREFIX}${String(expiry).padStart(EXPIRY_DIGITS, "0")}/${uuid}/${name}`;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
