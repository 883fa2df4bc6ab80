/**
 * How often an upload token was used, as plain data and moves on it. Pure: the clock is an argument; the Durable Object
 * around it only keeps it. An object runs one call at a time, so a token is never used once too often.
 */
import { UPLOAD_TOKEN_SKEW_MS, UPLOAD_TOKEN_TRIES } from "../limits/tokens.ts";

/** A request that wants to use a token. */
export interface UseAsk {
  /** The id of the token. */
  readonly id: string;
  /** How often it may be used. */
  readonly uses: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface TokenUse {
  /** Uses that were taken and not given back. */
  readonly taken: number;
  /** Requests with the token, refused ones included. */
  readonly tries: number;
  /** By then nothing asks for it any more, in milliseconds since the epoch. */
  readonly forgottenAt: number;
}

/** Whether a request may come with the token: what became of it earlier may be asked for when no use is left. */
export function mayTry(use: TokenUse | undefined, { uses, expiresAt }: UseAsk, now: number): boolean {
  return now < expiresAt && (use?.tries ?? 0) < uses * UPLOAD_TOKEN_TRIES;
}

/** Whether a use is left. */
export function isUsable(use: TokenUse | undefined, ask: UseAsk, now: number): boolean {
  return mayTry(use, ask, now) && (use?.taken ?? 0) < ask.uses;
}

/** Counts a request with the token, and the use that it takes if it does. */
export function tried(use: TokenUse | undefined, { expiresAt }: UseAsk, takes: boolean): TokenUse {
  const { taken = 0, tries = 0 } = use ?? {};
  return { taken: taken + (takes ? 1 : 0), tries: tries + 1, forgottenAt: expiresAt + UPLOAD_TOKEN_SKEW_MS };
}

/** The request that took a use was refused before its work began. */
export function givenBack(use: TokenUse): TokenUse {
  return { ...use, taken: Math.max(0, use.taken - 1) };
}
