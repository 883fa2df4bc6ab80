/** The XML API with developer keys, and the JSON API with tokens that a keyfile's signature buys. */
import { type KeyObject, verify as verifySignature } from "node:crypto";

import { CLIENT_EMAIL } from "./accounts.ts";
import { s3 } from "./s3.ts";
import { type Content, type Dialect, pathTarget, type Received, type Reply } from "./server.ts";
import { tokenOffice } from "./tokens.ts";

export function google(publicKey: KeyObject): Dialect {
  const office = tokenOffice();
  const xml = s3("auto");
  return {
    target: (request) => (isInsert(request) ? insertTarget(request) : pathTarget(request)),
    verify: (request) => {
      const isSigned = !request.headers["authorization"]?.startsWith("Bearer ");
      if (!isInsert(request) && isSigned) return xml.verify(request);
      return office.accepts(request.headers["authorization"]) ? null : jsonError(401, "authError");
    },
    error: jsonError,
    aclRefusal: uniformAccess,
    content: (request) =>
      isInsert(request) ? inserted(request) : { bytes: request.body, type: request.headers["content-type"] ?? "" },
    other: (request) => office.other(request) ?? sell(request, publicKey, office.issue),
  };
}

function isInsert({ path }: Received): boolean {
  return path.startsWith("/upload/storage/v1/b/");
}

function jsonError(status: number, reason: string): Reply {
  return {
    status,
    body: JSON.stringify({ error: { code: status, message: "m", errors: [{ domain: "global", reason }] } }),
  };
}

function uniformAccess(request: Received): Reply | null {
  if (!request.query.has("predefinedAcl") && request.headers["x-amz-acl"] === undefined) return null;
  const message = "Cannot insert legacy ACL for an object when uniform bucket-level access is enabled.";
  if (!isInsert(request))
    return { status: 400, body: `<Error><Code>InvalidArgument</Code><Message>${message}</Message></Error>` };
  return { status: 400, body: JSON.stringify({ error: { code: 400, message, errors: [{ reason: "invalid" }] } }) };
}

function insertTarget(request: Received): { bucket: string; key: string } | undefined {
  const bucket = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(request.path)?.[1];
  if (bucket === undefined || request.method !== "POST" || request.query.get("uploadType") !== "multipart")
    return undefined;
  const { name } = related(request).resource;
  // Objects are read back at the address that the XML API gives them.
  const key = name
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/[!'()*]/g, hexOf))
    .join("/");
  return { bucket, key };
}

function inserted(request: Received): Content {
  const { resource, ...content } = related(request);
  return { ...content, resource: { ...resource, acl: request.query.get("predefinedAcl") ?? undefined } };
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** RFC 2387: a JSON resource, then the bytes. */
function related(request: Received): {
  bytes: Buffer;
  type: string;
  resource: { name: string } & Record<string, unknown>;
} {
  const boundary = /^multipart\/related; boundary=(.+)$/.exec(request.headers["content-type"] ?? "")?.[1];
  const text = request.body.toString("latin1");
  const [before, first = "", second = "", after] = text.split(`--${boundary}`);
  if (before !== "" || after?.trim() !== "--") throw new Error("not multipart/related");
  const json = first.slice(first.indexOf("\r\n\r\n") + 4);
  const start = second.indexOf("\r\n\r\n") + 4;
  return {
    bytes: Buffer.from(second.slice(start, -2), "latin1"),
    type: /content-type: (.*)\r\n/.exec(second)?.[1] ?? "",
    resource: JSON.parse(Buffer.from(json, "latin1").toString()) as { name: string },
  };
}

/** RFC 7523, checked by Node's cryptography. */
function sell(request: Received, publicKey: KeyObject, issue: () => string): Reply | undefined {
  if (request.path !== "/token") return undefined;
  const form = new URLSearchParams(request.body.toString());
  const assertion = form.get("assertion") ?? "";
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const part = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString()) as Record<string, unknown>;
  const { iss, scope, aud, iat, exp } = part(claims);
  const now = Date.now() / 1_000;
  const right =
    form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
    part(header)["alg"] === "RS256" &&
    iss === CLIENT_EMAIL &&
    scope === "https://www.googleapis.com/auth/devstorage.full_control" &&
    aud === "https://oauth2.googleapis.com/token" &&
    Math.abs(Number(iat) - now) < 300 &&
    Number(exp) - Number(iat) === 3_600 &&
    verifySignature("RSA-SHA256", Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, "base64url"));
  if (!right) return { status: 400, body: JSON.stringify({ error: "invalid_grant", error_description: assertion }) };
  return { status: 200, body: JSON.stringify({ access_token: issue(), expires_in: 3_599, token_type: "Bearer" }) };
}
