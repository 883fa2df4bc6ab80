/** Conditional and partial requests (RFC 9110, sections 13 and 14), of an answer that is there as a whole. */
import { ApiError } from "../errors.ts";
import { listsTag } from "../header.ts";

interface Range {
  readonly start: number;
  /** The last byte, included. */
  readonly end: number;
}

/** What belongs to a body that is not sent. */
const OF_BODIES = ["content-length", "content-type", "content-disposition"];

/**
 * What this request gets of an answer: all of it, a part (206), or no body, because it has it already (304) or wants none.
 * @throws ApiError 412 when it is about another version, 416 when it asks for bytes that are not there
 */
export function answerTo(request: Request, answer: Response): Response {
  try {
    return chosen(request, answer);
  } catch (error) {
    void answer.body?.cancel();
    throw error;
  }
}

function chosen({ headers: asked, method }: Request, answer: Response): Response {
  const headers = new Headers(answer.headers);
  headers.set("Accept-Ranges", "bytes");
  const isUnchanged = isHad(asked, headers);
  if (isUnchanged || method === "HEAD") {
    void answer.body?.cancel();
    if (isUnchanged) for (const name of OF_BODIES) headers.delete(name);
    return new Response(null, { status: isUnchanged ? 304 : 200, headers });
  }
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const range = isSame(asked.get("if-range"), headers) ? rangeOf(asked.get("range"), length) : undefined;
  if (range === undefined || !answer.body) return new Response(answer.body, { headers });
  headers.set("Content-Range", `bytes ${range.start}-${range.end}/${length}`);
  headers.set("Content-Length", String(range.end - range.start + 1));
  return new Response(partOf(answer.body, range), { status: 206, headers });
}

/**
 * Whether the client has the answer already. Section 13.2.2 has the order: entity tags count before dates.
 * @throws ApiError 412
 */
function isHad(asked: Headers, headers: Headers): boolean {
  const etag = headers.get("etag") ?? "";
  const changedAt = dateOf(headers.get("last-modified"));
  const [match, unmodifiedSince] = [asked.get("if-match"), dateOf(asked.get("if-unmodified-since"))];
  const isOther = match === null ? changedAt > unmodifiedSince : !listsTag(match, etag, false);
  if (isOther) throw new ApiError(412, "The picture is not the one that the request is about");
  const noneMatch = asked.get("if-none-match");
  if (noneMatch !== null) return listsTag(noneMatch, etag, true);
  return changedAt <= dateOf(asked.get("if-modified-since"));
}

/** Milliseconds since 1970; what is no date compares as neither earlier nor later. */
function dateOf(text: string | null): number {
  return text === null || !text.endsWith(" GMT") ? Number.NaN : Date.parse(text);
}

/** A part continues what a client has only if that was a part of the same: by a strong tag, or the very same date. */
function isSame(condition: string | null, headers: Headers): boolean {
  if (condition === null) return true;
  return condition.trim() === headers.get(condition.includes('"') ? "etag" : "last-modified");
}

/**
 * The part that is asked for; undefined where that is the whole, or several parts, which are never sent.
 * @throws ApiError 416
 */
function rangeOf(header: string | null, length: number): Range | undefined {
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "" || Number.isNaN(length)) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  if (start <= end) return { start, end };
  const headers = { "Content-Range": `bytes */${length}` };
  throw new ApiError(416, "Range must name bytes that the picture has", { headers });
}

/** The bytes of a range; what comes after them is not read. */
function partOf(body: ReadableStream<Uint8Array>, { start, end }: Range): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let position = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const [from, to] = [Math.max(0, start - position), Math.min(value.length, end + 1 - position)];
        position += value.length;
        if (from < to) controller.enqueue(value.subarray(from, to));
        if (position > end) {
          controller.close();
          return reader.cancel();
        }
        if (from < to) return undefined;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
