/**
 * Purges that work under way may not know of. Whoever keeps a result looks here before and after: a result whose original
 * was asked for before a purge of it is not kept. Remembered in the bucket beside the results, as long as any work that had
 * begun before may last.
 */
import { PURGE_KEPT_MS } from "../limits/delivery.ts";

const PREFIX = "purged/";
/** Stands for all originals of a delivery. */
const ALL = "all";
/** Most keys that R2 lists or deletes at once. */
const BATCH_KEYS = 1_000;

/**
 * Remembers a purge. It must be remembered before anything is deleted.
 * @param original the hash that names the original; absent: all originals of the delivery
 * @param now milliseconds since 1970
 */
export async function rememberPurge(
  bucket: R2Bucket,
  delivery: string,
  original: string | undefined,
  now: number,
): Promise<void> {
  await bucket.put(`${PREFIX}${delivery}/${original ?? ALL}`, "", { customMetadata: { at: String(now) } });
}

/**
 * Whether a delivery, or one of its originals, was purged since a moment.
 * @param moment milliseconds since 1970
 */
export async function isPurgedSince(
  bucket: R2Bucket,
  { delivery, original }: { readonly delivery: string; readonly original: string },
  moment: number,
): Promise<boolean> {
  const marks = await Promise.all([ALL, original].map((name) => bucket.head(`${PREFIX}${delivery}/${name}`)));
  return marks.some((mark) => Number(mark?.customMetadata?.["at"] ?? Number.NEGATIVE_INFINITY) > moment);
}

/**
 * Forgets purges that no work can have begun before.
 * @param now milliseconds since 1970
 */
export async function sweepPurges(bucket: R2Bucket, now: number): Promise<void> {
  const { objects } = await bucket.list({ prefix: PREFIX, limit: BATCH_KEYS });
  const due = objects.filter(({ uploaded }) => uploaded.getTime() + PURGE_KEPT_MS < now).map(({ key }) => key);
  if (due.length > 0) await bucket.delete(due);
}
