/** Notifications with their real edges: what makes attempts, whoever does. It loads nothing that works on pictures. */
import { databaseNamed } from "../account/databases.ts";
import { vaultOf } from "../account/vault.ts";
import { addressProblem } from "../address.ts";
import { DIRECTORY, type Settings, settingsOf } from "../env.ts";
import { causesOf, logLine } from "../log.ts";
import { callEndpoint, deliver } from "../webhook/deliver.ts";
import type { AttemptPorts, CourierPorts, Journal, JournalEntry, Ports, Seal } from "../webhook/ports.ts";
import { secretOf, signing } from "../webhook/secrets.ts";
import { storeOf } from "../webhook/store.ts";

/** What everybody needs who has to do with a record. */
export function recordPortsOf(
  env: Env,
  database: string,
): Pick<Ports, "store" | "seal" | "now" | "newClaim" | "report"> {
  return {
    store: storeOf(databaseNamed(env, database)),
    seal: sealOf(env),
    now: () => Date.now(),
    newClaim: () => crypto.randomUUID(),
    report,
  };
}

/** What a courier of a record in this database needs; the journal is its own. */
export function courierPortsOf(env: Env, journal: Journal, database: string): CourierPorts {
  const { store, newClaim } = recordPortsOf(env, database);
  return { ...attemptPortsOf(env, database), store, newClaim, journal };
}

/** What an attempt needs to tell the endpoint of a record in this database. */
export function attemptPortsOf(env: Env, database: string): AttemptPorts {
  const settings = settingsOf(env);
  const { seal, now, report: reports } = recordPortsOf(env, database);
  return {
    seal,
    now,
    report: reports,
    retrySeconds: settings.webhookRetrySeconds,
    secrets: async (accountId) => signing(await secretOf(databaseNamed(env, database), seal, accountId, now())),
    post: (notification) =>
      deliver(notification, {
        userAgent: `${settings.serviceName}/1.0`,
        isAllowed: (url) => mayCall(settings, url),
        fetch: callEndpoint,
        now,
      }),
  };
}

/** Has a record's courier look at it at a moment, milliseconds since 1970, or earlier. */
export async function wakeCourier(
  env: Env,
  id: string,
  at: number,
  database = DIRECTORY,
  entry?: JournalEntry,
): Promise<void> {
  await env.COURIER.getByName(id).wake(id, at, database, entry);
}

/** Whether a notification may go to this address: a public host, called by its name. */
export function mayCall(settings: Settings, url: URL): boolean {
  return settings.allowPrivateOrigins || addressProblem(url.hostname) === undefined;
}

/** Texts sealed with the operator's key. */
export function sealOf(env: Env): Seal {
  const vault = vaultOf(settingsOf(env).vaultKeys);
  return {
    close: (text, context) => vault.seal(new TextEncoder().encode(text), context),
    open: async (sealed, context) => new TextDecoder().decode(await vault.open(sealed, context)),
  };
}

/** Tells the operator of a fault that the work survives. */
export function report(id: string, error: unknown): void {
  logLine("error", { id, event: "webhook", causes: causesOf(error) });
}
