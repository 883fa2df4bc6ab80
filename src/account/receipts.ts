/**
 * What became of a request that carries an `Idempotency-Key`, as plain data and moves on it: who works on it, and what
 * it was answered with. Pure: the clock is an argument; the Durable Object around it only keeps it.
 *
 * After draft-ietf-httpapi-idempotency-key-header: the first answer is repeated, a second request meanwhile is refused,
 * and so is another request under the same key.
 */
import { RECEIPT_KEPT_MS, RECEIPT_RUN_MS } from "../limits/accounts.ts";

/** The answer to a request, as it is repeated. */
export interface KeptAnswer {
  readonly status: number;
  /** The JSON of the answer. */
  readonly body: string;
  /** What the answer promises has ended by then, in milliseconds since the epoch: afterwards it is worked out anew. */
  readonly goodUntil: number;
}

/** Somebody works on the request. */
interface Run {
  readonly token: string;
  /** Milliseconds since the epoch. Who does not say by then that the work goes on has lost it. */
  readonly until: number;
}

export interface Receipt {
  /** When there is nothing to remember any more, in milliseconds since the epoch. */
  readonly forgottenAt: number;
  /** Which request it was; undefined before the first one has ended. */
  readonly fingerprint?: string;
  readonly answer?: KeptAnswer;
  readonly run?: Run;
}

/** What a request finds under its key. */
export type Found =
  /** Nobody has done it: it may begin, if it is the request of the fingerprint. */
  | { readonly state: "free"; readonly fingerprint?: string }
  | { readonly state: "running"; readonly seconds: number }
  | { readonly state: "answered"; readonly fingerprint: string; readonly answer: KeptAnswer };

/** The end of a request that had begun. */
export interface Ending {
  /** The name of the receipt. */
  readonly name: string;
  readonly token: string;
  /** What is to be repeated, and to which request; absent: the key is free again. */
  readonly kept?: {
    readonly fingerprint: string;
    readonly answer: KeptAnswer;
    /** Milliseconds; absent: RECEIPT_KEPT_MS. */
    readonly forMs?: number;
  };
}

export function find(receipt: Receipt | undefined, now: number): Found {
  const run = receipt?.run;
  if (run && run.until > now) return { state: "running", seconds: Math.max(1, Math.ceil((run.until - now) / 1000)) };
  if (!receipt || receipt.forgottenAt <= now) return { state: "free" };
  const { fingerprint, answer } = receipt;
  if (fingerprint === undefined) return { state: "free" };
  return answer && answer.goodUntil > now ? { state: "answered", fingerprint, answer } : { state: "free", fingerprint };
}

/** Begins what was found free. */
export function begin(receipt: Receipt | undefined, token: string, now: number): Receipt {
  const until = now + RECEIPT_RUN_MS;
  const known = receipt && receipt.forgottenAt > now ? receipt : { forgottenAt: until };
  return { ...known, forgottenAt: Math.max(known.forgottenAt, until), run: { token, until } };
}

/**
 * The work goes on.
 * @returns undefined when somebody else has begun it meanwhile
 */
export function renew(receipt: Receipt | undefined, token: string, now: number): Receipt | undefined {
  return receipt?.run?.token === token ? begin(receipt, token, now) : undefined;
}

/**
 * The work has ended.
 * @returns the receipt, "forgotten" when nothing is left of it, undefined when somebody else has begun the work meanwhile
 */
export function end(
  receipt: Receipt | undefined,
  { token, kept }: Ending,
  now: number,
): Receipt | "forgotten" | undefined {
  if (receipt?.run?.token !== token) return undefined;
  if (kept) {
    const { fingerprint, answer, forMs = RECEIPT_KEPT_MS } = kept;
    return { forgottenAt: now + forMs, fingerprint, answer };
  }
  const { run: _, ...rest } = receipt;
  return rest.fingerprint === undefined ? "forgotten" : rest;
}
