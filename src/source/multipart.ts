/**
 * Streaming reader of multipart bodies (RFC 2046 section 5.1, RFC 7578).
 *
 * Our own because this is the input path of every upload: each part goes straight to where it is wanted, so a file is
 * held once, and every bound is checked before more is read.
 */
import { ApiError } from "../errors.ts";
import { type HeaderValue, parseHeaderValue } from "../header.ts";
import { MAX_PART_HEADER_BYTES } from "../limits.ts";
import { gather } from "./gather.ts";
import { type Sink, type Window, windowOn } from "./window.ts";

/** Header values of a part by lower-case name; of two with one name, the first. */
export type PartHeaders = ReadonlyMap<string, HeaderValue>;

const LINE_END = Uint8Array.of(13, 10);
const DASHES = Uint8Array.of(45, 45);
/** RFC 2046 allows 70 characters; some senders write more. */
const BOUNDARY = /^[\u0020-\u007e]{1,200}$/;
const ignore: Sink = () => undefined;

/**
 * Reads a body to its end and gives each part's content to the sink that `open` chose for it. What stands before the
 * first and behind the last boundary is ignored, as the standard says.
 * @param pull the next chunk of the body; undefined at its end
 * @throws ApiError 400 when the body is not well-formed; whatever `open` and the sinks throw
 */
export async function readMultipart(
  pull: () => Promise<Uint8Array | undefined>,
  boundary: string,
  open: (headers: PartHeaders) => Sink,
): Promise<void> {
  if (!BOUNDARY.test(boundary)) throw broken("its boundary is missing or not usable");
  const opening = new TextEncoder().encode(`--${boundary}`);
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  const window = windowOn(pull);
  if (!(await window.take(opening))) await passTo(window, delimiter, ignore);
  while (!(await window.take(DASHES))) {
    const padding = await readLine(window);
    if (padding.some((byte) => byte !== 0x20 && byte !== 0x09)) throw broken("a boundary is followed by other text");
    const sink = open(await readHeaders(window));
    // A part without content may end with the line end of its headers.
    if (!(await window.take(opening))) await passTo(window, delimiter, sink);
  }
  await window.drain();
}

async function passTo(window: Window, delimiter: Uint8Array, sink: Sink): Promise<void> {
  if (!(await window.passTo(delimiter, sink))) throw broken("its last boundary is missing");
}

/** One line, without its end. */
async function readLine(window: Window, limit = MAX_PART_HEADER_BYTES): Promise<Uint8Array> {
  const line = gather(limit, undefined, () => broken("the headers of a part are too long"));
  if (!(await window.passTo(LINE_END, line.write))) throw broken("the headers of a part have no end");
  return line.bytes();
}

/** The lines up to the empty one; a line that continues another (obsolete folding) belongs to that. */
async function readHeaders(window: Window): Promise<PartHeaders> {
  const lines: string[] = [];
  let left = MAX_PART_HEADER_BYTES;
  for (;;) {
    const line = await readLine(window, left);
    if (line.length === 0) break;
    left -= line.length + LINE_END.length;
    const text = decodeText(line);
    if (/^[\t ]/.test(text) && lines.length > 0) lines.push(`${lines.pop()} ${text.trim()}`);
    else lines.push(text);
  }
  const headers = new Map<string, HeaderValue>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw broken("a part has a malformed header");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!headers.has(name)) headers.set(name, parseHeaderValue(line.slice(colon + 1)));
  }
  return headers;
}

/** UTF-8, which is what senders write today, or else one byte a character. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

function broken(reason: string): ApiError {
  return new ApiError(400, `The multipart body is broken: ${reason}`);
}
