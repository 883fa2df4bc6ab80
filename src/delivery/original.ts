/** Originals as deliveries read them: from the web inside a prefix, or from the operator's bucket; unchanged ones not again. */
import { ApiError } from "../errors.ts";
import { baseName } from "../files.ts";
import { FETCH_TIMEOUT_MS, MAX_SOURCE_BYTES } from "../limits.ts";
import { REFUSAL_CACHE_SECONDS } from "../limits/delivery.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { readStored } from "../scheduler/stored.ts";
import { deadlineIn } from "../source/deadline.ts";
import type { Original } from "../source/original.ts";
import { OriginError, readRemoteIfChanged, type Target, type Terms } from "../source/remote.ts";
import { conditionsOf, type Validators, validatorsOf } from "../source/validators.ts";
import { type Caching, shortHashOf } from "./results.ts";
import type { Located } from "./sources.ts";
import { type OriginalPorts, storeRequest } from "./store.ts";

/** An original, with what tells it from later ones. */
export interface FoundOriginal {
  readonly original: Original;
  readonly validators: Validators;
  /** The moment before its origin was asked, milliseconds since 1970: what is purged later may be another one. */
  readonly readAt: number;
  /** The first half of the SHA-256 of its bytes, in hex. */
  readonly hash: string;
  /** What its origin lets caches do with it; absent: anything. */
  readonly caching?: Caching;
}

/** An original as it comes from where it lies. */
type Read = Omit<FoundOriginal, "readAt" | "hash">;

/**
 * Reads an original; null when `known` says that there is nothing new.
 * @throws ApiError 404 when it does not exist, 413, 502 when its origin refuses or fails, 503 without room in time, 504 when it is
 *   too slow
 */
export async function readOriginal(
  ports: OriginalPorts,
  located: Located,
  known: Validators = {},
): Promise<FoundOriginal | null> {
  const readAt = Date.now();
  const read = await readKind(ports, located, known).catch((error: unknown) => {
    throw publicError(error);
  });
  return read && { ...read, readAt, hash: await shortHashOf(read.original.bytes) };
}

async function readKind(ports: OriginalPorts, located: Located, known: Validators): Promise<Read | null> {
  switch (located.kind) {
    case "bucket":
      return readBucket(ports, located.key, known);
    case "store":
      return readStore(ports, located, known);
    case "web":
      return readWeb(ports, located, known);
  }
}

/** What a `Cache-Control` (RFC 9111, section 5.2.2) forbids; directives about some headers alone forbid nothing. */
function cachingOf(header: string | null | undefined): Caching | undefined {
  const directives = (header ?? "").split(",").map((directive) => directive.trim().toLowerCase());
  if (directives.includes("no-store")) return "no-store";
  return directives.includes("private") ? "private" : undefined;
}

async function readWeb(
  ports: OriginalPorts,
  { url, contains }: Extract<Located, { kind: "web" }>,
  known: Validators,
): Promise<Read | null> {
  return readTarget({ url, headers: conditionsOf(known) }, ports, contains);
}

/** A store whose token is no good any more is asked with a new one, once. */
async function readStore(
  ports: OriginalPorts,
  { connector, key }: Extract<Located, { kind: "store" }>,
  known: Validators,
): Promise<Read | null> {
  const ask = async () => {
    const { url, headers, isOpen, forget } = await storeRequest(ports, connector, key);
    if (isOpen) for (const [name, value] of conditionsOf(known)) headers.set(name, value);
    // A store's redirects are refusals: what was signed goes nowhere else.
    const reading = readTarget({ url: new URL(url), headers }, ports, () => false);
    return { reading, forget };
  };
  const { reading, forget } = await ask();
  try {
    return await reading;
  } catch (error) {
    if (!forget || !(error instanceof OriginError) || error.trouble !== 401) throw error;
    forget();
    return await (
      await ask()
    ).reading;
  }
}

async function readTarget(
  target: Target,
  { settings, caller }: OriginalPorts,
  follows: (url: URL) => boolean,
): Promise<Read | null> {
  const { serviceName, allowPrivateOrigins } = settings;
  const deadline = deadlineIn(FETCH_TIMEOUT_MS);
  const guards = { serviceName, allowPrivateOrigins, follows, deadline, caller };
  const terms: Terms = { ...guards, maxBytes: MAX_SOURCE_BYTES, memory: isolateBudget };
  try {
    const remote = await readRemoteIfChanged(target, terms);
    if (!remote) return null;
    const caching = cachingOf(remote.headers.get("cache-control"));
    return { original: remote, validators: validatorsOf(remote.headers), ...(caching && { caching }) };
  } finally {
    deadline.clear();
  }
}

/** The bucket that the operator has bound. */
async function readBucket({ env, caller }: OriginalPorts, key: string, { etag }: Validators): Promise<Read | null> {
  const { ORIGINALS: bucket } = env as { readonly ORIGINALS?: R2Bucket };
  if (!bucket) throw new ApiError(502, "The origin refused or failed");
  const object = await bucket.get(key, etag === undefined ? {} : { onlyIf: { etagDoesNotMatch: etag } });
  if (object === null) throw missingOriginal();
  if (!("body" in object)) return null;
  if (object.size > MAX_SOURCE_BYTES) {
    void object.body.cancel().catch(() => undefined);
    throw new ApiError(413, `Image exceeds the maximum size of ${MAX_SOURCE_BYTES} bytes`);
  }
  const caching = cachingOf(object.httpMetadata?.cacheControl);
  const held = await readStored(object, isolateBudget, caller);
  return {
    original: { ...held, name: baseName(key) },
    validators: { etag: object.etag },
    ...(caching && { caching }),
  };
}

/** An original that is not there, which may be remembered for a minute. */
function missingOriginal(cause?: unknown): ApiError {
  const headers = { "Cache-Control": `public, max-age=${REFUSAL_CACHE_SECONDS}` };
  return new ApiError(404, "The original does not exist", { cause, headers });
}

/** What a page's visitor is told of an origin: whose turn it is, nothing of what was said. */
function publicError(error: unknown): unknown {
  if (!(error instanceof OriginError)) return error;
  if (error.trouble === 404 || error.trouble === 410) return missingOriginal(error);
  if (error.trouble === "late") return new ApiError(504, "The origin took too long", { cause: error });
  return new ApiError(502, "The origin refused or failed", { cause: error });
}
