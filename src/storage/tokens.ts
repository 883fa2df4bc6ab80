/** Access tokens, kept in the isolate until shortly before they end. Losing them costs one request. */
import { MAX_KEPT_TOKENS, TOKEN_MARGIN_MS } from "../limits/stores.ts";
import { Recent } from "../recent.ts";
import { sha256 } from "./digest.ts";
import type { Answer, Session } from "./session.ts";

export interface Grant {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const kept = new Recent<Grant>(MAX_KEPT_TOKENS);

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
  const { grant, forget } = await grantOf(session, identity, obtain);
  const answer = await use(grant);
  if (answer.status !== 401) return answer;
  forget();
  return use((await grantOf(session, identity, obtain)).grant);
}

/** A token, kept or new, and how to forget it when it turns out to be no good. */
export async function grantOf<Granted extends Grant>(
  session: Session,
  identity: readonly string[],
  obtain: () => Promise<Granted>,
): Promise<{ readonly grant: Granted; readonly forget: () => void }> {
  const name = (await sha256(JSON.stringify(identity))).toHex();
  const forget = () => void kept.delete(name);
  const known = kept.get(name) as Granted | undefined;
  if (known !== undefined && known.expiresAt - TOKEN_MARGIN_MS > session.now()) return { grant: known, forget };
  const grant = await obtain();
  kept.set(name, grant);
  return { grant, forget };
}
