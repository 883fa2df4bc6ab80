/**
 * Results as objects of the bucket: `derived/<delivery>/<original>/<request>`. The names are hashes, so that no part of an
 * address can leave its place, and everything of an original, or of a delivery, lies under one prefix.
 */

const PREFIX = "derived/";
/** Hexadecimal digits of a hash in a name: 128 bits. */
const HASH_CHARACTERS = 32;
/** Most keys that R2 lists or deletes at once. */
const BATCH_KEYS = 1_000;

/** Where everything of a delivery lies. */
export function deliveryPrefix(delivery: string): string {
  return `${PREFIX}${delivery}/`;
}

/** Where everything of an original lies. */
export async function originalPrefix(delivery: string, identity: string): Promise<string> {
  return `${deliveryPrefix(delivery)}${await shortHash(identity)}/`;
}

/** The first half of a SHA-256, in hex. */
export async function shortHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex().slice(0, HASH_CHARACTERS);
}

/**
 * Deletes the objects under a prefix.
 * @param before milliseconds since 1970: only what was put earlier
 * @param batches of objects at most
 * @returns whether there may be more
 */
export async function forget(bucket: R2Bucket, prefix: string, before: number, batches: number): Promise<boolean> {
  let cursor: string | undefined;
  for (let batch = 0; batch < batches; batch++) {
    const page = await bucket.list({ prefix, limit: BATCH_KEYS, ...(cursor !== undefined && { cursor }) });
    const due = page.objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
    if (due.length > 0) await bucket.delete(due);
    if (!page.truncated) return false;
    ({ cursor } = page);
  }
  return true;
}
