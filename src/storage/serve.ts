/** Serving one stored object over HTTP: conditions and ranges of RFC 9110, for content that nobody else may run. */
import { continues, isUnchanged, partOf, type Version } from "../conditions.ts";
import { pictureHeaders, policyHeaders } from "../picture-headers.ts";

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
  const version = versionOf(object);
  if (isUnchanged(headers, version)) return new Response(null, { status: 304, headers: headersOf(object, served) });
  const asked = request.method === "GET" && continues(headers, version) ? headers.get("range") : null;
  const part = partOf(asked, object.size);
  if (part === "unsatisfiable") {
    return new Response(null, {
      status: 416,
      headers: { ...FIXED_HEADERS, ...policyHeaders(mimeOf(object)), "content-range": `bytes */${object.size}` },
    });
  }
  if (request.method === "HEAD") return new Response(null, { headers: headersOf(object, served, object.size) });
  return serveBody(bucket, served, part && { offset: part.start, length: part.end - part.start + 1 });
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
};

function headersOf(object: R2Object, { name, remaining }: Served, length?: number): Headers {
  const mime = mimeOf(object);
  const headers = new Headers({ ...FIXED_HEADERS, ...policyHeaders(mime) });
  headers.set("etag", object.httpEtag);
  headers.set("last-modified", object.uploaded.toUTCString());
  headers.set("cache-control", `public, max-age=${remaining}, immutable`);
  if (length === undefined) return headers;
  for (const [header, value] of Object.entries(pictureHeaders({ mime, name, bytes: length })))
    headers.set(header, value);
  return headers;
}

function mimeOf({ httpMetadata }: R2Object): string {
  return httpMetadata?.contentType ?? "application/octet-stream";
}

/** Dates in headers have no fraction. */
function versionOf({ httpEtag, uploaded }: R2Object): Version {
  return { etag: httpEtag, changedAt: Math.floor(uploaded.getTime() / 1_000) * 1_000 };
}
