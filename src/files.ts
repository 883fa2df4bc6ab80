/** Results as files, and the names that files may have. */
import { MAX_NAME_CHARACTERS } from "./limits.ts";

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
