/** The XML API with developer keys, and the JSON API with tokens that a keyfile's signature buys. */
import { type KeyObject, verify as verifySignature } from "node:crypto";

import { CLIENT_EMAIL } from "./accounts.ts";
import { s3 } from "./s3.ts";
import {
  type Content,
  type Dialect,
  type ListingAsk,
  pathTarget,
  type Received,
  type Recorded,
  type Reply,
} from "./server.ts";
import { tokenOffice } from "./tokens.ts";

export function google(publicKey: KeyObject): Dialect {
  const office = tokenOffice();
  const xml = s3("auto");
  return {
    target: (request) => (isInsert(request) ? insertTarget(request) : (jsonTarget(request) ?? pathTarget(request))),
    verify: (request) => {
      const isSigned = !request.headers["authorization"]?.startsWith("Bearer ");
      if (!isInsert(request) && isSigned) return xml.verify(request);
      return office.accepts(request.headers["authorization"]) ? null : jsonError(401, "authError");
    },
    error: jsonError,
    aclRefusal: uniformAccess,
    content: (request) =>
      isInsert(request) ? inserted(request) : { bytes: request.body, type: request.headers["content-type"] ?? "" },
    listing: (request) => xml.listing?.(request) ?? jsonListing(request),
    tells: (recorded) => ({ "x-goog-generation": String(recorded.attempts), ...told(recorded) }),
    part: (request, recorded) => (request.query.get("fields") === "acl" ? aclOf(recorded) : undefined),
    other: (request) => office.other(request) ?? sell(request, publicKey, office.issue),
  };
}

function isInsert({ path }: Received): boolean {
  return path.startsWith("/upload/storage/v1/b/");
}

/** The address of an object's resource, whose name is one part of the path. */
function jsonTarget({ path }: Received): { bucket: string; key: string } | undefined {
  const [, bucket, name] = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/.exec(path) ?? [];
  if (bucket === undefined || name === undefined) return undefined;
  return { bucket, key: name.replaceAll("%2F", "/") };
}

interface Resource {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly acl?: unknown;
  readonly cacheControl?: string;
  readonly contentDisposition?: string;
}

/** What the resource says, or the headers of an object that was written without one. */
function told({ resource, headers }: Recorded): Record<string, string> {
  if (!resource) return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-")));
  const { metadata = {}, cacheControl, contentDisposition } = resource as Resource;
  return {
    ...(cacheControl && { "cache-control": cacheControl }),
    ...(contentDisposition && { "content-disposition": contentDisposition }),
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-goog-meta-${name}`, value])),
  };
}

/** What was sent as a list comes back; what was named by a word reads as a list of one. */
function aclOf({ resource }: Recorded): Reply {
  const { acl } = (resource ?? {}) as Resource;
  const list = Array.isArray(acl) ? (acl as unknown[]) : [{ entity: "allUsers", role: "READER", kind: "x" }];
  return { status: 200, body: JSON.stringify({ acl: list }) };
}

function jsonListing({ method, path, query }: Received): ListingAsk | undefined {
  const bucket = /^\/storage\/v1\/b\/([^/]+)\/o$/.exec(path)?.[1];
  if (method !== "GET" || bucket === undefined) return undefined;
  return {
    folder: `/${bucket}/`,
    bucket,
    prefix: query.get("prefix") ?? "",
    after: query.get("startOffset") ?? "",
    isFrom: true,
    limit: Number(query.get("maxResults")),
    reply: (entries, isMore) => ({
      status: 200,
      body: JSON.stringify({
        items: entries.map(({ key, bytes }) => ({ name: key, size: String(bytes) })),
        ...(isMore && { nextPageToken: "more" }),
      }),
    }),
  };
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
  return { ...content, resource: { ...resource, acl: request.query.get("predefinedAcl") ?? resource["acl"] } };
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
