/**
 * SVG documents, plain or compressed by gzip, as trees: decoded, bounded, and without anything that an XML document may
 * fetch or multiply.
 */
import { parseXml, XmlElement } from "@rgrove/parse-xml";

import { zlib } from "../../../../wasm/zlib.ts";
import { ApiError } from "../../../errors.ts";

/** Text of a document; drawings of maps have some megabytes. */
const MAX_BYTES = 4 << 20;
const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 200;
/** Bytes of a compressed file that are read to see whether it is a drawing; they become at most a megabyte. */
const PEEK_BYTES = 1_024;
const PEEKED_BYTES = 4_096;
const MAX_ENTITIES = 100;
/** What entities may add to a document, in characters. */
const MAX_EXPANSION = 200_000;

export const damaged = (cause?: unknown) =>
  new ApiError(422, "The SVG file is not well-formed, or has no drawing", { cause });
export const tooLarge = () =>
  new ApiError(422, "The SVG file has too much text, too many elements or too deep a nesting");

/** RFC 1952, 2.3.1: the first two bytes, and the one compression that there is. */
function isGzip([first, second, method]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b && method === 8;
}

/**
 * A document without its compression.
 * @throws ApiError 422 when it is damaged or has more text than is read
 */
export function plainSvg(bytes: Uint8Array): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    return zlib().gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : damaged(error);
  }
}

/** What the first bytes of a compressed file become; nothing where they are not compressed. */
function peeked(head: Uint8Array): Uint8Array {
  try {
    const text = zlib().gunzipSync(head.subarray(0, PEEK_BYTES), { finishFlush: zlib().constants.Z_SYNC_FLUSH });
    return text.subarray(0, PEEKED_BYTES);
  } catch {
    return new Uint8Array(0);
  }
}

/** The encoding that a byte order mark says. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const label =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  const text = new TextDecoder(label).decode(bytes);
  const declared = /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(text.slice(0, 200))?.[1];
  if (label !== "utf-8" || !declared || /^utf-?8$/i.test(declared)) return text;
  try {
    return new TextDecoder(declared).decode(bytes);
  } catch {
    return text;
  }
}

/** Whether the first element is `svg`: what may stand before it is passed over. */
export function isSvg(bytes: Uint8Array): boolean {
  const head = isGzip(bytes) ? peeked(bytes) : bytes;
  const [first] = head;
  if (first === undefined || (first > 0x3c && first < 0xef)) return false;
  const text = textOf(head);
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? "")) at++;
    const end = endOfMiscellany(text, at);
    if (end === at) return /^<(?:[\w-]{1,40}:)?svg[\s/>]/.test(text.slice(at, at + 60));
    if (end < 0) return false;
    at = end;
  }
}

/** Where the declaration, instruction, comment or document type at `at` ends; -1 when it does not; `at` for others. */
function endOfMiscellany(text: string, at: number): number {
  const after = (end: string, from = at) => {
    const found = text.indexOf(end, from);
    return found < 0 ? -1 : found + end.length;
  };
  if (text.startsWith("<!--", at)) return after("-->", at + 4);
  if (text.startsWith("<?", at)) return after("?>");
  if (!text.startsWith("<!DOCTYPE", at)) return at;
  const close = after(">");
  if (close < 0) return -1;
  // No further than to the end: to look through all of the text for each of many would take time squared.
  const bracket = text.slice(at, close).indexOf("[");
  if (bracket < 0) return close;
  const end = text.indexOf("]", at + bracket);
  return end < 0 ? -1 : after(">", end);
}

/**
 * The root of a document. Entities that the document declares as plain text are resolved; those that refer to others or
 * to elsewhere are refused.
 * @throws ApiError 422 when the document is not well-formed or beyond the limits
 */
export function parseSvg(file: Uint8Array): XmlElement {
  const bytes = plainSvg(file);
  if (bytes.length > MAX_BYTES) throw tooLarge();
  const text = textOf(bytes);
  if (hasTooManyTags(text)) throw tooLarge();
  const entities = entitiesOf(text);
  let expansion = 0;
  try {
    const { root } = parseXml(text, {
      resolveUndefinedEntity(name) {
        const value = entities.get(name.replace(/^&|;$/g, "")) ?? null;
        expansion += value?.length ?? 0;
        if (expansion > MAX_EXPANSION) throw tooLarge();
        return value;
      },
    });
    if (!root || localName(root.name) !== "svg") throw damaged();
    checkSize(root);
    return root;
  } catch (error) {
    throw error instanceof ApiError ? error : damaged(error);
  }
}

/** The name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function entitiesOf(text: string): Map<string, string> {
  const entities = new Map<string, string>();
  const start = text.indexOf("<!DOCTYPE");
  const open = start < 0 ? -1 : text.indexOf("[", start);
  const close = open < 0 ? -1 : text.indexOf("]", open);
  if (close < 0) return entities;
  const subset = text.slice(open, close);
  if (/<!ENTITY\s+(?:%|[^\s"'>]{1,200}\s+(?:SYSTEM|PUBLIC))/.test(subset)) throw damaged();
  for (const [, name = "", double, single] of subset.matchAll(
    /<!ENTITY\s+([^\s"'>%]{1,200})\s+(?:"([^"]*)"|'([^']*)')/g,
  )) {
    const value = double ?? single ?? "";
    if (/[&<%]/.test(value) || entities.size >= MAX_ENTITIES) throw damaged();
    entities.set(name, value);
  }
  return entities;
}

/** Whether a document plainly has too many elements, which is found without parsing it; comments may hold some tags. */
function hasTooManyTags(text: string): boolean {
  let left = 2 * MAX_ELEMENTS;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    const isStart = !"/!?".includes(text.charAt(at + 1));
    if (isStart && --left < 0) return true;
  }
  return false;
}

function checkSize(root: XmlElement): void {
  let level: XmlElement[] = [root];
  let elements = 0;
  for (let depth = 0; level.length > 0; depth++) {
    elements += level.length;
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) throw tooLarge();
    level = level.flatMap(({ children }) => children.filter((child) => child instanceof XmlElement));
  }
}
