/** An upload whose body is the image alone: what is to be done stands in the query. */
import { ApiError, nameToShow } from "../errors.ts";
import { baseName } from "../files.ts";
import { announcedBytes, dispositionFileName, parseHeaderValue } from "../header.ts";
import { parseJsonObject } from "../json.ts";
import { MAX_BODY_MS, MAX_JSON_BYTES, MAX_SOURCE_BYTES } from "../limits.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { Memory } from "../scheduler/held-bytes.ts";
import { cutShort, readerOf } from "./body.ts";
import { gather, roomFor } from "./gather.ts";
import type { Upload } from "./upload.ts";

/** Query parameters of such a request. */
const NAMES: readonly string[] = ["data", "name"];

interface RawOptions {
  readonly memory?: Memory;
  /** Who waits for room: asked once that is known. */
  readonly caller?: () => Caller;
  /** Bytes that an upload token lets the file have; with one, `data` may not be given. */
  readonly grantedBytes?: number | undefined;
  /** What the query says is to be done, where that was read before. */
  readonly data?: object;
}

/** Whether a request says that its body is an image, or bytes of whatever kind. */
export function isRaw(headers: Headers): boolean {
  const { value } = parseHeaderValue(headers.get("content-type") ?? "");
  return value === "application/octet-stream" || value.startsWith("image/");
}

/**
 * Reads the whole body as the file. Its name is that of `name` in the query or of `Content-Disposition`.
 * @throws ApiError 400 for a broken `data` or a body that breaks off, 408 for one that takes too long, 413 for too many
 *   bytes (before they are read), 503 when there is no room for them in time, 422 without a body or with another parameter
 */
export async function readRaw(
  { url, headers, body, signal }: Request,
  { memory = isolateBudget, caller, grantedBytes, data: known }: RawOptions = {},
): Promise<Upload> {
  const query = new URL(url).searchParams;
  const data = known ?? dataOf(query);
  if (grantedBytes !== undefined && query.has("data")) {
    throw new ApiError(422, "data must not be given with an upload token, which says it");
  }
  const limit = grantedBytes ?? MAX_SOURCE_BYTES;
  const tooLarge = () => new ApiError(413, `The image exceeds the maximum size of ${limit} bytes`);
  const announced = announcedBytes(headers);
  if (announced !== undefined && announced > limit) throw tooLarge();
  if (body === null) throw new ApiError(422, "file must not be empty");
  const { reservation, need } = await roomFor(memory, announced, limit, caller?.());
  const reader = readerOf(body, MAX_BODY_MS, signal);
  try {
    const content = gather(limit, announced, tooLarge, need);
    for (let chunk = await reader.pull(); chunk; chunk = await reader.pull()) await content.write(chunk);
    const bytes = content.bytes();
    // What came may be the better part of a picture, which nobody asked for.
    if (bytes.length < (announced ?? 0)) throw cutShort();
    if (bytes.length === 0) throw new ApiError(422, "file must not be empty");
    reservation.shrink(bytes.buffer.byteLength);
    return { original: { bytes, name: nameOf(query, headers), memory: reservation }, data };
  } catch (error) {
    reservation.release();
    throw error;
  } finally {
    reader.release();
  }
}

/**
 * What the query of such a request says is to be done.
 * @throws ApiError 400 for a broken `data`, 413 for one that is too long, 422 for another parameter
 */
export function dataOf(query: URLSearchParams): object {
  for (const name of new Set(query.keys())) {
    if (!NAMES.includes(name))
      throw new ApiError(422, `${nameToShow(name, "a parameter of the query")} is not a known parameter`);
    if (query.getAll(name).length > 1) throw new ApiError(422, `${name} must be given only once`);
  }
  const text = query.get("data") ?? "";
  if (text.trim() === "") return {};
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_JSON_BYTES)
    throw new ApiError(413, `data exceeds the maximum size of ${MAX_JSON_BYTES} bytes`);
  return parseJsonObject(bytes, "data of the query");
}

function nameOf(query: URLSearchParams, headers: Headers): string {
  const given = query.get("name") ?? dispositionFileName(parseHeaderValue(headers.get("content-disposition") ?? ""));
  return baseName(given ?? "");
}
