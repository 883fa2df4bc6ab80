/** What the paths of batches take and give. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { digits, flag, integer, judgedAs, record } from "../fields.ts";
import { Output, Optimize } from "../image/plan/output.ts";
import { MAX_PAGE_ENTRIES } from "../limits/accounts.ts";
import {
  DEFAULT_SMALLER_PERCENT,
  MAX_CHARACTERS_OF_PATTERNS,
  MAX_KEPT_FAILURES,
  MAX_KEPT_LOOKS,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  SHOWN_DUPLICATES,
  SHOWN_FAILURES,
} from "../limits/batch.ts";
import { MAX_OBJECT_KEY_BYTES } from "../limits/stores.ts";
import { BatchRecord } from "./batch-record.ts";
import { operationEntries } from "./members.ts";
import { checked } from "./message.ts";
import { plainBody } from "./request.ts";
import { Webhook } from "./webhook.ts";

const connectorRule = "must be the id of a saved connector";
const Connector = v.pipe(v.string(connectorRule), v.regex(/^[A-Za-z0-9]{10}$/, connectorRule));

const nameRule = `must be a text of at most ${MAX_OBJECT_KEY_BYTES} bytes without control characters`;
/** What names of objects begin with, or a name. */
const Name = v.pipe(
  v.string(nameRule),
  v.maxBytes(MAX_OBJECT_KEY_BYTES, nameRule),
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  v.regex(/^(?!\/)[^\u0000-\u001f\u007f]*$/, `${nameRule}, and without a slash at its beginning`),
);

const patternsRule = `must be a list of 1 to ${MAX_PATTERNS} patterns of at most ${MAX_PATTERN_CHARACTERS} characters`;
const Patterns = v.pipe(
  v.array(
    v.pipe(v.string(patternsRule), v.nonEmpty(patternsRule), v.maxLength(MAX_PATTERN_CHARACTERS, patternsRule)),
    patternsRule,
  ),
  v.minLength(1, patternsRule),
  v.maxLength(MAX_PATTERNS, patternsRule),
  v.check(
    (patterns) => patterns.join("").length <= MAX_CHARACTERS_OF_PATTERNS,
    `must have at most ${MAX_CHARACTERS_OF_PATTERNS} characters in all its patterns`,
  ),
);

const Source = record({
  connector: Connector,
  prefix: v.optional(Name, ""),
  include: v.optional(Patterns),
  exclude: v.optional(Patterns),
  after: v.optional(Name),
});

const Place = record({ connector: Connector, prefix: v.optional(Name, "") });
const targetRule = 'must be "in-place", or an object with connector and prefix';
const Target = judgedAs(
  v.union([v.literal("in-place"), Place], targetRule),
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  Place,
);

const looksRule = 'must be ["phash"]: batches say nothing else of pictures';
/** What is said of each picture: how it looks, for the report of duplicates. */
const Looks = v.pipe(
  v.array(v.picklist(["phash"], looksRule), looksRule),
  v.minLength(1, looksRule),
  v.maxLength(1, looksRule),
);

const Events = v.union([v.boolean(), v.literal("only")], 'must be true, false or "only"');

const ownEntries = {
  source: Source,
  target: Target,
  only_if_smaller: v.optional(integer(0, 99), DEFAULT_SMALLER_PERCENT),
  dry_run: v.optional(flag(), false),
  events: v.optional(Events, false),
  webhook: v.optional(Webhook),
};

export const NewBatch = record({
  ...ownEntries,
  ...operationEntries,
  output: v.optional(Output),
  optimize: v.optional(Optimize),
  analyze: v.optional(Looks),
});
export type NewBatch = v.InferOutput<typeof NewBatch>;

/**
 * A new batch as its schema describes it.
 * @throws ApiError 422 naming the first member that breaks a rule
 */
export function parseBatch(body: object): NewBatch {
  const own = Object.entries(body).filter(([name]) => Object.hasOwn(ownEntries, name));
  const processing = Object.entries(body).filter(([name]) => !Object.hasOwn(ownEntries, name));
  const batch = checked(NewBatch, { ...plainBody(Object.fromEntries(processing)), ...Object.fromEntries(own) });
  checkTogether(batch);
  return batch;
}

/** @throws ApiError 422 where members do not go together */
function checkTogether({ source, target, output, events, dry_run: isDryRun }: NewBatch): void {
  if (events !== false && isDryRun) {
    throw new ApiError(422, "events must not be given with dry_run: it is about objects that are there");
  }
  if (output?.format === "auto") {
    throw new ApiError(422, "output.format must not be given as auto in a batch: it stands for what a browser shows");
  }
  if (output?.name !== undefined) {
    throw new ApiError(422, "output.name must not be given in a batch: results are named after their originals");
  }
  if (target === "in-place") {
    if (output?.format !== undefined) {
      throw new ApiError(422, "output.format must not be given with target in-place: objects keep their names");
    }
  } else if (target.connector === source.connector && target.prefix === source.prefix) {
    throw new ApiError(422, "target.prefix must differ from source.prefix; in-place replaces originals");
  }
}

/** Failures of a batch: query parameters are texts. */
export const FailureQuery = record({
  offset: v.optional(digits(0, MAX_KEPT_FAILURES)),
  limit: v.optional(digits(1, MAX_PAGE_ENTRIES)),
});

/** Duplicates of a batch: query parameters are texts. */
export const DuplicateQuery = record({
  offset: v.optional(digits(0, MAX_KEPT_LOOKS)),
  limit: v.optional(digits(1, MAX_PAGE_ENTRIES)),
});

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const timestamp = v.pipe(v.string(), v.isoTimestamp());

const ObjectFailure = v.strictObject({
  /** The name of the object. */
  key: v.string(),
  error: v.string(),
  reason: v.string(),
  at: timestamp,
});

const done = { success: v.literal(true), code: v.literal(200) };

export const BatchAccepted = v.strictObject({ success: v.literal(true), code: v.literal(202), batch: BatchRecord });
export const BatchFound = v.strictObject({
  ...done,
  batch: BatchRecord,
  /** The latest. */
  failures: v.pipe(v.array(ObjectFailure), v.maxLength(SHOWN_FAILURES)),
});
export const BatchChanged = v.strictObject({ ...done, batch: BatchRecord });
export const BatchList = v.strictObject({ ...done, batches: v.array(BatchRecord) });
export const FailureList = v.strictObject({ ...done, failures: v.array(ObjectFailure) });

const Duplicate = v.strictObject({
  /** The object that was done first, and how it looks. */
  key: v.string(),
  phash: v.string(),
  /** How many others look like it, and the names of the first of them. */
  count,
  keys: v.pipe(v.array(v.string()), v.maxLength(SHOWN_DUPLICATES)),
});
export const DuplicateList = v.strictObject({
  ...done,
  duplicates: v.array(Duplicate),
  /** False: the batch had more pictures than are compared. */
  complete: v.boolean(),
});
export type DuplicateList = v.InferOutput<typeof DuplicateList>;
