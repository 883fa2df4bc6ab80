/**
 * The dialect that most object stores speak: PUT of an object with `x-amz-*` headers, signed with Signature Version 4.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { AwsV4Signer } from "aws4fetch";

import { compactTime, sha256 } from "./digest.ts";
import { encodeKey, encodeSegment } from "./path.ts";
import { type ListAsk, type Listing, MARK, type ReadRequest, type StoredObject } from "./provider.ts";
import { listedByS3, listQuery } from "./s3-list.ts";
import type { Answer, Outgoing, Prepare, Session } from "./session.ts";

/** The ready-made access lists of S3. */
export const CANNED_ACLS = [
  "private",
  "public-read",
  "public-read-write",
  "aws-exec-read",
  "authenticated-read",
  "bucket-owner-read",
  "bucket-owner-full-control",
] as const;

/** What a request may say about the stored object; what a dialect does not offer is not in its schema. */
export interface ObjectOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** The type of the bytes, then whatever the caller wants to be served with them. */
export function servedHeaders(object: StoredObject, options: ObjectOptions): Headers {
  const headers = new Headers({ "content-type": object.contentType });
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  return headers;
}

/** Headers of the object with its metadata and tags, as S3 spells them, and the condition under which it is stored. */
export function s3Headers(object: StoredObject, options: ObjectOptions): Headers {
  const headers = conditional(object, servedHeaders(object, options));
  if (object.mark !== undefined) headers.set(`x-amz-meta-${MARK}`, object.mark);
  for (const [name, value] of Object.entries(options.metadata ?? {})) headers.set(`x-amz-meta-${name}`, value);
  const tags = Object.entries(options.tags ?? {}).map((pair) => pair.map(encodeSegment).join("="));
  if (tags.length > 0) headers.set("x-amz-tagging", tags.join("&"));
  return headers;
}

/** A tag that no object has: stores make theirs of digests, never of zeros. */
const NO_VERSION = '"00000000000000000000000000000000"';

/** RFC 9110, section 13.1, as all dialects but that of Google take it. */
export function conditional({ condition }: StoredObject, headers: Headers): Headers {
  if (condition?.is === "absent") headers.set("if-none-match", "*");
  else if (condition) headers.set("if-match", condition.is === "never" ? NO_VERSION : condition.version);
  return headers;
}

/** `https://<host>/<bucket>/<key>`; without a key, the address of the bucket. */
export function pathStyleUrl(endpoint: string, bucket: string, key = ""): string {
  return `${endpoint}/${bucket}/${encodeKey(key)}`;
}

export interface Signature {
  readonly key: string;
  readonly secret: string;
  readonly region: string;
}

/** A signed PUT; every header is signed, so that none can be changed on the way. */
async function signedPut(
  url: string,
  headers: Headers,
  object: StoredObject,
  signature: Signature,
  now: number,
): Promise<Outgoing> {
  headers.set("x-amz-content-sha256", (await sha256(object.bytes)).toHex());
  const signer = new AwsV4Signer({
    method: "PUT",
    url,
    headers,
    service: "s3",
    region: signature.region,
    accessKeyId: signature.key,
    secretAccessKey: signature.secret,
    datetime: compactTime(now),
    allHeaders: true,
  });
  const signed = await signer.sign();
  return { url, method: "PUT", headers: signed.headers, body: object.bytes };
}

/** Headers of an object that replaces another one: what is kept of it, its own mark, and the condition. */
export function replacing(object: StoredObject, kept: Headers): Headers {
  const headers = conditional(object, new Headers(kept));
  if (object.mark !== undefined) headers.set(`x-amz-meta-${MARK}`, object.mark);
  return headers;
}

/** A signed GET; what is added to it is not signed. */
export async function signedGet(
  url: string,
  signature: Signature,
  now: number,
  method: "GET" | "DELETE" = "GET",
): Promise<ReadRequest> {
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { "x-amz-content-sha256": (await sha256("")).toHex() },
    service: "s3",
    region: signature.region,
    accessKeyId: signature.key,
    secretAccessKey: signature.secret,
    datetime: compactTime(now),
  });
  const { headers } = await signer.sign();
  return { url, headers, isOpen: true };
}

/** A part of the list of a bucket, asked for with a signature. */
export function listSigned(session: Session, url: string, ask: ListAsk, signature: Signature): Promise<Listing> {
  return listedByS3(session, async () =>
    getting(await signedGet(`${url}?${listQuery(ask)}`, signature, session.now())),
  );
}

/** @throws ApiError 422 unless the object is gone, or was not there */
export async function removed(session: Session, prepare: Prepare): Promise<void> {
  const answer = await session.send(prepare);
  if (!answer.ok && answer.status !== 404) throw session.refusal(answer);
}

/** A request for reading, as it is sent. */
export function getting({ url, headers }: ReadRequest): Outgoing {
  return { url, method: "GET", headers };
}

/** An access list: the caller's, or ours when the caller named none. */
export interface Acl {
  readonly named: string | undefined;
  readonly fallback: string | undefined;
}

/**
 * Stores with an access list. Where a bucket knows none (object ownership enforced, uniform access), one that the
 * caller did not ask for is left out; one that the caller named stays, and the refusal says so.
 * @throws ApiError 422 when the store refuses
 */
export async function storeWithAcl(
  session: Session,
  acl: Acl,
  send: (acl: string | undefined) => Promise<Answer>,
  isForbidden: (answer: Answer) => boolean = forbidsAcls,
): Promise<void> {
  let answer = await send(acl.named ?? acl.fallback);
  const isOurs = acl.named === undefined && acl.fallback !== undefined;
  if (!answer.ok && isOurs && isForbidden(answer)) answer = await send(undefined);
  if (!answer.ok) throw session.refusal(answer);
}

/**
 * Object ownership is the bucket owner's, or the bucket blocks public access lists.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
 */
function forbidsAcls(answer: Answer): boolean {
  return /<Code>AccessControlListNotSupported<\/Code>|\bBlockPublicAcls\b/.test(answer.text);
}

/** The whole of it, for the providers that sign with a key and a secret. */
export async function putSigned(
  session: Session,
  url: string,
  object: StoredObject,
  options: ObjectOptions & { readonly acl: Acl; readonly class?: string | undefined },
  signature: Signature,
  isForbidden?: (answer: Answer) => boolean,
): Promise<string> {
  const { kept } = object;
  if (kept) {
    const headers = () => replacing(object, kept);
    const answer = await session.send(() => signedPut(url, headers(), object, signature, session.now()));
    if (!answer.ok) throw session.refusal(answer);
    return url;
  }
  const send = (acl: string | undefined) =>
    session.send(() => {
      const headers = s3Headers(object, options);
      if (acl !== undefined) headers.set("x-amz-acl", acl);
      if (options.class !== undefined) headers.set("x-amz-storage-class", options.class);
      return signedPut(url, headers, object, signature, session.now());
    });
  await storeWithAcl(session, options.acl, send, isForbidden);
  return url;
}
