/** Access tokens, kept in the isolate until shortly before they end. Losing them costs one request. */
import { MAX_KEPT_TOKENS, TOKEN_MARGIN_MS } from "../limits.ts";
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
  const name = (await sha256(JSON.stringify(identity))).toHex();
  const renew = async () => {
    const grant = await obtain();
    kept.set(name, grant);
    return grant;
  };
  const known = kept.get(name) as Granted | undefined;
  const fresh = known !== undefined && known.expiresAt - TOKEN_MARGIN_MS > session.now();
  const answer = await use(fresh ? known : await renew());
  if (answer.status !== 401) return answer;
  kept.delete(name);
  return use(await renew());
}
