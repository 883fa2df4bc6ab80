/** Chunks of unknown or claimed length gathered in one buffer. */
import type { ApiError } from "../errors.ts";

/** The first buffer when nothing is known of the length. */
const START_BYTES = 64 * 1024;

/** Takes chunks one after the other; holds one copy of them, and a second only while it grows. */
export interface Gatherer {
  /** @throws the error that `tooLarge` makes, before more than `limit` bytes are held */
  readonly write: (chunk: Uint8Array) => void;
  /** Everything written, in a buffer of at most an eighth more than that. */
  readonly bytes: () => Uint8Array;
}

/**
 * @param limit bytes held at most
 * @param expected bytes, where a header announced them: the buffer then has this size from the start, and never grows
 *   unless the announcement was too low
 */
export function gather(limit: number, expected: number | undefined, tooLarge: () => ApiError): Gatherer {
  let buffer: Uint8Array | undefined;
  let length = 0;
  const reserve = (needed: number): Uint8Array => {
    if (buffer === undefined) {
      buffer = new Uint8Array(Math.min(limit, Math.max(needed, expected ?? START_BYTES)));
    } else if (needed > buffer.length) {
      const larger = new Uint8Array(Math.min(limit, Math.max(needed, buffer.length * 2)));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    return buffer;
  };
  return {
    write(chunk) {
      if (length + chunk.length > limit) throw tooLarge();
      reserve(length + chunk.length).set(chunk, length);
      length += chunk.length;
    },
    bytes() {
      if (buffer === undefined) return new Uint8Array(0);
      return buffer.length - length > length / 8 ? buffer.slice(0, length) : buffer.subarray(0, length);
    },
  };
}
