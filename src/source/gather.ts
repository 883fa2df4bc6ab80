/** Chunks of unknown or claimed length gathered in one buffer. */
import type { ApiError } from "../errors.ts";
import type { Memory, Reservation } from "../files.ts";
import { SMALL_ORIGINAL_BYTES } from "../limits.ts";

/** The first buffer when nothing is known of the length. */
const START_BYTES = 64 * 1024;

/**
 * Takes chunks one after the other; holds one copy of them, and a second only while it grows. What is left behind goes at
 * once, so that pages with something in them never exceed the limit.
 */
export interface Gatherer {
  /** @throws the error that `tooLarge` makes, before more than `limit` bytes are held */
  readonly write: (chunk: Uint8Array) => void;
  /** Everything written, in a buffer of at most an eighth more than that: the end of writing. */
  readonly bytes: () => Uint8Array;
}

/**
 * @param limit bytes held at most
 * @param expected bytes, where a header announced them: the buffer then has this size from the start, and never grows
 *   unless the announcement was too low
 * @param room told the size of every buffer before it is made
 */
export function gather(
  limit: number,
  expected: number | undefined,
  tooLarge: () => ApiError,
  room: (bytes: number) => void = () => undefined,
): Gatherer {
  let buffer: Uint8Array<ArrayBuffer> | undefined;
  let length = 0;
  const reserve = (needed: number): Uint8Array => {
    if (buffer === undefined) {
      const bytes = Math.min(limit, Math.max(needed, expected ?? START_BYTES));
      room(bytes);
      buffer = new Uint8Array(bytes);
    } else if (needed > buffer.length) {
      const bytes = Math.min(limit, Math.max(needed, buffer.length * 2));
      room(bytes);
      const larger = new Uint8Array(bytes);
      larger.set(buffer.subarray(0, length));
      buffer.buffer.transfer(0);
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
      if (buffer.length - length <= length / 8) return buffer.subarray(0, length);
      const fitting = buffer.slice(0, length);
      buffer.buffer.transfer(0);
      buffer = fitting;
      return fitting;
    },
  };
}

/** Room for a body, and what tells it the size of a buffer before that is made. */
export interface Room {
  readonly reservation: Reservation;
  readonly need: (bytes: number) => void;
}

/**
 * Sets room aside before a body is read: for what it announces, else for a small one, and for the largest that is allowed
 * as soon as it turns out to be none.
 * @throws ApiError 503 when there is none, `need` too
 */
export function roomFor(memory: Memory, announced: number | undefined, most: number): Room {
  const first = Math.min(announced ?? SMALL_ORIGINAL_BYTES, most);
  const reservation = memory.reserve(first);
  // Half: a buffer that grows stands beside the one that it replaces, and beside the options of an upload.
  const need = (bytes: number) => {
    if (announced === undefined && bytes > first / 2) reservation.grow(most);
  };
  return { reservation, need };
}
