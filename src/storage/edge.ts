/** Any S3-compatible store that the operator has allowed, addressed by path; no access list unless one is named. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { httpUrl, oneOf } from "../fields.ts";
import { withoutEnd } from "../without-end.ts";
import { credential, dottedBucket, metadata, OBJECT_HEADERS, objectHeaders, objectPath, region } from "./attributes.ts";
import { endpointProblem } from "./endpoint.ts";
import { encodeKey } from "./path.ts";
import { provider } from "./provider.ts";
import { signedBucket } from "./s3-bucket.ts";
import { CANNED_ACLS, pathStyleUrl, putSigned, type Signature } from "./s3.ts";
import type { Session } from "./session.ts";

const endpoint = v.pipe(
  httpUrl(),
  v.check(
    (value) => /^https?:\/\/[^/?#@\s]+(?:\/[\w.~/-]*)?$/i.test(value),
    "must be an origin, or an origin and a path",
  ),
);

export const edge = provider({
  summary:
    "Cloudflare R2, Backblaze B2, Wasabi, Hetzner, MinIO, and every other S3-compatible store whose host the operator has allowed.",
  code: "s3",
  aliases: ["r2", "edge"],
  credentials: { key: credential(), secret: credential(), endpoint },
  params: {
    bucket: dottedBucket(),
    region: v.optional(region(), "auto"),
    path: v.optional(objectPath()),
    acl: v.optional(oneOf(CANNED_ACLS)),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Expires", ...OBJECT_HEADERS])),
    public_url: v.optional(
      v.pipe(
        httpUrl(),
        v.check((value) => !/[?#]/.test(value), "must not have a query or a fragment"),
      ),
    ),
  },
  put: async (store, object, session) => {
    const url = addressOf(store, object.key, session);
    const acl = { named: store.acl, fallback: undefined };
    await putSigned(session, url, object, { ...store, acl }, store);
    return store.public_url === undefined ? url : `${withoutEnd(store.public_url, "/")}/${encodeKey(object.key)}`;
  },
  ...signedBucket(addressOf),
});

/** @throws ApiError 422 when the endpoint may not be called */
function addressOf(
  store: Signature & { readonly endpoint: string; readonly bucket: string },
  key: string,
  session: Session,
): string {
  const problem = session.base === undefined ? endpointProblem(store.endpoint, session.policy) : undefined;
  if (problem !== undefined) throw new ApiError(422, `store.endpoint ${problem}`);
  return pathStyleUrl(withoutEnd(session.base ?? store.endpoint, "/"), store.bucket, key);
}
