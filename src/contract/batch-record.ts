/** A batch as answers and notifications have it. */
import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const timestamp = v.pipe(v.string(), v.isoTimestamp());

export const BatchRecord = v.strictObject({
  id: v.pipe(v.string(), v.uuid()),
  state: v.picklist(["listing", "running", "paused", "done", "failed", "canceled"]),
  /** Why it is paused or has failed, where nobody has paused it. */
  error: v.optional(v.string()),
  reason: v.optional(v.string()),
  source: v.strictObject({
    connector: v.string(),
    prefix: v.string(),
    include: v.optional(v.array(v.string())),
    exclude: v.optional(v.array(v.string())),
    after: v.optional(v.string()),
  }),
  target: v.union([v.literal("in-place"), v.strictObject({ connector: v.string(), prefix: v.string() })]),
  only_if_smaller: count,
  dry_run: v.boolean(),
  /** Whether new objects are worked on as notifications tell of them, and when the last one came. */
  events: v.optional(v.union([v.literal(true), v.literal("only")])),
  last_event_at: v.optional(timestamp),
  counts: v.strictObject({
    /** Objects that it is about, as far as the list was read; and whether that is all of it. */
    found: count,
    found_bytes: count,
    listed: v.boolean(),
    /** Listed objects that it is not about. */
    others: count,
    done: count,
    /** Those that were done before, that would not become smaller, and that are gone. */
    skipped: count,
    failed: count,
    /** Bytes of objects that were done. */
    bytes_before: count,
    bytes_after: count,
  }),
  /** Of a dry run at its end. */
  estimate: v.optional(
    v.strictObject({
      objects: count,
      bytes: count,
      /** At most: an object that was done before takes none. */
      credits: count,
      /** What the platform would ask of the service's operator, beyond what the plan includes. */
      dollars: v.pipe(v.number(), v.minValue(0)),
      bytes_saved: count,
      rests_on: v.strictObject({
        /** Objects that were listed, those that the batch is not about included. */
        listed: count,
        /** Objects that were worked on without being written; their bytes and processor time say what the others take. */
        sampled: count,
        sampled_bytes: count,
        sampled_failed: count,
        sampled_ms: count,
        /** For each object: invocations, operations of the queue, calls and rows of Durable Objects, reads and writes of a store. */
        requests: count,
        queue_operations: count,
        calls: count,
        rows: count,
        reads: count,
        writes: count,
      }),
    }),
  ),
  /** The name up to which the list was read. */
  cursor: v.optional(v.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type BatchRecord = v.InferOutput<typeof BatchRecord>;

/** What is posted to the webhook of a batch at its end. */
export const BatchEnded = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  id: v.pipe(v.string(), v.uuid()),
  batch: BatchRecord,
});
export type BatchEnded = v.InferOutput<typeof BatchEnded>;
