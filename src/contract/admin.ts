/** What the operator's administration API takes and gives. */
import * as v from "valibot";

import { digits, httpUrl, integer, oneOf, record, text } from "../fields.ts";
import {
  MAX_AGENT_DAILY_LIMIT,
  MAX_CPU_SECONDS_PER_DAY,
  MAX_CREDITS,
  MAX_FINALS_PER_DAY,
  MAX_PAGE_ENTRIES,
} from "../limits/accounts.ts";
import { MAX_OBJECT_KEY_BYTES } from "../limits/stores.ts";
import { MAX_WEBHOOK_URL_CHARACTERS } from "../limits/webhook.ts";

const Plan = text(1, 64);
/** Credits of a calendar month; null: any number. */
const Credits = v.nullable(integer(0, MAX_CREDITS));
const moment = v.pipe(v.string(), v.isoTimestamp());

/** What an account may spend; absent: no bound beside its plan. */
const Limits = record({
  /** Of a calendar month. */
  credits_per_month: v.optional(integer(1, MAX_CREDITS)),
  /** Processor time of a day (UTC), drafts included. */
  cpu_seconds_per_day: v.optional(integer(1, MAX_CPU_SECONDS_PER_DAY)),
  /** New results of deliveries on a day (UTC). */
  finals_per_day: v.optional(integer(1, MAX_FINALS_PER_DAY)),
});

/** Where 80 and 100 percent of a bound are told. */
const Alerts = record({ webhook: httpUrl(MAX_WEBHOOK_URL_CHARACTERS) });

const budgetEntries = {
  /** All of them: what is left out is no bound any more. */
  limits: v.optional(v.nullable(Limits)),
  alerts: v.optional(v.nullable(Alerts)),
};

export const NewAccount = record({
  name: text(1, 128),
  plan: v.optional(Plan),
  credits_total: v.optional(Credits),
  ...budgetEntries,
});

const grantRule = "must be a folder that ends in a slash, without . and .. segments, or / for the whole bucket";

/** `folder/`, or `/` for the whole bucket. */
const GrantedFolder = v.pipe(
  v.string(grantRule),
  v.maxBytes(MAX_OBJECT_KEY_BYTES, `must be at most ${MAX_OBJECT_KEY_BYTES} bytes`),
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  v.regex(/^(?:\/|(?!(?:.*\/)?\.{1,2}\/)(?!\/|.*\/\/)[^\\\u0000-\u001f\u007f]*\/)$/, grantRule),
);

export const AccountChange = record({
  status: v.optional(oneOf(["active", "suspended"])),
  plan: v.optional(Plan),
  credits_total: v.optional(Credits),
  /** The folder of the bucket of originals that the account may read; null: none of it. */
  originals: v.optional(v.nullable(GrantedFolder)),
  ...budgetEntries,
});

/** What a key opens: the whole interface, or the entrance for agents alone. */
const KeyKind = oneOf(["api", "agent"]);

export const NewKey = v.pipe(
  record({
    name: v.optional(text(0, 128)),
    kind: v.optional(KeyKind),
    /** Calls of an agent that process an image, on one day (UTC). */
    daily_limit: v.optional(integer(1, MAX_AGENT_DAILY_LIMIT)),
  }),
  v.forward(
    v.check(({ kind, daily_limit: limit }) => limit === undefined || kind === "agent", "is for keys of the kind agent"),
    ["daily_limit"],
  ),
);

export const SelfTest = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  /** Those that were written and read again, and those that are only read. */
  formats: v.array(v.string()),
});

/** Pages of a list; query parameters are texts. */
export const PageQuery = record({
  offset: v.optional(digits(0, Number.MAX_SAFE_INTEGER)),
  limit: v.optional(digits(1, MAX_PAGE_ENTRIES)),
});

export const AccountRecord = v.strictObject({
  id: v.pipe(v.string(), v.uuid()),
  name: v.string(),
  plan: v.string(),
  /** Credits of a calendar month; null: any number. */
  credits_total: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))),
  status: v.picklist(["active", "suspended"]),
  created_at: moment,
  /** Which database holds its records. */
  database: v.string(),
  /** The folder of the bucket of originals that it may read, / for all of it; null: none. */
  originals: v.nullable(v.string()),
  limits: v.optional(Limits),
  /** The address without user and password. */
  alerts: v.optional(v.strictObject({ webhook: v.string() })),
});
export type AccountRecord = v.InferOutput<typeof AccountRecord>;

export const KeyRecord = v.strictObject({
  id: v.pipe(v.string(), v.uuid()),
  name: v.string(),
  /** The last characters of the key. */
  hint: v.string(),
  created_at: moment,
  kind: v.picklist(["api", "agent"]),
  /** Of a key for agents: calls that process an image, on one day (UTC). */
  daily_limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
export type KeyRecord = v.InferOutput<typeof KeyRecord>;

const done = { success: v.literal(true), code: v.literal(200) };
const created = { success: v.literal(true), code: v.literal(201) };

export const AccountCreated = v.strictObject({ ...created, account: AccountRecord, key: v.string() });
export const AccountFound = v.strictObject({ ...done, account: AccountRecord });
export const AccountList = v.strictObject({ ...done, accounts: v.array(AccountRecord) });
export const KeyCreated = v.strictObject({ ...created, ...KeyRecord.entries, key: v.string() });
export const KeyList = v.strictObject({ ...done, keys: v.array(KeyRecord) });
export const VaultResealed = v.strictObject({
  ...done,
  resealed: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** 0: all is sealed under the first key, and the others can be dropped. */
  left: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
export const KeyDeleted = v.strictObject({ ...done, id: KeyRecord.entries.id });
