/** The S3 dialect, verified by aws4. */
import { createHash } from "node:crypto";

import aws4 from "aws4";

import { S3_KEYS } from "./accounts.ts";
import { type Dialect, pathTarget, type Received, type Reply } from "./server.ts";

const SCHEME =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([\da-f]{64})$/;

/** As talkative as the real ones: repeats what the client must not repeat. */
export function xmlError(status: number, code: string): Reply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>${code}</Code><Message>m ${S3_KEYS.secret}</Message><AWSAccessKeyId>${S3_KEYS.key}</AWSAccessKeyId></Error>`;
  return { status, headers: { "content-type": "application/xml" }, body };
}

export function s3(region: string): Dialect {
  return {
    target: pathTarget,
    verify: (request) => verify(request, region),
    error: xmlError,
    aclRefusal: ({ headers }) =>
      headers["x-amz-acl"] === undefined ? null : xmlError(400, "AccessControlListNotSupported"),
  };
}

export function verify(request: Received, region: string): Reply | null {
  const { method, path, headers, body } = request;
  const [, id, date, scope, names = ""] = SCHEME.exec(headers["authorization"] ?? "") ?? [];
  if (id !== S3_KEYS.key) return xmlError(403, "InvalidAccessKeyId");
  if (scope !== region) return xmlError(400, "AuthorizationHeaderMalformed");
  const age = Math.abs(Date.now() - parseTime(headers["x-amz-date"] ?? ""));
  if (!(age < 900_000) || !headers["x-amz-date"]?.startsWith(date ?? "-")) return xmlError(403, "RequestTimeTooSkewed");
  const unsigned = Object.keys(headers).filter((name) => name.startsWith("x-amz-") && !names.split(";").includes(name));
  if (unsigned.length > 0 || !names.split(";").includes("host")) return xmlError(403, "AccessDenied");
  if (headers["x-amz-content-sha256"] !== createHash("sha256").update(body).digest("hex")) {
    return xmlError(400, "XAmzContentSHA256Mismatch");
  }
  const signed = Object.fromEntries(names.split(";").map((name) => [name, headers[name] ?? ""]));
  const expected = aws4.sign(
    { service: "s3", region, method, path, headers: signed },
    { accessKeyId: S3_KEYS.key, secretAccessKey: S3_KEYS.secret },
  );
  return expected.headers?.["Authorization"] === headers["authorization"]
    ? null
    : xmlError(403, "SignatureDoesNotMatch");
}

function parseTime(compact: string): number {
  return Date.parse(compact.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, "$1-$2-$3:$4:"));
}
