/**
 * Notifications of the platform's buckets (R2 event notifications), by which batches hear of new objects. They come at least
 * once, in any order, and of objects that are gone again; what a batch does to an object is safe to begin any number of times.
 */
import { isObject } from "../json.ts";
import { MAX_LISTENERS } from "../limits/batch.ts";

/** A new object, as a notification tells of it. */
export interface BucketEvent {
  /** The platform's account that has the bucket. */
  readonly account: string;
  readonly bucket: string;
  readonly key: string;
  readonly bytes: number;
}

/** Actions after which an object is there that is new, or another one than before. */
const CREATING: ReadonlySet<string> = new Set(["PutObject", "CopyObject", "CompleteMultipartUpload"]);

/** Undefined: the message is no notification of a bucket; null: it is one of an object that is not new, such as a deleted one. */
export function readEvent(body: unknown): BucketEvent | null | undefined {
  if (!isObject(body) || !isObject(body["object"])) return undefined;
  const { account, action, bucket, object } = body;
  const { key, size } = object;
  if (![account, action, bucket, key].every((text) => typeof text === "string")) return undefined;
  if (!CREATING.has(action as string)) return null;
  const bytes = Number.isSafeInteger(size) && (size as number) >= 0 ? (size as number) : 0;
  return { account: account as string, bucket: bucket as string, key: key as string, bytes };
}

/** An endpoint of R2 names the account that has its buckets. */
const ENDPOINT = /^https:\/\/([\da-f]{32})\.(?:[a-z]+\.)?r2\.cloudflarestorage\.com\/?$/i;

/**
 * Whose buckets a store leads to, as notifications say it; undefined where none can come from there.
 * @param isLocal stores on private addresses are allowed: those stand in for any
 */
export function accountOfEvents(store: Readonly<Record<string, unknown>>, isLocal: boolean): string | undefined {
  const { endpoint } = store;
  if (typeof endpoint !== "string") return undefined;
  const [, account] = ENDPOINT.exec(endpoint) ?? [];
  return account?.toLowerCase() ?? (isLocal && endpoint !== "" ? "" : undefined);
}

/**
 * Has a batch be told of new objects of a bucket.
 * @param db the directory
 * @returns false: as many batches as may be are told of them
 */
export async function listen(
  db: D1Database,
  { bucket, account, batch }: { readonly bucket: string; readonly account: string; readonly batch: string },
): Promise<boolean> {
  const sql =
    "INSERT INTO bucket_events (bucket, account, batch_id) SELECT ?1, ?2, ?3 WHERE " +
    "(SELECT count(*) FROM bucket_events WHERE bucket = ?1 AND account = ?2) < ?4";
  const { meta } = await db.prepare(sql).bind(bucket, account, batch, MAX_LISTENERS).run();
  return meta.changes > 0;
}

/** A batch is not told of objects any more. */
export async function unlisten(db: D1Database, bucket: string, batch: string): Promise<void> {
  await db.prepare("DELETE FROM bucket_events WHERE bucket = ? AND batch_id = ?").bind(bucket, batch).run();
}

export interface EventPorts {
  /** The directory. */
  readonly db: D1Database;
  /** Tells a batch of new objects. @returns false when it does not want to hear of any more */
  readonly tell: (batch: string, objects: readonly Pick<BucketEvent, "key" | "bytes">[]) => Promise<boolean>;
}

/** Tells the batches that listen of new objects. @throws when one of them could not be told: telling all again is safe */
export async function tellOfEvents(events: readonly BucketEvent[], { db, tell }: EventPorts): Promise<void> {
  for (const { account, bucket, objects } of byBucket(events)) {
    const sql = "SELECT batch_id FROM bucket_events WHERE bucket = ? AND account IN ('', ?) LIMIT ?";
    // oxlint-disable-next-line no-await-in-loop -- few buckets are in one batch of messages
    const { results } = await db.prepare(sql).bind(bucket, account, MAX_LISTENERS).all<{ batch_id: string }>();
    // oxlint-disable-next-line no-await-in-loop -- as above
    await Promise.all(
      results.map(async ({ batch_id: batch }) => {
        if (!(await tell(batch, objects))) await unlisten(db, bucket, batch);
      }),
    );
  }
}

/** New objects of each bucket, each name once. */
function byBucket(events: readonly BucketEvent[]) {
  const buckets = new Map<string, { account: string; bucket: string; objects: Map<string, BucketEvent> }>();
  for (const event of events) {
    const account = event.account.toLowerCase();
    const name = `${account}/${event.bucket}`;
    const known = buckets.get(name) ?? { account, bucket: event.bucket, objects: new Map() };
    buckets.set(name, known);
    known.objects.set(event.key, event);
  }
  return [...buckets.values()].map(({ objects, ...rest }) => ({
    ...rest,
    objects: [...objects.values()].map(({ key, bytes }) => ({ key, bytes })),
  }));
}
