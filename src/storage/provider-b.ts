/** A developer key signs for the S3-compatible XML API; a keyfile buys a token for the JSON API. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { oneOf } from "../fields.ts";
import { MAX_LIST_ANSWER_BYTES } from "../limits/stores.ts";
import {
  credential,
  dottedBucket,
  metadata,
  OBJECT_HEADERS,
  objectHeaders,
  objectPath,
  pattern,
} from "./attributes.ts";
import { grantFor } from "./keyfile-grant.ts";
import type { Keyfile } from "./keyfile.ts";
import { encodeSegment } from "./path.ts";
import {
  type Condition,
  type ListAsk,
  type Listing,
  listingBy,
  MARK,
  provider,
  type StoredObject,
} from "./provider.ts";
import {
  listSigned,
  type ObjectOptions,
  pathStyleUrl,
  putSigned,
  servedHeaders,
  signedGet,
  storeWithAcl,
} from "./s3.ts";
import { type Answer, type Outgoing, readJson, type Session } from "./session.ts";
import { type Grant, grantOf, withGrant } from "./tokens.ts";

/** Access lists by their names in the JSON API, with what the XML API calls them. */
const ACLS = {
  authenticatedRead: "authenticated-read",
  bucketOwnerFullControl: "bucket-owner-full-control",
  bucketOwnerRead: "bucket-owner-read",
  private: "private",
  projectPrivate: undefined,
  publicRead: "public-read",
} as const;
type AclName = keyof typeof ACLS;

interface Bucket extends ObjectOptions {
  readonly bucket: string;
  readonly acl?: AclName | undefined;
}

export const providerB = provider({
  summary: "Google Cloud Storage.",
  code: "provider-b",
  aliases: ["google", "gcs"],
  credentials: {
    keyfile: v.optional(pattern(/^[A-Za-z\d]{10}$/, "must be the id of a saved keyfile")),
    key: v.optional(credential()),
    secret: v.optional(credential()),
  },
  params: {
    bucket: dottedBucket(),
    path: v.optional(objectPath()),
    acl: v.optional(oneOf(Object.keys(ACLS) as [AclName, ...AclName[]])),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(OBJECT_HEADERS)),
  },
  rule: ({ keyfile, key, secret, acl }) => {
    if (keyfile !== undefined) {
      const other = key === undefined ? (secret === undefined ? undefined : "secret") : "key";
      return other === undefined ? null : { member: other, sentence: "must not be given together with keyfile" };
    }
    if (key === undefined) return { member: "key", sentence: "is required, or keyfile" };
    if (secret === undefined) return { member: "secret", sentence: "is required" };
    return acl === "projectPrivate"
      ? { member: "acl", sentence: "must not be projectPrivate without a keyfile" }
      : null;
  },
  put: async (store, object, session) => {
    const base = baseOf(session);
    const url = pathStyleUrl(base, store.bucket, object.key);
    if (session.keyfile) {
      await insert(session, base, session.keyfile, object, store);
      return url;
    }
    const { key = "", secret = "" } = store;
    const acl = { named: store.acl && ACLS[store.acl], fallback: ACLS.publicRead };
    // This interface takes no condition beside headers in the spelling of S3.
    const { condition: _, ...plain } = object;
    return putSigned(session, url, plain, { ...store, acl }, { key, secret, region: "auto" }, forbidsAcls);
  },
  read: async ({ bucket, key = "", secret = "" }, objectKey, session) => {
    const { keyfile } = session;
    const url = pathStyleUrl(baseOf(session), bucket, objectKey);
    if (!keyfile) return signedGet(url, { key, secret, region: "auto" }, session.now());
    const { grant, forget } = await grantOf(session, identityOf(session, keyfile), () => grantFor(keyfile, session));
    return { url, headers: new Headers({ authorization: `Bearer ${grant.token}` }), isOpen: true, forget };
  },
  list: async ({ bucket, key = "", secret = "" }, ask, session) => {
    const { keyfile } = session;
    const base = baseOf(session);
    const signature = { key, secret, region: "auto" };
    return keyfile
      ? listed(session, base, keyfile, bucket, ask)
      : listSigned(session, pathStyleUrl(base, bucket), ask, signature);
  },
  cursorAfter: (key) => key,
  told: (answered) => ({
    mark: answered.get(`x-goog-meta-${MARK}`) ?? answered.get(`x-amz-meta-${MARK}`) ?? undefined,
    version: answered.get("x-goog-generation") ?? undefined,
  }),
  keeps: ({ keyfile }) =>
    keyfile === undefined ? "a key and a secret of Google Cloud Storage: a connector with a keyfile can" : null,
  kept: async ({ bucket }, key, answered, session) => {
    const url = `${resourceUrl(session, bucket, key)}?projection=full&fields=acl`;
    const answer = await asked(session, keyfileOf(session), url);
    const { acl } = readJson(session, answer, AccessList);
    const kept = new Headers();
    for (const [name, value] of answered) if (KEPT.test(name) && name !== `x-goog-meta-${MARK}`) kept.set(name, value);
    // Buckets with uniform access have no lists.
    if (acl) kept.set(KEPT_ACL, JSON.stringify(acl.map(({ entity, role }) => ({ entity, role }))));
    return kept;
  },
  remove: async ({ bucket }, key, session) => {
    const answer = await asked(session, keyfileOf(session), resourceUrl(session, bucket, key), "DELETE");
    if (!answer.ok && answer.status !== 404) throw session.refusal(answer);
  },
});

function baseOf({ base = "https://storage.googleapis.com" }: Session): string {
  return base;
}

/** What the JSON API says of an object; it is asked for with a keyfile alone. */
function resourceUrl(session: Session, bucket: string, key: string): string {
  return `${baseOf(session)}/storage/v1/b/${bucket}/o/${encodeSegment(key)}`;
}

/** @throws ApiError 422 where a key and a secret sign */
function keyfileOf({ keyfile }: Session): Keyfile {
  if (keyfile) return keyfile;
  throw new ApiError(422, "target in-place cannot be combined with a key and a secret of Google Cloud Storage");
}

/** A generation that no object has: they are microseconds since 1970. */
const NO_GENERATION = "1";

const KEPT = /^(?:x-goog-(?:meta-.*|storage-class)|cache-control|content-(?:type|encoding|language|disposition))$/;
/** Where the access list of an object travels among what is kept of it: it is sent as a part of the resource. */
const KEPT_ACL = "x-kept-acl";

const AccessList = v.object({ acl: v.optional(v.array(v.object({ entity: v.string(), role: v.string() }))) });
const Objects = v.object({
  items: v.optional(v.array(v.object({ name: v.string(), size: v.optional(v.string()) })), []),
  nextPageToken: v.optional(v.string()),
});

function asked(session: Session, keyfile: Keyfile, url: string, method: "GET" | "DELETE" = "GET"): Promise<Answer> {
  const ask = ({ token }: Grant) =>
    session.send(
      () => ({ url, method, headers: new Headers({ authorization: `Bearer ${token}` }) }),
      MAX_LIST_ANSWER_BYTES,
    );
  return withGrant(session, identityOf(session, keyfile), () => grantFor(keyfile, session), ask);
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/list; it begins with the name at which it goes on, which was read
 * already.
 */
async function listed(
  session: Session,
  base: string,
  keyfile: Keyfile,
  bucket: string,
  ask: ListAsk,
): Promise<Listing> {
  const { prefix, cursor, limit } = ask;
  const members = {
    fields: "items(name,size),nextPageToken",
    maxResults: String(cursor === undefined ? limit : limit + 1),
    prefix,
    ...(cursor !== undefined && { startOffset: cursor }),
  };
  const query = Object.entries(members).map(([name, value]) => `${name}=${encodeSegment(value)}`);
  const answer = await asked(session, keyfile, `${base}/storage/v1/b/${bucket}/o?${query.join("&")}`);
  const { items, nextPageToken } = readJson(session, answer, Objects);
  const objects = items
    .filter(({ name }) => name !== cursor)
    .map(({ name, size = "0" }) => ({ key: name, bytes: Number(size) }));
  return listingBy(session, objects, nextPageToken !== undefined);
}

/** What a token was given for. */
function identityOf(session: Session, keyfile: Keyfile): readonly string[] {
  return ["provider-b", session.base ?? "", keyfile.client_email, keyfile.private_key];
}

/** Uniform bucket-level access, or public access prevention: neither has a code of its own in either API. */
function forbidsAcls({ status, text }: Answer): boolean {
  return (status === 400 || status === 412) && /uniform bucket-level access|public access prevention/i.test(text);
}

/** https://cloud.google.com/storage/docs/json_api/v1/objects/insert */
async function insert(
  session: Session,
  base: string,
  keyfile: Keyfile,
  object: StoredObject,
  store: Bucket,
): Promise<void> {
  const identity = identityOf(session, keyfile);
  const send = (acl: string | undefined) =>
    withGrant(
      session,
      identity,
      () => grantFor(keyfile, session),
      ({ token }) => session.send(() => insertion(base, store, acl, token, object)),
    );
  const acls = object.kept ? { named: undefined, fallback: undefined } : { named: store.acl, fallback: "publicRead" };
  await storeWithAcl(session, acls, send, forbidsAcls);
}

function metadataIn(kept: Headers): Record<string, string> {
  const prefix = "x-goog-meta-";
  return Object.fromEntries(
    [...kept].flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [])),
  );
}

function generationOf(condition: Condition): string {
  if (condition.is === "absent") return "0";
  return condition.is === "never" ? NO_GENERATION : condition.version;
}

function insertion(
  base: string,
  store: Bucket,
  acl: string | undefined,
  token: string,
  object: StoredObject,
): Outgoing {
  const { kept, condition, mark } = object;
  const served = kept ?? servedHeaders(object, store);
  const kind = kept?.get("x-goog-storage-class") ?? undefined;
  const acls = kept?.get(KEPT_ACL) ?? undefined;
  const own = kept ? metadataIn(kept) : store.metadata;
  const resource = {
    name: object.key,
    contentType: served.get("content-type"),
    cacheControl: served.get("cache-control") ?? undefined,
    contentEncoding: served.get("content-encoding") ?? undefined,
    contentLanguage: served.get("content-language") ?? undefined,
    contentDisposition: served.get("content-disposition") ?? undefined,
    storageClass: kind,
    metadata: mark === undefined ? own : { ...own, [MARK]: mark },
    acl: acls === undefined ? undefined : (JSON.parse(acls) as unknown),
  };
  const boundary = crypto.randomUUID();
  const query = new URLSearchParams({ uploadType: "multipart", ...(acl !== undefined && { predefinedAcl: acl }) });
  if (condition) query.set("ifGenerationMatch", generationOf(condition));
  return {
    url: `${base}/upload/storage/v1/b/${store.bucket}/o?${query.toString()}`,
    method: "POST",
    headers: new Headers({
      authorization: `Bearer ${token}`,
      "content-type": `multipart/related; boundary=${boundary}`,
    }),
    body: joined([
      `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(resource)}\r\n`,
      `--${boundary}\r\ncontent-type: ${resource.contentType}\r\n\r\n`,
      object.bytes,
      `\r\n--${boundary}--\r\n`,
    ]),
  };
}

/** The parts one after the other as a stream of known length, so that the image is not copied to be framed. */
function joined(parts: readonly (string | Uint8Array)[]): ReadableStream {
  const encoded = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const { readable, writable } = new FixedLengthStream(encoded.reduce((sum, part) => sum + part.length, 0));
  const pump = async () => {
    const writer = writable.getWriter();
    for (const part of encoded) await writer.write(part);
    await writer.close();
  };
  // A reader that went away is reported by the request itself.
  pump().catch(() => {});
  return readable;
}
