/** Accounts for tests. */
import { env } from "cloudflare:workers";

import { type Account, createAccount } from "../../src/account/accounts.ts";
import { createKey } from "../../src/account/keys.ts";

export async function openAccount(creditsTotal = 1_000): Promise<{ account: Account; key: string; keyId: string }> {
  const now = new Date();
  const account = await createAccount(env.DB, { name: "Test", plan: "standard", creditsTotal }, now);
  const { key, record } = await createKey(env.DB, account.id, "", now);
  return { account, key, keyId: record.id };
}

export const ADMIN = { authorization: "Bearer admin-token-for-tests" };
