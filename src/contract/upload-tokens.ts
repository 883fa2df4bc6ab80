/** What the path of upload tokens takes and gives. */
import { Buffer } from "node:buffer";

import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { integer, record } from "../fields.ts";
import { MAX_SOURCE_BYTES } from "../limits.ts";
import {
  DEFAULT_UPLOAD_TOKEN_SECONDS,
  MAX_ORIGIN_CHARACTERS,
  MAX_UPLOAD_TOKEN_DATA_BYTES,
  MAX_UPLOAD_TOKEN_ORIGINS,
  MAX_UPLOAD_TOKEN_SECONDS,
  MAX_UPLOAD_TOKEN_USES,
  MIN_UPLOAD_TOKEN_SECONDS,
} from "../limits/tokens.ts";
import { checked } from "./message.ts";
import { plainBody, UploadBody } from "./request.ts";

const originRule = "must be the origin of a site, such as https://app.example.com";
const originsRule = `must be a list of 1 to ${MAX_UPLOAD_TOKEN_ORIGINS} origins`;

/** As browsers write it: without a path, in lower case, without the port that the scheme stands for. */
const Origin = v.pipe(
  v.string(originRule),
  v.maxLength(MAX_ORIGIN_CHARACTERS, originRule),
  v.check((value) => /^https?:/.test(value) && URL.parse(value)?.origin === value, originRule),
);

export const NewUploadToken = record({
  data: v.optional(UploadBody),
  max_bytes: v.optional(integer(1, MAX_SOURCE_BYTES)),
  ttl: v.optional(integer(MIN_UPLOAD_TOKEN_SECONDS, MAX_UPLOAD_TOKEN_SECONDS), DEFAULT_UPLOAD_TOKEN_SECONDS),
  uses: v.optional(integer(1, MAX_UPLOAD_TOKEN_USES), 1),
  origins: v.optional(
    v.pipe(
      v.array(Origin, originsRule),
      v.minLength(1, originsRule),
      v.maxLength(MAX_UPLOAD_TOKEN_ORIGINS, originsRule),
    ),
  ),
});

/** What a new token shall allow. */
export type UploadTerms = v.InferOutput<typeof NewUploadToken> & {
  /** `data` as it is sealed: aliases replaced, defaults not written out. */
  readonly plain: object;
};

/** @throws ApiError 422 naming the first member that breaks a rule */
export function parseUploadToken(body: object): UploadTerms {
  const { data } = body as { readonly data?: unknown };
  if (Array.isArray(data)) throw new ApiError(422, "data must be an object");
  const plain = typeof data === "object" && data !== null ? plainBody(data) : undefined;
  const terms = checked(NewUploadToken, { ...body, ...(plain && { data: plain }) });
  if (plain && Buffer.byteLength(JSON.stringify(plain)) > MAX_UPLOAD_TOKEN_DATA_BYTES) {
    throw new ApiError(422, `data must be at most ${MAX_UPLOAD_TOKEN_DATA_BYTES} bytes as JSON`);
  }
  return { ...terms, plain: plain ?? {} };
}

export const UploadTokenCreated = v.strictObject({
  success: v.literal(true),
  code: v.literal(201),
  /** The only time it can be seen. */
  token: v.pipe(v.string(), v.regex(/^du_[A-Za-z0-9_-]+$/)),
  /** Where it is sent with the picture. */
  url: v.pipe(v.string(), v.url()),
  expires_at: v.pipe(v.string(), v.isoTimestamp()),
});
