/** What becomes of a body that an answer did not need. */
import { MAX_DISCARDED_BYTES, MAX_DISCARD_MS } from "../limits.ts";
import { byteReaderOf } from "../source/byte-reader.ts";

/**
 * Reads off what a refused client is still sending, and keeps none of it: a client that sends first and listens later
 * would otherwise find its connection broken instead of the answer. Past a bound the rest is canceled.
 */
export async function discardBody({ body, headers }: Request): Promise<void> {
  if (body === null || body.locked) return;
  const reader = byteReaderOf(body);
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (Number(headers.get("content-length") ?? 0) > MAX_DISCARDED_BYTES) return cancel();
  const timer = setTimeout(cancel, MAX_DISCARD_MS);
  try {
    let left = MAX_DISCARDED_BYTES;
    for (let part = await reader.read(); part && left > 0; part = await reader.read()) left -= part.length;
    if (left <= 0) cancel();
  } catch {
    // The client is gone: nobody is waiting for the answer either.
  } finally {
    clearTimeout(timer);
  }
}
