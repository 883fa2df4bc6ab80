/** The S3 dialect behind bearer tokens that an API key buys. */
import { IAM_KEY } from "./accounts.ts";
import { listingOfS3, xmlError } from "./s3.ts";
import { type Dialect, pathTarget, type Received, type Reply } from "./server.ts";
import { tokenOffice } from "./tokens.ts";

export function iam(): Dialect {
  const office = tokenOffice();
  return {
    target: pathTarget,
    verify: ({ headers }) => (office.accepts(headers["authorization"]) ? null : xmlError(401, "InvalidToken")),
    error: xmlError,
    listing: listingOfS3,
    aclRefusal: ({ headers }) =>
      headers["x-amz-acl"] === undefined ? null : xmlError(400, "AccessControlListNotSupported"),
    other: (request) => office.other(request) ?? sell(request, office.issue),
  };
}

function sell(request: Received, issue: () => string): Reply | undefined {
  if (request.path !== "/identity/token") return undefined;
  const form = new URLSearchParams(request.body.toString());
  const right =
    request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") &&
    form.get("grant_type") === "urn:ibm:params:oauth:grant-type:apikey" &&
    form.get("response_type") === "cloud_iam" &&
    form.get("apikey") === IAM_KEY.key;
  if (!right) {
    return {
      status: 400,
      body: JSON.stringify({ errorCode: "BXNIM0415E", errorMessage: `Not found: ${form.get("apikey")}` }),
    };
  }
  return { status: 200, body: JSON.stringify({ access_token: issue(), token_type: "Bearer", expires_in: 3600 }) };
}
