/** What requests and answers say of notifications. */
import * as v from "valibot";

import { digits, httpUrl, integer, record, text } from "../fields.ts";
import {
  MAX_WEBHOOK_DELAY_SECONDS,
  MAX_WEBHOOK_OFFSET,
  MAX_WEBHOOK_PAGE,
  MAX_WEBHOOK_URL_CHARACTERS,
} from "../limits/webhook.ts";
import { STATUSES, type Status } from "../webhook/record.ts";
import { BatchEnded } from "./batch-record.ts";
import { BudgetAlert } from "./budget-alert.ts";
import { Failure, RequestId, SetSuccess, Success } from "./response.ts";

/** The member of a processing request: where its answer goes, and how many seconds after the end of processing. */
export const Webhook = record({
  url: httpUrl(MAX_WEBHOOK_URL_CHARACTERS),
  delay: v.optional(integer(0, MAX_WEBHOOK_DELAY_SECONDS)),
});
export type Webhook = v.InferOutput<typeof Webhook>;

const statusRule = `must be one or several of ${STATUSES.join(", ")}, separated by commas`;

function isStatus(value: string): value is Status {
  return STATUSES.some((status) => status === value);
}

/** The states named in a query. */
export function statusesOf(value: string): Status[] {
  return value
    .split(",")
    .map((status) => status.trim())
    .filter(isStatus);
}

const dateRule = "must be a date and time in the ISO 8601 form, such as 2026-11-20T12:00:00Z";
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[ +-]\d{2}:\d{2})?)?$/;
const DAY_MS = 86_400_000;

/** A moment, UTC where no offset is given; a plus sign that was not escaped arrives as a space. */
function moment() {
  return v.pipe(
    text(0, 40),
    v.regex(DATE, dateRule),
    v.check((value) => isRealDate(value), dateRule),
  );
}

/** The calendar accepts no 30 February, though `Date` does. */
function isRealDate(value: string): boolean {
  const day = value.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(startOf(value)) && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Milliseconds since 1970 of the first moment that a date names. */
export function startOf(value: string): number {
  const isLocal = value.includes("T") && !/(?:Z|[ +-]\d{2}:\d{2})$/.test(value);
  return Date.parse(isLocal ? `${value}Z` : value.replace(" ", "+"));
}

/** Milliseconds since 1970 of the last moment that a date names: of a day alone, its end. */
export function endOf(value: string): number {
  return value.includes("T") ? startOf(value) : startOf(value) + DAY_MS - 1;
}

/** Query parameters are texts. */
export const WebhookQuery = v.pipe(
  record({
    status: v.optional(
      v.pipe(
        text(0, 100),
        v.check((value) => value.split(",").every((part) => isStatus(part.trim())), statusRule),
      ),
    ),
    start: v.optional(moment()),
    end: v.optional(moment()),
    offset: v.optional(digits(0, MAX_WEBHOOK_OFFSET)),
    limit: v.optional(digits(1, MAX_WEBHOOK_PAGE)),
  }),
  v.forward(
    v.check(
      ({ start, end }) => start === undefined || end === undefined || startOf(start) <= endOf(end),
      "must not be before start",
    ),
    ["end"],
  ),
);

const timestamp = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const AttemptRecord = v.strictObject({ at: timestamp, code: count, duration_ms: count });

export const WebhookRecord = v.strictObject({
  /** That of the processing request. */
  id: RequestId,
  status: v.picklist(STATUSES),
  created_at: timestamp,
  updated_at: timestamp,
  /** What the endpoint answered last; 0 before the first attempt, and when it could not be reached. */
  code: count,
  /** What the notification carries, byte for byte; without members until processing has ended, and when it is not kept any more. */
  payload: v.union([Success, SetSuccess, Failure, BatchEnded, BudgetAlert, v.strictObject({})]),
  attempts: v.array(AttemptRecord),
});
export type WebhookRecord = v.InferOutput<typeof WebhookRecord>;

const done = { success: v.literal(true), code: v.literal(200) };

export const Accepted = v.strictObject({ success: v.literal(true), code: v.literal(202), id: RequestId });
export type Accepted = v.InferOutput<typeof Accepted>;
export const WebhookList = v.strictObject({ ...done, webhooks: v.array(WebhookRecord) });
export type WebhookList = v.InferOutput<typeof WebhookList>;
export const WebhookFound = v.strictObject({ ...done, webhook: WebhookRecord });
export type WebhookFound = v.InferOutput<typeof WebhookFound>;

/** The account's secret for signatures; after a rotation the one before, as long as it signs too. */
export const WebhookSecret = v.strictObject({
  ...done,
  secret: v.pipe(v.string(), v.startsWith("whsec_")),
  created_at: timestamp,
  previous: v.optional(v.strictObject({ secret: v.string(), valid_until: timestamp })),
});
export type WebhookSecret = v.InferOutput<typeof WebhookSecret>;
