/** What requests and answers say of usage by key and day. */
import * as v from "valibot";

import { digits, record, text } from "../fields.ts";
import { MAX_PAGE_ENTRIES } from "../limits/accounts.ts";

const dayRule = "must be a calendar day in the form 2026-11-20";

/** A day, UTC; the calendar has no 30 February. */
const Day = v.pipe(
  v.string(dayRule),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, dayRule),
  v.check((value) => new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) ?? false, dayRule),
);

const range = {
  /** The first day, included; without it, 30 days up to the last one. */
  start: v.optional(Day),
  /** The last day, included; today without it. */
  end: v.optional(Day),
  key: v.optional(text(1, 64)),
  offset: v.optional(digits(0, Number.MAX_SAFE_INTEGER)),
  limit: v.optional(digits(1, MAX_PAGE_ENTRIES)),
};

const orderRule = "must not be before start";

/** Query parameters are texts. */
export const UsageQuery = v.pipe(
  record(range),
  v.forward(
    v.check(({ start = "", end }) => end === undefined || start <= end, orderRule),
    ["end"],
  ),
);

/** The operator's: all accounts, or one. */
export const AllUsageQuery = v.pipe(
  record({ account: v.optional(text(1, 64)), ...range }),
  v.forward(
    v.check(({ start = "", end }) => end === undefined || start <= end, orderRule),
    ["end"],
  ),
);

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const counts = {
  requests: count,
  errors: count,
  pictures: count,
  bytes_in: count,
  bytes_out: count,
  credits: count,
  /** Processor time of failed requests and jobs, in milliseconds as estimates count them. */
  failed_ms: count,
};

/** What one key did on one day. */
export const UsageRecord = v.strictObject({
  day: v.pipe(v.string(), v.isoDate()),
  account_id: v.pipe(v.string(), v.uuid()),
  key_id: v.pipe(v.string(), v.uuid()),
  /** Name and last characters of the key; empty once it was revoked. */
  key_name: v.string(),
  key_hint: v.string(),
  ...counts,
});
export type UsageRecord = v.InferOutput<typeof UsageRecord>;

/** What one delivery did on one day. */
export const DeliveryUsage = v.strictObject({
  day: v.pipe(v.string(), v.isoDate()),
  account_id: v.pipe(v.string(), v.uuid()),
  delivery_id: v.string(),
  /** Results that were made, a credit each, and drafts of them, which are free. */
  finals: count,
  drafts: count,
  /** Results that came from the bucket. */
  stored_hits: count,
  delivered_bytes: count,
});
export type DeliveryUsage = v.InferOutput<typeof DeliveryUsage>;

const UsageTotal = v.strictObject(counts);
export type UsageTotal = v.InferOutput<typeof UsageTotal>;

export const UsageList = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  /** The days that the answer is about, both included. */
  start: v.pipe(v.string(), v.isoDate()),
  end: v.pipe(v.string(), v.isoDate()),
  /** The newest day first. */
  usage: v.array(UsageRecord),
  /** The total of the whole range, all pages together. */
  total: UsageTotal,
  /** What deliveries did on these days, the newest day first; a page of its own. */
  deliveries: v.array(DeliveryUsage),
});
export type UsageList = v.InferOutput<typeof UsageList>;
