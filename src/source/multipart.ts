/**
 * Streaming reader of multipart bodies (RFC 2046 section 5.1, RFC 7578).
 *
 * Our own because this is the input path of every upload: each part goes straight to where it is wanted, so a file is
 * held once, and every bound is checked before more is read.
 */
import { ApiError } from "../errors.ts";
import { type HeaderValue, parseHeaderValue } from "../header.ts";
import { MAX_MULTIPART_EXTRA_BYTES, MAX_MULTIPART_PARTS, MAX_PART_HEADER_BYTES } from "../limits.ts";
import { gather } from "./gather.ts";
import { type Sink, type Window, windowOn } from "./window.ts";

/** Header values of a part by lower-case name; of two with one name, the first. */
export type PartHeaders = ReadonlyMap<string, HeaderValue>;

const LINE_END = Uint8Array.of(13, 10);
const DASHES = Uint8Array.of(45, 45);
/** RFC 2046 allows 70 characters; some senders write more. */
const BOUNDARY = /^[\u0020-\u007e]{1,200}$/;

/**
 * Reads a body to its end and gives each part's content to the sink that `open` chose for it, which may take its time. Parts without a sink are
 * passed over, and so is what stands before the first and behind the last boundary, as the standard says.
 * @param pull the next chunk of the body; undefined at its end
 * @throws ApiError 400 when the body is not well-formed or has too many parts, 413 when too much of it is nothing that a
 *   sink was chosen for; whatever `open` and the sinks throw
 */
export async function readMultipart(
  pull: () => Promise<Uint8Array | undefined>,
  boundary: string,
  open: (headers: PartHeaders) => Sink | undefined | Promise<Sink | undefined>,
): Promise<void> {
  if (!BOUNDARY.test(boundary)) throw broken("its boundary is missing or not usable");
  const opening = new TextEncoder().encode(`--${boundary}`);
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  const window = windowOn(pull);
  const pass = countingSink();
  if (!(await window.take(opening))) await passTo(window, delimiter, pass);
  for (let parts = 1; !(await window.take(DASHES)); parts++) {
    if (parts > MAX_MULTIPART_PARTS) throw broken(`it has more than ${MAX_MULTIPART_PARTS} parts`);
    const padding = await readLine(window, pass);
    if (padding.some((byte) => byte !== 0x20 && byte !== 0x09)) throw broken("a boundary is followed by other text");
    const sink = (await open(await readHeaders(window, pass))) ?? pass;
    // A part without content may end with the line end of its headers.
    if (!(await window.take(opening))) await passTo(window, delimiter, sink);
  }
  await window.drain(pass);
}

/** Takes what nobody asked for: it is counted, and not kept. */
function countingSink(): Sink {
  let left = MAX_MULTIPART_EXTRA_BYTES;
  return (chunk) => {
    left -= chunk.length;
    if (left >= 0) return;
    throw new ApiError(413, `The request has more than ${MAX_MULTIPART_EXTRA_BYTES} bytes besides file and data`);
  };
}

async function passTo(window: Window, delimiter: Uint8Array, sink: Sink): Promise<void> {
  if (!(await window.passTo(delimiter, sink))) throw broken("its last boundary is missing");
}

/** One line, without its end, counted by `pass`. */
async function readLine(window: Window, pass: Sink, limit = MAX_PART_HEADER_BYTES): Promise<Uint8Array> {
  const line = gather(limit, undefined, () => broken("the headers of a part are too long"));
  const keep: Sink = (chunk) => {
    void pass(chunk);
    void line.write(chunk);
  };
  if (!(await window.passTo(LINE_END, keep))) throw broken("the headers of a part have no end");
  return line.bytes();
}

/** The lines up to the empty one; a line that continues another (obsolete folding) belongs to that. */
async function readHeaders(window: Window, pass: Sink): Promise<PartHeaders> {
  const lines: string[][] = [];
  let left = MAX_PART_HEADER_BYTES;
  for (;;) {
    const line = await readLine(window, pass, left);
    if (line.length === 0) break;
    left -= line.length + LINE_END.length;
    const text = decodeText(line);
    const folded = /^[\t ]/.test(text) ? lines.at(-1) : undefined;
    if (folded) folded.push(text.trim());
    else lines.push([text]);
  }
  const headers = new Map<string, HeaderValue>();
  for (const line of lines.map((pieces) => pieces.join(" "))) {
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
