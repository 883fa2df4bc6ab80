/** SVG documents, plain or compressed by gzip: decoded, bounded, and without anything that an XML document may fetch. */
import { zlib } from "../../../../wasm/zlib.ts";
import { ApiError } from "../../../errors.ts";
import { NotWellFormed, readXml, TooMuchXml, type XmlBounds, type XmlHandler } from "./xml.ts";

/** Text of a document; drawings of maps have some megabytes. */
const MAX_BYTES = 4 << 20;
export const BOUNDS: XmlBounds = {
  elements: 100_000,
  depth: 200,
  attributes: 1_000,
  entities: 100,
  expansion: 200_000,
  // No mark of the file tells them: what they hold is within the least that reading asks for.
  entityElements: 2_000,
};
/** Bytes of a compressed file that are read to see whether it is a drawing; they become at most a megabyte. */
const PEEK_BYTES = 1_024;
const PEEKED_BYTES = 4_096;

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
 * Reads a document. Entities that it declares itself are resolved; those from elsewhere are refused.
 * @throws ApiError 422 when the document is not well-formed or beyond the limits
 */
export function readDocument(file: Uint8Array, handler: XmlHandler): void {
  const bytes = plainSvg(file);
  if (bytes.length > MAX_BYTES) throw tooLarge();
  try {
    readXml(textOf(bytes), handler, BOUNDS);
  } catch (error) {
    if (error instanceof TooMuchXml) throw tooLarge();
    throw error instanceof NotWellFormed ? damaged(error) : error;
  }
}
