/** Access tokens, kept in the isolate until shortly before they end. Losing them costs one request. */
import { MAX_KEPT_TOKENS, TOKEN_MARGIN_MS } from "../limits.ts";
import { sha256 } from "./digest.ts";
import type { Answer, Session } from "./session.ts";

export interface Grant {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const kept = new Map<string, Grant>();

/**
 * Does `use` with a token, and once more with a new one when the answer is 401: tokens may be revoked before their end.
 * @param identity what the token was given for; only its hash is kept
 */
export async function withGrant<Granted extends Grant>(
  session: Session,
  identity: readonly string[],
  obtain: () => Promise<Granted>,
  use: (grant: Granted) => Promise<Answer>,
): Promise<Answer> {
  const name = (await sha256(JSON.stringify(identity))).toHex();
  const renew = async () => {
    const grant = await obtain();
    keep(name, grant);
    return grant;
  };
  const known = kept.get(name) as Granted | undefined;
  const fresh = known !== undefined && known.expiresAt - TOKEN_MARGIN_MS > session.now();
  const answer = await use(fresh ? known : await renew());
  if (answer.status !== 401) return answer;
  kept.delete(name);
  return use(await renew());
}

/** A token, kept or new, and how to forget it when it turns out to be no good. */
export async function grantOf<Granted extends Grant>(
  session: Session,
  identity: readonly string[],
  obtain: () => Promise<Granted>,
): Promise<{ readonly grant: Granted; readonly forget: () => void }> {
  const name = (await sha256(JSON.stringify(identity))).toHex();
  const known = kept.get(name) as Granted | undefined;
  const isFresh = known !== undefined && known.expiresAt - TOKEN_MARGIN_MS > session.now();
  const grant = isFresh ? known : await obtain();
  if (!isFresh) keep(name, grant);
  return { grant, forget: () => void kept.delete(name) };
}

function keep(name: string, grant: Grant): void {
  kept.delete(name);
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT_TOKENS && oldest !== undefined) kept.delete(oldest);
  kept.set(name, grant);
}
