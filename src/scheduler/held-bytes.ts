/** Bytes in memory that was set aside for them before they were read. */
import type { Caller } from "./caller.ts";

/** Memory that was set aside for bytes before they were read. */
export interface Reservation {
  /**
   * Takes room up to so many bytes: at once, or once there is some. What is held stays held.
   * @throws ApiError 503 when there is none within the time that the request may wait
   */
  readonly grow: (bytes: number) => Promise<void> | undefined;
  /** Gives back what is beyond `bytes`. */
  readonly shrink: (bytes: number) => void;
  /** Gives back everything; a second time changes nothing. */
  readonly release: () => void;
}

/** How much of an original is known before it is read, and who asks for it. */
export interface Asked {
  /** Bytes that it is said to have; as many as are asked for, unless told. */
  readonly most?: number;
  /** Bytes that it may have where nothing is said of its length, or too little. */
  readonly ceiling?: number;
  /** Absent: the service itself. */
  readonly caller?: Caller | undefined;
}

/** Where memory is set aside. */
export interface Memory {
  /**
   * Waits for room for so many bytes, or for the first step of them.
   * @throws ApiError 503 when there is none within the time that the caller may wait; the reason of its signal
   */
  readonly take: (bytes: number, asked?: Asked) => Promise<Reservation>;
}

/** Bytes for which memory was set aside. Whoever is given them gives the memory back when nobody will read them again. */
export interface HeldBytes {
  readonly bytes: Uint8Array;
  readonly memory: Reservation;
}

/** Gives memory back together with the bytes, whoever may still know of them: a closure that waits keeps them alive. */
export function discard({ bytes, memory }: HeldBytes): void {
  if (bytes.buffer instanceof ArrayBuffer && !bytes.buffer.detached) bytes.buffer.transfer(0);
  memory.release();
}
