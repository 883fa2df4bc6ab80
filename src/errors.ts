/** What is thrown on purpose: refusals and outages, with what their answers say. */
import { OUTAGE_RETRY_SECONDS } from "./limits/accounts.ts";
import type { ErrorStatus, Reason } from "./refusal-reasons.ts";

export interface ApiErrorOptions {
  /** The private reason: logged, never sent. */
  readonly cause?: unknown;
  /** Further headers of the answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What monitors count it as; absent: the usual reason of its status. */
  readonly reason?: Reason;
  /** What a caller may change in the body of the request so that it succeeds; the message ends with it. */
  readonly hint?: string;
  /** The answer is the message alone, as plain text. */
  readonly isText?: boolean;
}

/**
 * The only error thrown on purpose. `message` is public and final: it names the member and the rule, never a value
 * that was received, a credential, or anything an origin said.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: ErrorStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: Reason | undefined;
  /** The message for requests that have no body: without the hint. */
  readonly plainMessage: string;
  readonly isText: boolean;

  constructor(status: ErrorStatus, message: string, options: ApiErrorOptions = {}) {
    super(options.hint ? `${message}; ${options.hint}` : message, { cause: options.cause });
    this.plainMessage = message;
    this.status = status;
    this.headers = options.headers ?? {};
    this.reason = options.reason;
    this.isText = options.isText ?? false;
  }
}

/** A piece of the platform does not answer: whoever asks again after a while finds it back. */
export function outage(message: string, cause: unknown): ApiError {
  return new ApiError(503, message, {
    cause,
    headers: { "Retry-After": String(OUTAGE_RETRY_SECONDS) },
    reason: "outage",
  });
}

/**
 * A name that a caller gave, for a message: shown when it looks like a name, so that an address cannot carry other text out.
 * @param otherwise what stands in its place
 */
export function nameToShow(given: string, otherwise: string): string {
  return /^[\w-]{1,32}$/.test(given) ? given : otherwise;
}
