/**
 * A body, read piece by piece into one buffer. Each piece in a buffer of its own would lie about until it is collected:
 * thousands for one body, which together have its bytes a second time.
 */

/** The first buffer: a body that stalls at its beginning, like a thousand others, holds no more. */
const LEAST_BYTES = 4 * 1024;
/** The largest: beyond, calls are few enough. */
const MOST_BYTES = 64 * 1024;
/** A buffer grows once so many times its size has come: it stays small beside what was set aside for the body. */
const FILLS = 4;

export interface ByteReader {
  /** The next piece, which is valid until the next is asked for; undefined at the end. */
  readonly read: () => Promise<Uint8Array | undefined>;
  readonly cancel: () => Promise<void>;
  readonly releaseLock: () => void;
}

export function byteReaderOf(body: ReadableStream<Uint8Array>): ByteReader {
  const reader = bytesOf(body);
  if (!reader) return plainReaderOf(body);
  let buffer = new ArrayBuffer(LEAST_BYTES);
  let length = 0;
  return {
    async read() {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (done || !value) return undefined;
      length += value.length;
      // It was handed over and back: what was read before has no bytes any more.
      buffer = value.buffer as ArrayBuffer;
      const { byteLength } = buffer;
      if (byteLength < MOST_BYTES && length >= byteLength * FILLS) buffer = new ArrayBuffer(byteLength * 2);
      return value;
    },
    cancel: () => reader.cancel(),
    releaseLock: () => reader.releaseLock(),
  };
}

/** Undefined for a stream that hands out what it has as it has it, as those that are made here do. */
function bytesOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function plainReaderOf(body: ReadableStream<Uint8Array>): ByteReader {
  const reader = body.getReader();
  return {
    read: async () => (await reader.read()).value,
    cancel: () => reader.cancel(),
    releaseLock: () => reader.releaseLock(),
  };
}
