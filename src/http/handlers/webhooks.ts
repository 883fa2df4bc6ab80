/** Records of notifications, and what they are signed with. */
import { checked } from "../../contract/message.ts";
import {
  type Accepted,
  endOf,
  startOf,
  statusesOf,
  type WebhookFound,
  type WebhookList,
  WebhookQuery,
  type WebhookRecord as Shown,
  type WebhookSecret,
} from "../../contract/webhook.ts";
import { ApiError } from "../../errors.ts";
import { DEFAULT_WEBHOOK_PAGE, WEBHOOK_BODY_DAYS } from "../../limits/webhook.ts";
import { sealOf, wakeCourier } from "../../pipeline/notices.ts";
import { list } from "../../webhook/listing.ts";
import type { WebhookRecord } from "../../webhook/record.ts";
import { type AccountSecret, rotateSecret, secretOf } from "../../webhook/secrets.ts";
import { storeOf } from "../../webhook/store.ts";
import { accountOf, type AppContext, recordsOf } from "../context.ts";

/** GET /1.0/webhooks */
export async function listWebhooks(c: AppContext): Promise<Response> {
  const account = accountOf(c);
  const query = checked(WebhookQuery, c.req.query());
  const records = await list(recordsOf(c), account.id, {
    statuses: query.status === undefined ? [] : statusesOf(query.status),
    start: query.start === undefined ? 0 : startOf(query.start),
    end: query.end === undefined ? Number.MAX_SAFE_INTEGER : endOf(query.end),
    offset: Number(query.offset ?? 0),
    limit: Number(query.limit ?? DEFAULT_WEBHOOK_PAGE),
  });
  return c.json<WebhookList>({ success: true, code: 200, webhooks: records.map(shown) });
}

/** GET /1.0/webhooks/<id> */
export async function showWebhook(c: AppContext): Promise<Response> {
  return c.json<WebhookFound>({ success: true, code: 200, webhook: shown(await recordOfPath(c)) });
}

/** POST /1.0/webhooks/<id>/redeliver */
export async function redeliverWebhook(c: AppContext): Promise<Response> {
  const { id, accountId, status, payload } = await recordOfPath(c);
  const now = Date.now();
  if (payload === null && status !== "created") {
    throw new ApiError(
      422,
      `A notification can be repeated for ${WEBHOOK_BODY_DAYS} days; this one is not kept any more`,
    );
  }
  if (!(await storeOf(recordsOf(c)).reschedule(accountId, id, now))) {
    throw new ApiError(422, "The notification is still on its way; only a delivered or failed one can be repeated");
  }
  // The record is due: should this be lost, the sweep finds it.
  c.executionCtx.waitUntil(wakeCourier(c.env, id, now, accountOf(c).database));
  return c.json<Accepted>({ success: true, code: 202, id }, 202);
}

/** GET /1.0/account/webhook-secret */
export async function showSecret(c: AppContext): Promise<Response> {
  const account = accountOf(c);
  return replySecret(c, await secretOf(recordsOf(c), sealOf(c.env), account.id, Date.now()));
}

/** POST /1.0/account/webhook-secret */
export async function rotateAccountSecret(c: AppContext): Promise<Response> {
  const account = accountOf(c);
  return replySecret(c, await rotateSecret(recordsOf(c), sealOf(c.env), account.id, Date.now()));
}

function replySecret(c: AppContext, { secret, createdAt, previous }: AccountSecret): Response {
  const answer: WebhookSecret = {
    success: true,
    code: 200,
    secret,
    created_at: iso(createdAt),
    ...(previous && { previous: { secret: previous.secret, valid_until: iso(previous.until) } }),
  };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
}

/** @throws ApiError 404 also when the record is another account's */
async function recordOfPath(c: AppContext): Promise<WebhookRecord> {
  const account = accountOf(c);
  const record = await storeOf(recordsOf(c)).find(account.id, c.req.param("id") ?? "");
  if (!record) throw new ApiError(404, "Resource not found");
  return record;
}

function shown(record: WebhookRecord): Shown {
  return {
    id: record.id,
    status: record.status,
    created_at: iso(record.createdAt),
    updated_at: iso(record.updatedAt),
    code: record.code,
    // Writing what was read gives the same text again: it was written by the same function.
    payload: record.payload === null ? {} : (JSON.parse(record.payload) as Shown["payload"]),
    attempts: record.attempts.map(({ at, code, durationMs }) => ({ at: iso(at), code, duration_ms: durationMs })),
  };
}

function iso(moment: number): string {
  return new Date(moment).toISOString();
}
