/** Where the image of a fetch comes from: a URL, or somebody's profile. */
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { FETCH_TIMEOUT_MS } from "../limits.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { Memory } from "../scheduler/held-bytes.ts";
import { deadlineIn } from "./deadline.ts";
import type { Original } from "./original.ts";
import { profileTarget } from "./profile.ts";
import { readRemote, readRemoteIfChanged, type Remote, type Target, type Terms } from "./remote.ts";
import { conditionsOf, type Validators } from "./validators.ts";

/** Headers of one connection (RFC 9110 section 7.6.1), and those that the runtime must write itself. */
const FORBIDDEN = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const CONDITIONS = ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"];

/** What a caller asks to be fetched. */
export interface Wanted {
  /** An http or https URL, or `<platform>:<user>`. */
  readonly url: string;
  /** Sent with the call, to the origin of `url` only. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How a call may end early, and where room for the image is set aside. */
export interface Bounds {
  readonly timeoutMs?: number;
  readonly memory?: Memory;
  readonly signal?: AbortSignal | undefined;
  /** Who waits for room. */
  readonly caller?: Caller | undefined;
}

/**
 * Fetches the image that a caller named.
 * @throws ApiError 413 for more than `maxBytes`; 422 when the URL or a header breaks a rule, or the origin refuses, is
 *   not reachable, or takes longer than `timeoutMs` altogether, or the signal is aborted; 503 when `memory` has no room for the image
 */
export function readOrigin(
  wanted: Wanted,
  settings: Settings,
  maxBytes: number,
  bounds: Bounds = {},
): Promise<Original> {
  return withTarget(wanted, settings, { maxBytes, ...bounds }, readRemote);
}

/**
 * Fetches the image that a caller named, unless it is the one that is known; then null. A caller who makes conditions of
 * its own gets what it asks for.
 * @throws ApiError as `readOrigin` does
 */
export function readOriginIfChanged(
  wanted: Wanted,
  settings: Settings,
  known: Validators,
  bounds: Bounds & { readonly maxBytes: number },
): Promise<Remote | null> {
  return withTarget(wanted, settings, bounds, async (target, terms) => {
    if (CONDITIONS.some((name) => target.headers.has(name))) return readRemote(target, terms);
    const conditions = conditionsOf(known);
    for (const [name, value] of conditions) target.headers.set(name, value);
    return [...conditions].length > 0 ? readRemoteIfChanged(target, terms) : readRemote(target, terms);
  });
}

/** Finds out what is to be called, and calls it, before the time is over. */
async function withTarget<Found>(
  wanted: Wanted,
  settings: Settings,
  {
    maxBytes,
    timeoutMs = FETCH_TIMEOUT_MS,
    memory = isolateBudget,
    signal: given,
    caller,
  }: Bounds & { maxBytes: number },
  read: (target: Target, terms: Terms) => Promise<Found>,
): Promise<Found> {
  const deadline = deadlineIn(timeoutMs, given);
  const { serviceName, allowPrivateOrigins } = settings;
  const terms = { serviceName, allowPrivateOrigins, maxBytes, memory, deadline, caller };
  try {
    const target = urlTarget(wanted) ?? (await profileTarget(wanted.url, settings, terms));
    return await read(target, terms);
  } finally {
    deadline.clear();
  }
}

function urlTarget({ url, headers }: Wanted): Target | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) return undefined;
  return { url: parsed, headers: permitted(headers, parsed) };
}

/** @throws ApiError 422 naming the header that may not be set */
function permitted(given: Readonly<Record<string, string>>, url: URL): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (FORBIDDEN.has(lower)) throw new ApiError(422, `headers.${lower} must not be set`);
    // The runtime takes it from the URL; better said than silently another host's picture.
    if (lower === "host" && value.trim().toLowerCase() !== url.host) {
      throw new ApiError(422, "headers.host must be the host of url");
    }
    if (lower === "host") continue;
    try {
      headers.append(name, value);
    } catch {
      throw new ApiError(422, "headers must be an object of header names and values");
    }
  }
  return headers;
}
