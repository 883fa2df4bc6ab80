/** The body of a request, for as long as its sender keeps up. */
import { ApiError } from "../errors.ts";
import { MAX_BODY_MS } from "../limits.ts";
import { byteReaderOf } from "./byte-reader.ts";

export interface BodyReader {
  /**
   * The next chunk, which is valid until the next is asked for; undefined at the end.
   * @throws ApiError 400 when the body breaks off, 408 when it has taken too long: then the rest is canceled, as it is
   *   where the sender has hung up; the reason of its signal then
   */
  readonly pull: () => Promise<Uint8Array | undefined>;
  /** Lets go of the body. What was not read is the caller's to discard: it knows whether the sender waits for an answer. */
  readonly release: () => void;
}

/**
 * Reads a body that has to come within a time. Only what the sender takes counts: while nothing is asked of it, because
 * there is no room, the clock stands.
 */
export function readerOf(body: ReadableStream<Uint8Array>, maxMs = MAX_BODY_MS, signal?: AbortSignal): BodyReader {
  const reader = byteReaderOf(body);
  let left = maxMs;
  const pull = async (): Promise<Uint8Array | undefined> => {
    const { promise: ended, resolve: end } = Promise.withResolvers<"late" | "left">();
    const timer = setTimeout(end, Math.max(0, left), "late");
    const leave = () => end("left");
    signal?.addEventListener("abort", leave);
    if (signal?.aborted) leave();
    const since = Date.now();
    const reading = reader.read().catch((cause: unknown) => {
      throw cutShort(cause);
    });
    const part = await Promise.race([reading, ended]).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    });
    if (part === "late" || part === "left") {
      reading.catch(() => undefined);
      void reader.cancel().catch(() => undefined);
      signal?.throwIfAborted();
      const seconds = MAX_BODY_MS / 1_000;
      throw new ApiError(408, `The request body arrived too slowly: it must be here within ${seconds} seconds`);
    }
    left -= Date.now() - since;
    return part;
  };
  return { pull, release: () => reader.releaseLock() };
}

/** A body has fewer bytes than it was to have. */
export function cutShort(cause?: unknown): ApiError {
  return new ApiError(400, "The request body was cut short", { cause });
}
