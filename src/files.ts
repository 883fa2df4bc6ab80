/** Images as files, and the names they may have. */
import { MAX_NAME_CHARACTERS } from "./limits.ts";
import type { Caller } from "./scheduler/caller.ts";

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

/** An image as it arrived. */
export interface Original extends HeldBytes {
  /** The file name it came with; empty when it had none. */
  readonly name: string;
}

/** A result that is ready to be stored. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly mime: string;
  /** A file name with the right extension. */
  readonly name: string;
}

/** Control and format characters: line breaks, NUL, zero-width marks, and the overrides that disguise an extension. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** An extension that is worth keeping when a long name is cut. */
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;

/**
 * The plain base name in what a caller called a file: no path of either kind, nothing invisible, composed Unicode,
 * at most MAX_NAME_CHARACTERS; empty when nothing is left.
 */
export function baseName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const plain = last.toWellFormed().replace(INVISIBLE, "").normalize("NFC").trim();
  const name = shorten(plain);
  return /^\.*$/.test(name) ? "" : name;
}

/** Cut before the extension, and never inside a surrogate pair. */
function shorten(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? "";
  const stem = name.slice(0, MAX_NAME_CHARACTERS - extension.length);
  return stem.replace(/[\ud800-\udbff]$/, "").trimEnd() + extension;
}
