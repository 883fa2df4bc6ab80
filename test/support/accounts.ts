/** Accounts for tests. */
import { env } from "cloudflare:workers";
import { inject } from "vitest";

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
  const served = inject("served");
  if (served !== undefined) return openServed(served, creditsTotal);
  const now = new Date();
  const account = await createAccount(env.DB, { name: "Test", plan: "standard", creditsTotal }, now, () => database);
  const { key, record } = await createKey(env.DB, account.id, "", now);
  return { account, key, keyId: record.id };
}

/** An account of the service in another process, as an operator makes it. */
async function openServed(served: string, creditsTotal: number): Promise<Opened> {
  const headers = { ...ADMIN, "content-type": "application/json" };
  const made = await fetch(`${served}/admin/accounts`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "Test", credits_total: creditsTotal }),
  });
  const { account, key } = await made.json<{ account: Account; key: string }>();
  const listed = await fetch(`${served}/admin/accounts/${account.id}/keys`, { headers });
  const { keys } = await listed.json<{ keys: readonly { id: string }[] }>();
  return { account, key, keyId: keys[0]?.id ?? "" };
}

export const ADMIN = { authorization: "Bearer admin-token-for-tests" };
