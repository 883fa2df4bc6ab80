/** The object of an account, where what it notes of budgets becomes a notification. */
import { findAccount, openAlerts } from "../account/accounts.ts";
import type { Notice } from "../account/budgets.ts";
import { Meter as Counter } from "../account/meter.ts";
import { vaultOf } from "../account/vault.ts";
import type { BudgetAlert } from "../contract/budget-alert.ts";
import { settingsOf } from "../env.ts";
import { recordPortsOf, wakeCourier } from "../pipeline/notices.ts";
import { awaitEnd, endAwaited } from "../webhook/awaited.ts";
import { placed } from "./placed.ts";

/** How soon the sweep looks at a notification whose end was lost on the way. */
const PATIENCE_MS = 60_000;

export class Meter extends Counter {
  /** Keeps the notification under a name of its own, so that doing it again changes nothing, and has it delivered. */
  protected override async notify(notice: Notice): Promise<void> {
    const env = placed(this.env);
    const { account: accountId, database } = notice;
    const account = await findAccount(env.DB, accountId);
    if (!account?.alerts) return;
    const { webhook: url } = await openAlerts(vaultOf(settingsOf(env).vaultKeys), accountId, account.alerts);
    const id = await nameOf(notice);
    const ports = recordPortsOf(env, database);
    await awaitEnd({ id, accountId, url, delaySeconds: 0, patienceMs: PATIENCE_MS }, ports);
    const dueAt = await endAwaited({ id, accountId }, JSON.stringify(alertOf(id, notice)), ports);
    if (dueAt !== undefined) await wakeCourier(env, id, dueAt, database);
  }
}

function alertOf(id: string, { budget, period, percent, used, limit }: Notice): BudgetAlert {
  return { success: true, code: 200, id, budget: { name: budget, period, percent, used, limit } };
}

/** The same for the same bound, period and percent of an account: a UUID of the first bytes of their SHA-256. */
async function nameOf({ account, budget, period, percent, limit }: Notice): Promise<string> {
  const text = new TextEncoder().encode(["budget", account, budget, period, percent, limit].join(" "));
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).subarray(0, 16);
  // Version 8 and the variant of RFC 9562.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
