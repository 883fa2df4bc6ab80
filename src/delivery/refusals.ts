/**
 * What originals could not give, remembered in the isolate for a while: an original that is not there, or is no picture,
 * is neither fetched nor decoded for every view of it. A purge moves the delivery's edition on, and with it the names here.
 */
import { ApiError } from "../errors.ts";
import { MAX_CACHED_REFUSALS, REFUSAL_CACHE_SECONDS } from "../limits/delivery.ts";
import { Recent } from "../recent.ts";
import type { ErrorStatus } from "../refusal-reasons.ts";
import type { Order } from "./order.ts";

interface Refusal {
  readonly status: ErrorStatus;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** By what is true of them: of an original whatever is asked of it, or of one request alone. */
const refusals = new Recent<Refusal>(MAX_CACHED_REFUSALS);

const OF_ORIGINALS: readonly ErrorStatus[] = [404, 413, 415];
/** A decoder that stops at damage, and an operation that does not fit this picture. */
const OF_REQUESTS: readonly ErrorStatus[] = [422];

/**
 * Does something with an original, unless that was refused a moment ago.
 * @throws ApiError what the work is refused with, or was
 */
export async function unlessRefused<Result>(order: Order, work: () => Promise<Result>): Promise<Result> {
  const { original, request } = namesOf(order);
  const known = [original, request].map((name) => refusals.get(name)).find((one) => one && one.until > order.askedAt);
  if (known) throw new ApiError(known.status, known.message, { headers: known.headers });
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, plainMessage, headers, reason, cause } = error;
    const shown = new ApiError(status, plainMessage, { headers, cause, ...(reason && { reason }) });
    note(order, shown);
    throw shown;
  }
}

function note(order: Order, { status, message, headers }: ApiError): void {
  const { original, request } = namesOf(order);
  const refusal = { status, message, headers, until: Date.now() + REFUSAL_CACHE_SECONDS * 1_000 };
  if (OF_ORIGINALS.includes(status)) refusals.set(original, refusal);
  else if (OF_REQUESTS.includes(status)) refusals.set(request, refusal);
}

function namesOf({ delivery, key }: Order): { readonly original: string; readonly request: string } {
  const request = `${delivery.edition} ${key}`;
  return { original: request.slice(0, request.lastIndexOf("/")), request };
}
