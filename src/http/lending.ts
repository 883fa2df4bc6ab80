/**
 * The bytes of answers from memory. Whoever reads slowly keeps them there for as long as it likes, when the work that they
 * come from is long over: all such readers together are lent a bounded part of the isolate. Who comes when it is lent out,
 * or asks for more than that, is answered from the bucket, at its own pace and out of nobody's memory.
 */
import { MAX_LENT_BYTES } from "../limits/isolate.ts";
import { isolateLeases } from "../scheduler/isolate-leases.ts";

/** Who reads, and how much memory is kept for it. */
const readers = isolateLeases();

/** Bytes that are kept for readers. */
export function lentBytes(): number {
  return readers.sum;
}

/** Whether an answer of so many bytes may come from memory. */
export function canLend(bytes: number): boolean {
  return readers.sum + bytes <= MAX_LENT_BYTES;
}

/** Bytes that are lent to somebody who has not begun to read them. */
export interface HeldForReader {
  /** Gives the memory back; a second time changes nothing. */
  readonly leave: () => void;
}

/** Lends memory for bytes until whoever may read them gives it back, or its invocation ends; undefined: there is no room. */
export function holdForReader(bytes: number): HeldForReader | undefined {
  return canLend(bytes) ? readers.join(bytes) : undefined;
}

/**
 * A body of these bytes, counted until the last of them is read, or nobody reads them any more.
 * @param defer keeps the invocation alive meanwhile
 * @returns undefined when there is no room
 */
export function lend(
  bytes: Uint8Array,
  defer: (work: Promise<unknown>) => void,
): ReadableStream<Uint8Array> | undefined {
  const { buffer, length } = bytes;
  if (!canLend(buffer.byteLength)) return undefined;
  const reader = readers.join(buffer.byteLength);
  // What is written here is taken as soon as it is read, and not before.
  const { readable, writable } = new FixedLengthStream(length);
  const reading = new Response(bytes as Uint8Array<ArrayBuffer>).body?.pipeTo(writable) ?? writable.close();
  // Who hangs up has read all that it wants.
  defer(reading.catch(() => undefined).finally(() => reader.leave()));
  return readable;
}
