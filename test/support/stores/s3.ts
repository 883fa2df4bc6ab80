/** The S3 dialect, verified by aws4. */
import { createHash } from "node:crypto";

import aws4 from "aws4";

import { S3_KEYS } from "./accounts.ts";
import {
  bucketOf,
  type Dialect,
  type ListedEntry,
  type ListingAsk,
  pathTarget,
  type Received,
  type Recorded,
  type Reply,
} from "./server.ts";

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
    listing: listingOfS3,
    part: partOfS3,
    aclRefusal: ({ headers }) =>
      headers["x-amz-acl"] === undefined ? null : xmlError(400, "AccessControlListNotSupported"),
  };
}

/** ListObjectsV2 with names as parts of an address. */
export function listingOfS3(request: Received): ListingAsk | undefined {
  const bucket = bucketOf(request);
  if (bucket === undefined || request.query.get("list-type") !== "2") return undefined;
  const reply = (entries: readonly ListedEntry[], isMore: boolean): Reply => {
    const encoded = (key: string) => encodeURIComponent(key).replaceAll("%20", "+");
    const contents = entries.map(
      ({ key, bytes }) =>
        `<Contents><Key>${encoded(key)}</Key><ETag>&quot;x&quot;</ETag><Size>${bytes}</Size></Contents>`,
    );
    const body = `<?xml version="1.0"?><ListBucketResult><Name>b</Name><EncodingType>url</EncodingType><IsTruncated>${isMore}</IsTruncated>${contents.join("")}</ListBucketResult>`;
    return { status: 200, headers: { "content-type": "application/xml" }, body };
  };
  const { query } = request;
  return {
    folder: `/${bucket}/`,
    bucket,
    prefix: query.get("prefix") ?? "",
    after: query.get("start-after") ?? "",
    limit: Number(query.get("max-keys")),
    reply,
  };
}

/** Tags as they were sent, and the access list of an object that everybody may read, unless it was sent with another one. */
function partOfS3({ query }: Received, { headers }: Recorded): Reply | undefined {
  const xml = (body: string): Reply => ({ status: 200, headers: { "content-type": "application/xml" }, body });
  if (query.has("tagging")) {
    const tags = [...new URLSearchParams(headers["x-amz-tagging"] ?? "")];
    const set = tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`);
    return xml(`<Tagging><TagSet>${set.join("")}</TagSet></Tagging>`);
  }
  if (!query.has("acl")) return undefined;
  const isPublic = headers["x-amz-acl"] === "public-read" || headers["x-amz-grant-read"] !== undefined;
  const everybody = isPublic
    ? `<Grant><Grantee><URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee><Permission>READ</Permission></Grant>`
    : "";
  const owner = `<Grant><Grantee><ID>me</ID></Grantee><Permission>FULL_CONTROL</Permission></Grant>`;
  return xml(
    `<AccessControlPolicy><Owner><ID>me</ID></Owner><AccessControlList>${owner}${everybody}</AccessControlList></AccessControlPolicy>`,
  );
}

export function verify(request: Received, region: string): Reply | null {
  const { method, headers, body } = request;
  const path = `${request.path}${[...request.query].length > 0 ? `?${request.query.toString().replaceAll("+", "%20")}` : ""}`;
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
