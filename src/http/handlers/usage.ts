/** What keys did, by day. */
import type * as v from "valibot";

import { type Account, findAccount } from "../../account/accounts.ts";
import { isolateBlocks } from "../../account/blocks.ts";
import { databaseNamed, databasesOf } from "../../account/databases.ts";
import { type Counts, dayOf, listUsage, type UsageEntry } from "../../account/usage.ts";
import { checked } from "../../contract/message.ts";
import {
  AllUsageQuery,
  type DeliveryUsage,
  type UsageList,
  UsageQuery,
  type UsageRecord,
  type UsageTotal,
} from "../../contract/usage.ts";
import { type DeliveryDay, listDeliveryCounts, saveDeliveryCounts } from "../../delivery/counts.ts";
import { DIRECTORY } from "../../env.ts";
import { DEFAULT_PAGE_ENTRIES, DEFAULT_USAGE_DAYS, USAGE_HISTORY_DAYS } from "../../limits/accounts.ts";
import { accountOf, type AppContext } from "../context.ts";
import { reachOf } from "../rate-limit.ts";

const DAY_MS = 86_400_000;

/** GET /1.0/account/usage: as any key of the account sees credits and notifications, it sees what all keys did. */
export async function showOwnUsage(c: AppContext): Promise<Response> {
  return replyUsage(c, accountOf(c), checked(UsageQuery, c.req.query()));
}

/** GET /admin/usage */
export async function showAllUsage(c: AppContext): Promise<Response> {
  const { account, ...query } = checked(AllUsageQuery, c.req.query());
  const found = account === undefined ? undefined : await findAccount(c.env.DB, account);
  // What nobody has heard of has used nothing.
  return replyUsage(c, account === undefined ? undefined : (found ?? { id: account, database: DIRECTORY }), query);
}

/** Usage of one account is complete up to this moment, that of all accounts up to about a minute ago. */
async function replyUsage(
  c: AppContext,
  account: Pick<Account, "id" | "database"> | undefined,
  query: v.InferOutput<typeof UsageQuery>,
): Promise<Response> {
  const { key, end = dayOf(Date.now()), offset = "0", limit = String(DEFAULT_PAGE_ENTRIES) } = query;
  const { start = dayOf(Date.parse(end) - (DEFAULT_USAGE_DAYS - 1) * DAY_MS) } = query;
  if (account) {
    const meter = `account:${account.id}`;
    await isolateBlocks.tell(reachOf(c), meter);
    await c.env.METER.getByName(meter).saveUsage();
  }
  const range = { accountId: account?.id, keyId: key, ...keptOf(start, end) };
  const page = { offset: Number(offset), limit: Number(limit) };
  const records = account ? [databaseNamed(c.env, account.database)] : [...databasesOf(c.env).values()];
  const { entries, total } = await listUsage({ records, directory: c.env.DB }, range, page);
  await saveDeliveryCounts(c.env.DB);
  // Deliveries have no key.
  const days = key === undefined ? await listDeliveryCounts(c.env.DB, range, page) : [];
  const [usage, deliveries] = [entries.map(recordOf), days.map(deliveryOf)];
  const answer = { success: true, code: 200, start, end, usage, total: totalOf(total), deliveries } as const;
  return c.json<UsageList>(answer);
}

/** Of a range, the days of which there may be anything. */
function keptOf(start: string, end: string): { start: string; end: string } {
  const [oldest, today] = [dayOf(Date.now() - USAGE_HISTORY_DAYS * DAY_MS), dayOf(Date.now())];
  return { start: start < oldest ? oldest : start, end: end > today ? today : end };
}

function deliveryOf(entry: DeliveryDay): DeliveryUsage {
  const { day, accountId, deliveryId, finals, drafts, storedHits, deliveredBytes } = entry;
  const counts = { finals, drafts, stored_hits: storedHits, delivered_bytes: deliveredBytes };
  return { day, account_id: accountId, delivery_id: deliveryId, ...counts };
}

function recordOf(entry: UsageEntry): UsageRecord {
  const { day, accountId, keyId, keyName, keyHint } = entry;
  return { day, account_id: accountId, key_id: keyId, key_name: keyName, key_hint: keyHint, ...totalOf(entry) };
}

function totalOf({ requests, errors, pictures, bytesIn, bytesOut, credits, failedMs }: Counts): UsageTotal {
  const failed = { failed_ms: failedMs };
  return { requests, errors, pictures, bytes_in: bytesIn, bytes_out: bytesOut, credits, ...failed };
}
