/** OSS with Signature Version 4, verified by the vendor's own signer. */
import signUtils from "ali-oss/lib/common/signUtils.js";

import { S3_KEYS } from "./accounts.ts";
import { listingOfS3, xmlError } from "./s3.ts";
import { bucketOf, type Dialect, pathTarget, type Received, type Reply } from "./server.ts";

export function oss(region: string): Dialect {
  return { target: pathTarget, verify: (request) => verify(request, region), error: xmlError, listing: listingOfS3 };
}

function verify(request: Received, region: string): Reply | null {
  const bucket = bucketOf(request);
  const target = bucket === undefined ? pathTarget({ ...request, method: "PUT" }) : { bucket, key: "" };
  if (!target || request.headers["x-oss-object-acl"] !== undefined) return xmlError(400, "InvalidArgument");
  const time = request.headers["x-oss-date"] ?? "";
  const age = Math.abs(Date.now() - Date.parse(time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, "$1-$2-$3:$4:")));
  if (!(age < 900_000)) return xmlError(403, "RequestTimeTooSkewed");
  const { authorization, ...headers } = request.headers;
  const expected = signUtils.authorizationV4(
    S3_KEYS.key,
    S3_KEYS.secret,
    region,
    request.method,
    { headers, queries: Object.fromEntries(request.query) },
    target.bucket,
    decodeURIComponent(target.key),
  );
  return expected === authorization ? null : xmlError(403, "SignatureDoesNotMatch");
}
