/** A developer key signs for the S3-compatible XML API; a keyfile buys a token for the JSON API. */
import * as v from "valibot";

import { oneOf } from "../fields.ts";
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
import { provider, type StoredObject } from "./provider.ts";
import { type ObjectOptions, pathStyleUrl, putSigned, servedHeaders, signedGet, storeWithAcl } from "./s3.ts";
import type { Answer, Outgoing, Session } from "./session.ts";
import { grantOf, withGrant } from "./tokens.ts";

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
    const base = session.base ?? "https://storage.googleapis.com";
    const url = pathStyleUrl(base, store.bucket, object.key);
    if (session.keyfile) {
      await insert(session, base, session.keyfile, object, store);
      return url;
    }
    const { key = "", secret = "" } = store;
    const acl = { named: store.acl && ACLS[store.acl], fallback: ACLS.publicRead };
    return putSigned(session, url, object, { ...store, acl }, { key, secret, region: "auto" }, forbidsAcls);
  },
  read: async ({ bucket, key = "", secret = "" }, objectKey, session) => {
    const { keyfile } = session;
    const url = pathStyleUrl(session.base ?? "https://storage.googleapis.com", bucket, objectKey);
    if (!keyfile) return signedGet(url, { key, secret, region: "auto" }, session.now());
    const { grant, forget } = await grantOf(session, identityOf(session, keyfile), () => grantFor(keyfile, session));
    return { url, headers: new Headers({ authorization: `Bearer ${grant.token}` }), isOpen: true, forget };
  },
});

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
  await storeWithAcl(session, { named: store.acl, fallback: "publicRead" }, send, forbidsAcls);
}

function insertion(
  base: string,
  store: Bucket,
  acl: string | undefined,
  token: string,
  object: StoredObject,
): Outgoing {
  const served = servedHeaders(object, store);
  const resource = {
    name: object.key,
    contentType: served.get("content-type"),
    cacheControl: served.get("cache-control") ?? undefined,
    contentEncoding: served.get("content-encoding") ?? undefined,
    contentLanguage: served.get("content-language") ?? undefined,
    contentDisposition: served.get("content-disposition") ?? undefined,
    metadata: store.metadata,
  };
  const boundary = crypto.randomUUID();
  const query = new URLSearchParams({ uploadType: "multipart", ...(acl !== undefined && { predefinedAcl: acl }) });
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
