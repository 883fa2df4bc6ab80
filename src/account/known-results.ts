/** Results that an account has, for requests that would have the same work done again. */

/** A result as it was answered, and what tells whether the same request would come to it again. */
export interface KnownResult {
  /** From then on it is not given out any more, in milliseconds since the epoch. */
  readonly forgottenAt: number;
  /** SHA-256 of the original's bytes. */
  readonly original: string;
  /** What the origin of a fetched original said of it. */
  readonly validators?: { readonly etag?: string; readonly modified?: string };
  /** The members of the answer that speak of the work, as JSON. */
  readonly answer: string;
}

/** A result, and the name under which it is found again: a hash of the request and of all that it depends on. */
export interface NamedResult {
  readonly name: string;
  readonly result: KnownResult;
}
