/** Accounts for tests. */
import { env } from "cloudflare:workers";

import { type Account, createAccount } from "../../src/account/accounts.ts";
import { createKey } from "../../src/account/keys.ts";
import { DIRECTORY } from "../../src/env.ts";

interface Opened {
  readonly account: Account;
  readonly key: string;
  readonly keyId: string;
}

/** @param database where its records shall lie */
export async function openAccount(creditsTotal = 1_000, database = DIRECTORY): Promise<Opened> {
  const now = new Date();
  const account = await createAccount(env.DB, { name: "Test", plan: "standard", creditsTotal }, now, () => database);
  const { key, record } = await createKey(env.DB, account.id, "", now);
  return { account, key, keyId: record.id };
}

export const ADMIN = { authorization: "Bearer admin-token-for-tests" };
