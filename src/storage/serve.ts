/** Serving one stored object over HTTP: conditions and ranges of RFC 9110, for content that nobody else may run. */
import { contentDisposition, listsTag } from "../header.ts";

/** An object, what it is called, and how many more seconds it may be kept by caches. */
export interface Served {
  readonly key: string;
  readonly name: string;
  readonly remaining: number;
}

interface Range {
  readonly offset: number;
  readonly length: number;
}

/** What an SVG needs to be drawn, and nothing that runs or calls out: it must not act in the service's name. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox";

/** @returns undefined when there is no such object; its content is streamed */
export async function serveObject(request: Request, bucket: R2Bucket, served: Served): Promise<Response | undefined> {
  const { headers } = request;
  const conditional = headers.has("if-none-match") || headers.has("if-modified-since");
  if (request.method === "GET" && !conditional && !headers.has("range")) {
    const object = await bucket.get(served.key);
    return object ? new Response(object.body, { headers: headersOf(object, served, object.size) }) : undefined;
  }
  const object = await bucket.head(served.key);
  if (object === null) return undefined;
  if (isUnchanged(headers, object)) return new Response(null, { status: 304, headers: headersOf(object, served) });
  const asked = request.method === "GET" && rangeApplies(headers, object) ? headers.get("range") : null;
  const range = asked === null ? undefined : parseRange(asked, object.size);
  if (range === "unsatisfiable") {
    return new Response(null, {
      status: 416,
      headers: { ...FIXED_HEADERS, "content-range": `bytes */${object.size}` },
    });
  }
  if (request.method === "HEAD") return new Response(null, { headers: headersOf(object, served, object.size) });
  return serveBody(bucket, served, range);
}

async function serveBody(bucket: R2Bucket, served: Served, range: Range | undefined): Promise<Response | undefined> {
  const object = await bucket.get(served.key, range && { range });
  if (object === null) return undefined;
  const headers = headersOf(object, served, range?.length ?? object.size);
  if (range === undefined) return new Response(object.body, { headers });
  headers.set("content-range", `bytes ${range.offset}-${range.offset + range.length - 1}/${object.size}`);
  return new Response(object.body, { status: 206, headers });
}

const FIXED_HEADERS = {
  "accept-ranges": "bytes",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-disposition, content-range, etag",
  "cross-origin-resource-policy": "cross-origin",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
};

function headersOf(object: R2Object, { name, remaining }: Served, length?: number): Headers {
  const headers = new Headers(FIXED_HEADERS);
  headers.set("etag", object.httpEtag);
  headers.set("last-modified", object.uploaded.toUTCString());
  headers.set("cache-control", `public, max-age=${remaining}, immutable`);
  if (length === undefined) return headers;
  headers.set("content-type", object.httpMetadata?.contentType ?? "application/octet-stream");
  headers.set("content-disposition", contentDisposition("inline", name));
  headers.set("content-length", String(length));
  return headers;
}

/** If-None-Match, compared weakly; only without it, If-Modified-Since (RFC 9110 section 13.2.2). */
function isUnchanged(headers: Headers, object: R2Object): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return listsTag(tags, object.httpEtag, true);
  const since = Date.parse(headers.get("if-modified-since") ?? "");
  return wholeSeconds(object.uploaded) <= since;
}

/** A range counts only for the object that If-Range names; an entity tag must match strongly. */
function rangeApplies(headers: Headers, object: R2Object): boolean {
  const condition = headers.get("if-range")?.trim();
  if (condition === undefined || condition === object.httpEtag) return true;
  return Date.parse(condition) === wholeSeconds(object.uploaded);
}

/** Dates in headers have no fraction. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000) * 1_000;
}

/** @returns undefined for what may be ignored: another unit, several ranges, no range at all */
function parseRange(header: string, size: number): Range | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return start < end ? { offset: start, length: end - start } : "unsatisfiable";
}
