/** What requests say of an answer that they have, in whole or in part (RFC 9110, sections 13 and 14). */
import { listsTag } from "./header.ts";

/** By what versions of an answer are told apart. */
export interface Version {
  readonly etag: string;
  /** Milliseconds since 1970, whole seconds, as headers have it; NaN where nothing is known. */
  readonly changedAt: number;
}

/** The bytes of a part, the last one included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Milliseconds since 1970; what is no date compares as neither earlier nor later. */
export function dateOf(text: string | null): number {
  return text === null || !text.endsWith(" GMT") ? Number.NaN : Date.parse(text);
}

/** If-None-Match, compared weakly; only without it, If-Modified-Since (section 13.2.2). */
export function isUnchanged(asked: Headers, { etag, changedAt }: Version): boolean {
  const noneMatch = asked.get("if-none-match");
  if (noneMatch !== null) return listsTag(noneMatch, etag, true);
  return changedAt <= dateOf(asked.get("if-modified-since"));
}

/** If-Range: a part continues what a client has only if that was a part of the same, by a strong tag or the very same date. */
export function continues(asked: Headers, { etag, changedAt }: Version): boolean {
  const condition = asked.get("if-range")?.trim();
  if (condition === undefined) return true;
  return condition.includes('"') ? condition === etag : dateOf(condition) === changedAt;
}

/** The part that a Range asks for; undefined where that is the whole, or several parts, which are never sent. */
export function partOf(header: string | null, length: number): Part | "unsatisfiable" | undefined {
  const [, first, last] = /^\s*bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "" || Number.isNaN(length)) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  return start <= end ? { start, end } : "unsatisfiable";
}
