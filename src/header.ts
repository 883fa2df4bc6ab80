/** Header values: those with parameters, read leniently and written strictly, and lists of entity tags. */

import { baseName } from "./files.ts";
import { percentDecoded } from "./percent.ts";

export interface HeaderValue {
  /** What stands before the first semicolon, in lower case. */
  readonly value: string;
  /** By lower-case name; of two with one name, the first. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One `; name=token` or `; name="quoted"`; an unclosed quote ends with the value. */
const PARAMETER = /;[\t ]*(?:([^\s;="]+)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\[^])*)(?:"|$)|([^;]*)))?/y;

/**
 * A header value taken apart. Inside quotes only `\"` and `\\` are escapes: some senders put a Windows path there with
 * its backslashes bare.
 */
export function parseHeaderValue(header: string): HeaderValue {
  const end = header.indexOf(";");
  const value = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  let index = end < 0 ? header.length : end;
  while (index < header.length) {
    PARAMETER.lastIndex = index;
    const match = PARAMETER.exec(header);
    const [all, name, quoted, token] = match ?? [];
    if (all === undefined) {
      // Something that is no parameter: go on behind the next semicolon.
      const next = header.indexOf(";", index + 1);
      index = next < 0 ? header.length : next;
      continue;
    }
    index += all.length;
    const key = name?.toLowerCase();
    if (key !== undefined && !parameters.has(key)) {
      parameters.set(key, quoted?.replace(/\\(["\\])/g, "$1") ?? token?.trim() ?? "");
    }
  }
  return { value, parameters };
}

/** The file name of a Content-Disposition: `filename*` (RFC 8187) before `filename`; undefined when it names none. */
export function dispositionFileName({ parameters }: HeaderValue): string | undefined {
  const extended = parameters.get("filename*");
  const decoded = extended === undefined ? undefined : decodeExtended(extended);
  if (decoded !== undefined) return decoded;
  // Browsers write quotes and line breaks of a name like this (HTML, multipart/form-data encoding).
  return parameters.get("filename")?.replace(/%(?:22|0D|0A)/gi, (escape) => (escape === "%22" ? '"' : ""));
}

/** `charset'language'percent-encoded`; undefined when it is not that. */
function decodeExtended(value: string): string | undefined {
  const match = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value);
  const [, charset, encoded] = match ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  try {
    if (charset.toLowerCase() === "utf-8") return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  return encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * A Content-Disposition that carries any name: ASCII for old clients, UTF-8 (RFC 6266, RFC 8187) for the others. No path
 * leaves here: clients that write a file where its name says would leave their folder.
 */
export function contentDisposition(type: "inline" | "attachment", given: string): string {
  const name = baseName(given) || "image";
  const ascii = name.replace(/[^\u0020-\u007e]|["\\%]/g, "_");
  const extended = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${extended}`;
}

/**
 * Whether a list of entity tags, as If-Match and If-None-Match have it, names this one (RFC 9110 section 8.8.3.2).
 * @param isWeakEnough tags that are weak count as well
 */
export function listsTag(list: string, etag: string, isWeakEnough: boolean): boolean {
  if (list.trim() === "*") return true;
  const tags = list.split(",").map((tag) => tag.trim());
  return tags.some((tag) => (isWeakEnough ? tag.replace(/^W\//, "") : tag) === etag);
}

/** Content-Length, as a hint: the bytes are counted anyway. */
export function announcedBytes(headers: Headers): number | undefined {
  const header = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** The credentials of a URL as the value of `Authorization` (RFC 7617). A stray percent sign in them stands for itself. */
export function basicCredentials({ username, password }: URL): string {
  const [name, secret] = [username, password].map((text) => percentDecoded(text) ?? text);
  return `Basic ${new TextEncoder().encode(`${name}:${secret}`).toBase64()}`;
}
