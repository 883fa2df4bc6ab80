/** Request bodies in JSON: said to be JSON, and counted while they arrive. */
import { ApiError } from "../errors.ts";
import { announcedBytes, parseHeaderValue } from "../header.ts";
import { parseJsonObject } from "../json.ts";
import { MAX_BODY_MS, MAX_JSON_BYTES } from "../limits.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { type BodyReader, readerOf } from "../source/body.ts";
import { gather, type Gatherer } from "../source/gather.ts";
import { callerOf } from "./caller.ts";
import type { AppContext } from "./context.ts";

/** `application/json`, or a type that is written in JSON such as `application/ld+json`. */
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json$/;

/**
 * The object in a request's body.
 * @throws ApiError 400 when it is no JSON object, 408 when it comes too slowly, 413 when it is too long, 415 when it is not said to be JSON,
 *   503 when there is no room for it
 */
export async function readJson(c: AppContext): Promise<object> {
  return readJsonWith(c, (bytes) => parseJsonObject(bytes, "Request body"));
}

/**
 * What a reader finds in a request's body, which is said to be JSON.
 * @throws ApiError 408, 413, 415 and 503 as `readJson` does; what the reader throws
 */
export async function readJsonWith<Found>(c: AppContext, read: (bytes: Uint8Array) => Found): Promise<Found> {
  const request = c.req.raw;
  if (!JSON_TYPE.test(parseHeaderValue(request.headers.get("content-type") ?? "").value)) {
    throw new ApiError(415, "The request must have a Content-Type of application/json");
  }
  const announced = announcedBytes(request.headers) ?? MAX_JSON_BYTES;
  if (announced > MAX_JSON_BYTES) throw tooLong();
  const memory = await isolateBudget.take(announced, { caller: callerOf(c) });
  try {
    const body = gather(MAX_JSON_BYTES, undefined, tooLong);
    if (request.body) await pour(readerOf(request.body, MAX_BODY_MS, request.signal), body.write);
    return read(body.bytes());
  } finally {
    memory.release();
  }
}

async function pour({ pull, release }: BodyReader, write: Gatherer["write"]): Promise<void> {
  try {
    for (let chunk = await pull(); chunk !== undefined; chunk = await pull()) await write(chunk);
  } finally {
    release();
  }
}

function tooLong(): ApiError {
  return new ApiError(413, `Request body exceeds the maximum size of ${MAX_JSON_BYTES} bytes`);
}
