/** The operator's administration of accounts and keys. */
import type * as v from "valibot";

import {
  type Account,
  alertsContext,
  changeAccount,
  createAccount,
  findAccount,
  isUnlimited,
  listAccounts,
  openAlerts,
} from "../../account/accounts.ts";
import { databasesOf, placeFor, placesOf } from "../../account/databases.ts";
import { type KeyRecord as SavedKey, createKey, deleteKey, forgetKeys, listKeys } from "../../account/keys.ts";
import { vaultOf } from "../../account/vault.ts";
import { addressProblem } from "../../address.ts";
import {
  AccountChange,
  type AccountCreated,
  type AccountFound,
  type AccountList,
  type AccountRecord,
  type KeyCreated,
  type KeyDeleted,
  type KeyList,
  type KeyRecord,
  NewAccount,
  NewKey,
  PageQuery,
  type SelfTest,
  type VaultResealed,
} from "../../contract/admin.ts";
import { checked } from "../../contract/message.ts";
import { forgetDeliveries } from "../../delivery/lookup.ts";
import { forgetSpent } from "../../delivery/spent-budgets.ts";
import { reseal } from "../../entrances/reseal.ts";
import { ApiError } from "../../errors.ts";
import {
  DEFAULT_AGENT_DAILY_LIMIT,
  DEFAULT_PAGE_ENTRIES,
  DEFAULT_PLAN,
  MAX_KEYS,
  UNLIMITED_CREDITS,
} from "../../limits/accounts.ts";
import { mayCall } from "../../pipeline/notices.ts";
import { testFormats } from "../../pipeline/self-test.ts";
import type { AppContext } from "../context.ts";
import { readJson } from "../json-body.ts";

/** GET /admin/self-test: by its status a monitor can tell. */
export async function testService(c: AppContext): Promise<Response> {
  const reports = await testFormats();
  const broken = reports.filter(({ failure }) => failure !== undefined);
  if (broken.length > 0) {
    const names = broken.map(({ format }) => format).join(", ");
    throw new ApiError(503, `The self-test failed for ${names}`, { cause: broken[0]?.failure });
  }
  const formats = reports.map(({ format }) => format);
  return c.json<v.InferOutput<typeof SelfTest>>({ success: true, code: 200, formats });
}

/** POST /admin/accounts */
export async function addAccount(c: AppContext): Promise<Response> {
  const body = checked(NewAccount, await readJson(c));
  const { name, plan = DEFAULT_PLAN, credits_total: credits, limits, alerts } = body;
  checkAlerts(c, alerts);
  const creditsTotal = credits ?? UNLIMITED_CREDITS;
  const now = new Date();
  const places = await placesOf(c.env);
  const { databaseBytesLimit } = c.var.settings;
  const account = await createAccount(c.env.DB, { name, plan, creditsTotal }, now, (id) =>
    placeFor(id, places, databaseBytesLimit),
  );
  const bounds = await boundsOf(c, account.id, { limits, alerts });
  const bound = Object.keys(bounds).length > 0 ? await changeAccount(c.env.DB, account.id, bounds) : account;
  const { key } = await createKey(c.env.DB, account.id, "", now);
  return c.json<v.InferOutput<typeof AccountCreated>>(
    { success: true, code: 201, account: await accountRecord(c, bound ?? account), key },
    201,
  );
}

/** GET /admin/accounts */
export async function showAccounts(c: AppContext): Promise<Response> {
  const { offset = "0", limit = String(DEFAULT_PAGE_ENTRIES) } = checked(PageQuery, c.req.query());
  const accounts = await listAccounts(c.env.DB, { offset: Number(offset), limit: Number(limit) });
  const records = await Promise.all(accounts.map((account) => accountRecord(c, account)));
  return c.json<v.InferOutput<typeof AccountList>>({ success: true, code: 200, accounts: records });
}

/** GET /admin/accounts/<id> */
export async function showOneAccount(c: AppContext): Promise<Response> {
  const account = await accountOfPath(c);
  const record = await accountRecord(c, account);
  return c.json<v.InferOutput<typeof AccountFound>>({ success: true, code: 200, account: record });
}

/** PATCH /admin/accounts/<id> */
export async function editAccount(c: AppContext): Promise<Response> {
  const { id } = await accountOfPath(c);
  const change = checked(AccountChange, await readJson(c));
  const { status, plan, credits_total: credits, originals } = change;
  checkAlerts(c, change.alerts);
  const account = await changeAccount(c.env.DB, id, {
    ...(status !== undefined && { status }),
    ...(plan !== undefined && { plan }),
    ...(credits !== undefined && { creditsTotal: credits ?? UNLIMITED_CREDITS }),
    ...(originals !== undefined && { originals }),
    ...(await boundsOf(c, id, change)),
  });
  forgetSpent();
  forgetKeys();
  forgetDeliveries();
  if (!account) throw notFound();
  const record = await accountRecord(c, account);
  return c.json<v.InferOutput<typeof AccountFound>>({ success: true, code: 200, account: record });
}

/** POST /admin/accounts/<id>/keys */
export async function addKey(c: AppContext): Promise<Response> {
  const account = await accountOfPath(c);
  const { name = "", kind, daily_limit: limit } = checked(NewKey, await optionalJson(c));
  if ((await listKeys(c.env.DB, account.id)).length >= MAX_KEYS) {
    throw new ApiError(422, `An account has at most ${MAX_KEYS} keys`);
  }
  const dailyLimit = kind === "agent" ? (limit ?? DEFAULT_AGENT_DAILY_LIMIT) : undefined;
  const { key, record } = await createKey(c.env.DB, account.id, name, new Date(), dailyLimit);
  return c.json<v.InferOutput<typeof KeyCreated>>({ success: true, code: 201, ...keyRecord(record), key }, 201);
}

/** GET /admin/accounts/<id>/keys */
export async function showKeys(c: AppContext): Promise<Response> {
  const account = await accountOfPath(c);
  const keys = await listKeys(c.env.DB, account.id);
  return c.json<v.InferOutput<typeof KeyList>>({ success: true, code: 200, keys: keys.map(keyRecord) });
}

/** DELETE /admin/accounts/<id>/keys/<key> */
export async function revokeKey(c: AppContext): Promise<Response> {
  const account = await accountOfPath(c);
  const id = c.req.param("key") ?? "";
  if (!(await deleteKey(c.env.DB, account.id, id))) throw notFound();
  forgetKeys();
  return c.json<v.InferOutput<typeof KeyDeleted>>({ success: true, code: 200, id });
}

/** POST /admin/vault/reseal */
export async function resealVault(c: AppContext): Promise<Response> {
  const { resealed, left } = await reseal([...databasesOf(c.env).values()], vaultOf(c.var.settings.vaultKeys));
  return c.json<v.InferOutput<typeof VaultResealed>>({ success: true, code: 200, resealed, left });
}

async function accountOfPath(c: AppContext): Promise<Account> {
  const account = await findAccount(c.env.DB, c.req.param("id") ?? "");
  if (!account) throw notFound();
  return account;
}

/** Every member is optional, and so is the body. */
async function optionalJson(c: AppContext): Promise<object> {
  const empty = c.req.raw.body === null || c.req.header("content-length") === "0";
  return empty ? {} : readJson(c);
}

function notFound(): ApiError {
  return new ApiError(404, "Resource not found");
}

type Bounds = Pick<v.InferOutput<typeof AccountChange>, "limits" | "alerts">;

/** @throws ApiError 422 for an address that may not be called */
function checkAlerts(c: AppContext, alerts: Bounds["alerts"]): void {
  const target = alerts && new URL(alerts.webhook);
  if (!target || mayCall(c.var.settings, target)) return;
  throw new ApiError(422, `alerts.webhook ${addressProblem(target.hostname)}`);
}

/** Bounds as they are saved: the address sealed. */
async function boundsOf(c: AppContext, id: string, { limits, alerts }: Bounds) {
  const vault = vaultOf(c.var.settings.vaultKeys);
  return {
    ...(limits !== undefined && { limits: limits ?? {} }),
    ...(alerts !== undefined && { alerts: alerts && (await vault.seal(alerts, alertsContext(id))) }),
  };
}

async function accountRecord(c: AppContext, account: Account): Promise<AccountRecord> {
  const { limits, alerts } = account;
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(alerts && { alerts: { webhook: await shownWebhook(c, account.id, alerts) } }),
    id: account.id,
    name: account.name,
    plan: account.plan,
    credits_total: isUnlimited(account) ? null : account.creditsTotal,
    status: account.status,
    created_at: account.createdAt,
    database: account.database,
    originals: account.originals,
  };
}

/** The address without what may be a password. */
async function shownWebhook(c: AppContext, id: string, sealed: Uint8Array): Promise<string> {
  const url = new URL((await openAlerts(vaultOf(c.var.settings.vaultKeys), id, sealed)).webhook);
  url.username = "";
  url.password = "";
  return url.href;
}

function keyRecord(key: SavedKey): KeyRecord {
  const { id, name, hint, createdAt, dailyLimit } = key;
  const kind = dailyLimit === undefined ? "api" : "agent";
  return { id, name, hint, created_at: createdAt, kind, ...(dailyLimit !== undefined && { daily_limit: dailyLimit }) };
}
