/** Conditional and partial requests (RFC 9110, sections 13 and 14), of an answer that is there as a whole. */
import { continues, dateOf, isUnchanged, type Part, partOf, type Version } from "../conditions.ts";
import { ApiError } from "../errors.ts";
import { listsTag } from "../header.ts";

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
  const version = { etag: headers.get("etag") ?? "", changedAt: dateOf(headers.get("last-modified")) };
  refuseOthers(asked, version);
  const isHad = isUnchanged(asked, version);
  if (isHad || method === "HEAD") {
    void answer.body?.cancel();
    if (isHad) for (const name of OF_BODIES) headers.delete(name);
    return new Response(null, { status: isHad ? 304 : 200, headers });
  }
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const range = continues(asked, version) ? rangeOf(asked.get("range"), length) : undefined;
  if (range === undefined || !answer.body) return new Response(answer.body, { headers });
  headers.set("Content-Range", `bytes ${range.start}-${range.end}/${length}`);
  headers.set("Content-Length", String(range.end - range.start + 1));
  return new Response(bytesOf(answer.body, range), { status: 206, headers });
}

/**
 * Conditions that another version does not meet. They count before all others (section 13.2.2).
 * @throws ApiError 412
 */
function refuseOthers(asked: Headers, { etag, changedAt }: Version): void {
  const [match, unmodifiedSince] = [asked.get("if-match"), dateOf(asked.get("if-unmodified-since"))];
  const isOther = match === null ? changedAt > unmodifiedSince : !listsTag(match, etag, false);
  if (isOther) throw new ApiError(412, "The picture is not the one that the request is about");
}

/** @throws ApiError 416 */
function rangeOf(header: string | null, length: number): Part | undefined {
  const part = partOf(header, length);
  if (part !== "unsatisfiable") return part;
  const headers = { "Content-Range": `bytes */${length}` };
  throw new ApiError(416, "Range must name bytes that the picture has", { headers });
}

/** The bytes of a range; what comes after them is not read. */
function bytesOf(body: ReadableStream<Uint8Array>, { start, end }: Part): ReadableStream<Uint8Array> {
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
