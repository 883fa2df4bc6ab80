/** The body of a request, for as long as its sender keeps up. */
import { ApiError } from "../errors.ts";
import { BODY_GRACE_MS, MAX_BODY_MS, MIN_BODY_BYTES_PER_SECOND } from "../limits.ts";
import { byteReaderOf } from "./byte-reader.ts";

/** How long a body may take. */
export interface Pace {
  /** How far it may fall behind, and the longest silence. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
  readonly maxMs: number;
}

const PACE: Pace = { graceMs: BODY_GRACE_MS, bytesPerSecond: MIN_BODY_BYTES_PER_SECOND, maxMs: MAX_BODY_MS };

export interface BodyReader {
  /**
   * The next chunk, which is valid until the next is asked for; undefined at the end.
   * @throws ApiError 400 when the body breaks off, 408 when it comes too slowly: then the rest is canceled
   */
  readonly pull: () => Promise<Uint8Array | undefined>;
  /** Lets go of the body. What was not read is the caller's to discard: it knows whether the sender waits for an answer. */
  readonly release: () => void;
}

/** Reads a body that has a deadline, which moves with every byte that arrives, but never further ahead than the grace. */
export function readerOf(body: ReadableStream<Uint8Array>, pace = PACE): BodyReader {
  const reader = byteReaderOf(body);
  const last = Date.now() + pace.maxMs;
  let deadline = Date.now() + pace.graceMs;
  const pull = async (): Promise<Uint8Array | undefined> => {
    const { promise: tooLate, resolve: giveUp } = Promise.withResolvers<"late">();
    const timer = setTimeout(giveUp, Math.max(0, Math.min(deadline, last) - Date.now()), "late");
    const reading = reader.read().catch((cause: unknown) => {
      throw new ApiError(400, "The request body was cut short", { cause });
    });
    const part = await Promise.race([reading, tooLate]).finally(() => clearTimeout(timer));
    if (part === "late") {
      reading.catch(() => undefined);
      void reader.cancel().catch(() => undefined);
      throw new ApiError(408, "The request body arrived too slowly");
    }
    const earned = ((part?.length ?? 0) / pace.bytesPerSecond) * 1000;
    deadline = Math.min(deadline + earned, Date.now() + pace.graceMs);
    return part;
  };
  return { pull, release: () => reader.releaseLock() };
}
