/** By whose word something is done later than it was asked for: the key that asked may have been revoked since. */
import { ApiError } from "../errors.ts";
import { findHolderById } from "./keys.ts";

/** In whose name work was begun. */
export interface Authority {
  readonly accountId: string;
  readonly keyId: string;
}

/**
 * Why nothing more is done in the name of a key; undefined while it opens its account. What isolates know of keys is
 * remembered for a while, so that this holds within a minute, as for requests.
 * @param directory the database of all accounts
 */
export async function lostAuthority(
  directory: D1Database,
  { accountId, keyId }: Authority,
  now: number,
): Promise<ApiError | undefined> {
  const holder = await findHolderById(directory, keyId, now);
  if (holder?.account.id !== accountId) {
    return new ApiError(401, "The key in whose name this was begun was revoked");
  }
  return holder.account.status === "active" ? undefined : new ApiError(403, "Account suspended");
}
