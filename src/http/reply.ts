/** Results and errors as answers: JSON, or bytes with the metadata in headers. */
import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { Failure, InputMetadata, OutputMetadata, Processed, Success } from "../contract/response.ts";
import type { Accepted } from "../contract/webhook.ts";
import { saidOf } from "../error-words.ts";
import { ApiError } from "../errors.ts";
import type { Encoded } from "../files.ts";
import { MAX_METADATA_HEADER_BYTES } from "../limits.ts";
import { BUSY_RETRY_SECONDS } from "../limits/isolate.ts";
import { count } from "../metrics.ts";
import { pictureHeaders } from "../picture-headers.ts";
import { reasonOf } from "../refusal-reasons.ts";
import { keepTemporarily, readTemporary, removeTemporary } from "../storage/volatile.ts";
import type { AppContext } from "./context.ts";
import { keeperOf } from "./drawn.ts";
import { lend } from "./lending.ts";

/**
 * The answer to a processed image. Its bytes come from memory while that can be lent, else from where they were stored.
 * @param encoded which nobody else has use for
 */
export async function replyResult(c: AppContext, metadata: Success, { bytes, mime }: Encoded): Promise<Response> {
  if (!c.var.binary) return replyMetadata(c, metadata, 200);
  const keep = keeperOf(c.req.raw);
  if (keep) {
    await keep({ bytes, mime, name: metadata.output.name });
    c.set("said", metadata);
    return replyBytes(c, metadata, { body: null, mime });
  }
  const body = lend(bytes, (work) => c.executionCtx.waitUntil(work));
  if (!body) {
    const { url } = metadata.output;
    const address = url ?? (await keptForReader(c, metadata, { bytes, mime }));
    if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
    return url === undefined ? replyOnce(c, metadata, address) : replyStored(c, metadata, url);
  }
  c.set("said", metadata);
  return replyBytes(c, metadata, { body, mime });
}

/**
 * Stores what was not to be kept where no memory is left to lend it: its reader is answered from there, and told of no URL. What
 * is not read to its end goes as all temporary results do.
 */
async function keptForReader(
  c: AppContext,
  { output: { name } }: Success,
  { bytes, mime }: Pick<Encoded, "bytes" | "mime">,
): Promise<string> {
  const lease = { baseUrl: new URL(c.req.url).origin, ttlSeconds: c.var.settings.temporaryTtlSeconds };
  return (await keepTemporarily(c.env.BUCKET, lease, { bytes, mime, name }, Date.now())).url;
}

/** The bytes of a result, and what is said of it in headers. */
function replyBytes(
  c: AppContext,
  metadata: Success,
  { body, mime }: { body: BodyInit | null; mime: string },
): Response {
  return new Response(body, {
    headers: {
      ...pictureHeaders({ mime, name: metadata.output.name, bytes: metadata.output.bytes }),
      ...metadataHeaders(c.var.settings.serviceName, metadata),
    },
  });
}

/**
 * The bytes of a result from where it was stored: one that an earlier request was answered with, or a large one.
 * @throws ApiError 503 when somebody has deleted it before its time
 */
export async function replyStored(c: AppContext, metadata: Success, url = metadata.output.url): Promise<Response> {
  return replyObject(c, metadata, await storedAt(c, url));
}

/** @throws ApiError 503 when it is not there */
async function storedAt(c: AppContext, url: string | undefined): Promise<R2ObjectBody> {
  const object = url === undefined ? null : await readTemporary(c.env.BUCKET, url, Date.now());
  if (!object) throw new ApiError(503, "The result is not there any more");
  return object;
}

function replyObject(c: AppContext, metadata: Success, object: R2ObjectBody, body = object.body): Response {
  c.set("said", metadata);
  return replyBytes(c, metadata, { body, mime: object.httpMetadata?.contentType ?? "" });
}

/** What is said of a request and nothing else: as JSON, or in headers where bytes are wanted. */
export function replyMetadata(
  c: AppContext,
  metadata: Processed | Failure | Accepted,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  c.set("said", metadata);
  // Hono's type lacks 499, which nobody is there to read.
  // Several results, and what was accepted, are never bytes.
  if (!c.var.binary || metadata.success) return c.json(metadata, status as ContentfulStatusCode, headers);
  return new Response(null, {
    status,
    headers: { "Content-Length": "0", ...headers, ...metadataHeaders(c.var.settings.serviceName, metadata) },
  });
}

/** The answer to anything that was thrown; what was not thrown on purpose is our fault and says nothing. */
export function replyError(c: AppContext, error: unknown): Response {
  const known = error instanceof ApiError ? error : unexpected(c, error);
  if (known.status >= 500) c.set("failure", error);
  count("refusals_total", { status: known.status, reason: reasonOf(known) });
  const { status, message } = known;
  const failure: Failure = { success: false, code: status, id: c.var.id, message, ...saidOf(status, message) };
  const headers = { ...(known.status === 503 && { "Retry-After": String(BUSY_RETRY_SECONDS) }), ...known.headers };
  if (known.isText) return c.text(message, status as ContentfulStatusCode, headers);
  return replyMetadata(c, failure, known.status, headers);
}

/** What was not thrown on purpose: the caller has left in the midst of waiting, or else it is our fault. */
function unexpected(c: AppContext, cause: unknown): ApiError {
  if (c.req.raw.signal.aborted) return new ApiError(499, "The client closed the request", { cause });
  return new ApiError(500, "Internal error", { cause });
}

/** The same of a result that was not to be kept: it is deleted when the last of it was read, or nobody reads it any more. */
async function replyOnce(c: AppContext, metadata: Success, url: string): Promise<Response> {
  const object = await storedAt(c, url);
  const { readable, writable } = new FixedLengthStream(object.size);
  const read = object.body.pipeTo(writable).catch(() => undefined);
  c.executionCtx.waitUntil(read.then(() => removeTemporary(c.env.BUCKET, url, Date.now())).catch(() => undefined));
  return replyObject(c, metadata, object, readable);
}

/** Under both names that clients read. */
function metadataHeaders(serviceName: string, metadata: Success | Failure): Record<string, string> {
  const value = metadataHeader(metadata);
  return { [`X-${serviceName}-Metadata`]: value, [`X-${serviceName}-Meta`]: value };
}

/** Compact ASCII JSON that fits a header: what is long and least needed goes first. */
export function metadataHeader(metadata: Success | Failure): string {
  const smaller: ((success: Success) => Success)[] = [
    (success) => success,
    withoutFaces,
    (success) => {
      const { input, output } = success;
      return withoutFaces({ ...success, input: shortName(input), output: shortName(output) });
    },
  ];
  if (!metadata.success) return asciiJson(metadata);
  const headers = smaller.map((shrink) => asciiJson(shrink(metadata)));
  return headers.find((header) => header.length < MAX_METADATA_HEADER_BYTES) ?? headers.at(-1) ?? "";
}

function withoutFaces(success: Success): Success {
  const { faces: _, ...input } = success.input;
  const { faces: __, ...analysis } = success.analysis ?? {};
  return { ...success, input, ...(success.analysis && { analysis }) };
}

function shortName<Metadata extends InputMetadata | OutputMetadata>(metadata: Metadata): Metadata {
  return { ...metadata, name: metadata.name.slice(-64) };
}

/** Header values are bytes to some clients and Latin-1 to others: only ASCII means the same to all. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
