/** Blob storage with Shared Key authorization. Who may read the URL is the container's affair: blobs have no ACL. */
import * as v from "valibot";

import { MAX_LIST_ANSWER_BYTES } from "../limits/stores.ts";
import { metadata, OBJECT_HEADERS, objectHeaders, objectPath, pattern } from "./attributes.ts";
import { base64, fromBase64, hmacSha256 } from "./digest.ts";
import { encodeKey, encodeSegment } from "./path.ts";
import { type ListAsk, MARK, provider, type StoredObject } from "./provider.ts";
import { conditional, removed, servedHeaders } from "./s3.ts";
import type { Session } from "./session.ts";
import { elementsOf, textOf } from "./xml.ts";

/** A version that takes blobs of our sizes in one request and is known to emulators. */
const API_VERSION = "2021-08-06";

interface Account {
  readonly account: string;
  readonly key: string;
}

export const providerE = provider({
  summary: "Azure Blob Storage.",
  code: "provider-e",
  aliases: ["azure", "provider-e-alt", "microsoft", "microsoft-azure"],
  credentials: {
    account: pattern(/^[a-z\d]{3,24}$/, "must be 3 to 24 lower-case letters and digits"),
    key: pattern(/^(?:[A-Za-z\d+/]{4})+(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/, "must be base64"),
  },
  params: {
    container: pattern(
      /^(?:\$root|\$web|(?=.{3,63}$)[a-z\d]+(?:-[a-z\d]+)*)$/,
      "must be a container name of lower-case letters, digits and single hyphens",
    ),
    path: v.optional(objectPath()),
    metadata: v.optional(
      metadata(/^[A-Za-z_][A-Za-z\d_]*$/, "letters, digits and underscores, not beginning with a digit"),
    ),
    headers: v.optional(objectHeaders(OBJECT_HEADERS)),
  },
  put: async (store, object, session) => {
    const url = `${addressOf(store.account, session.base)}/${store.container}/${encodeKey(object.key)}`;
    const answer = await session.send(async () => {
      const headers = object.kept ? new Headers(object.kept) : blobHeaders(object, store);
      headers.set("x-ms-blob-type", "BlockBlob");
      if (object.mark !== undefined) headers.set(`x-ms-meta-${MARK}`, object.mark);
      conditional(object, headers);
      await sign("PUT", store, url, session, headers, object.bytes.length);
      return { url, method: "PUT", headers, body: object.bytes };
    });
    if (!answer.ok) throw session.refusal(answer);
    return url;
  },
  read: async (store, key, session) => {
    const url = `${addressOf(store.account, session.base)}/${store.container}/${encodeKey(key)}`;
    const headers = await sign("GET", store, url, session);
    // Conditions are part of what is signed here.
    return { url, headers, isOpen: false };
  },
  list: async (store, ask, session) => {
    const url = `${addressOf(store.account, session.base)}/${store.container}?${listQuery(ask)}`;
    const answer = await session.send(
      async () => ({ url, method: "GET", headers: await sign("GET", store, url, session) }),
      MAX_LIST_ANSWER_BYTES,
    );
    if (!answer.ok) throw session.refusal(answer);
    const cursor = textOf(answer.text, "NextMarker");
    // An answer that was cut short would leave names out.
    if (!answer.text.includes("</EnumerationResults>")) throw session.nonsense("no list of blobs");
    const objects = elementsOf(answer.text, "Blob").map((element) => ({
      key: textOf(element, "Name") ?? "",
      bytes: Number(textOf(element, "Content-Length") ?? 0),
    }));
    return { objects, ...(cursor && { cursor }) };
  },
  told: (answered) => ({
    mark: answered.get(`x-ms-meta-${MARK}`) ?? undefined,
    version: answered.get("etag") ?? undefined,
  }),
  kept: async (store, key, answered, session) => {
    const url = `${addressOf(store.account, session.base)}/${store.container}/${encodeKey(key)}?comp=tags`;
    const kept = keptHeaders(answered);
    if (answered.get("x-ms-tag-count") === null) return kept;
    const answer = await session.send(async () => ({
      url,
      method: "GET",
      headers: await sign("GET", store, url, session),
    }));
    if (!answer.ok) throw session.refusal(answer);
    const tags = elementsOf(answer.text, "Tag").map((tag) => [textOf(tag, "Key") ?? "", textOf(tag, "Value") ?? ""]);
    kept.set("x-ms-tags", tags.map((pair) => pair.map(encodeSegment).join("=")).join("&"));
    return kept;
  },
  remove: async (store, key, session) => {
    const url = `${addressOf(store.account, session.base)}/${store.container}/${encodeKey(key)}`;
    await removed(session, async () => ({ url, method: "DELETE", headers: await sign("DELETE", store, url, session) }));
  },
});

/** Emulators have the account in the path; their addresses are given with it or without. */
function addressOf(account: string, base: string | undefined): string {
  if (base === undefined) return `https://${account}.blob.core.windows.net`;
  return base.endsWith(`/${account}`) ? base : `${base}/${account}`;
}

/** What the blob is served with has its own names: the plain headers describe the request. */
function blobHeaders(
  object: StoredObject,
  store: {
    headers?: Readonly<Record<string, string>> | undefined;
    metadata?: Readonly<Record<string, string>> | undefined;
  },
): Headers {
  const headers = new Headers({ "content-type": object.contentType, "x-ms-blob-type": "BlockBlob" });
  for (const [name, value] of servedHeaders(object, store)) headers.set(`x-ms-blob-${name}`, value);
  for (const [name, value] of Object.entries(store.metadata ?? {})) headers.set(`x-ms-meta-${name}`, value);
  return headers;
}

/** What a blob has besides its bytes, as headers of the request that replaces it. */
function keptHeaders(answered: Headers): Headers {
  const kept = new Headers();
  for (const [name, value] of answered)
    if (name.startsWith("x-ms-meta-") && name !== `x-ms-meta-${MARK}`) kept.set(name, value);
  for (const name of OBJECT_HEADERS) {
    const value = answered.get(name);
    if (value !== null) kept.set(`x-ms-blob-${name}`, value);
  }
  const tier = answered.get("x-ms-access-tier-inferred") === null ? answered.get("x-ms-access-tier") : null;
  if (tier !== null) kept.set("x-ms-access-tier", tier);
  return kept;
}

/** https://learn.microsoft.com/en-us/rest/api/storageservices/list-blobs */
function listQuery({ prefix, cursor, limit }: ListAsk): string {
  const members = {
    restype: "container",
    comp: "list",
    prefix,
    maxresults: String(limit),
    ...(cursor && { marker: cursor }),
  };
  return Object.entries(members)
    .map(([name, value]) => `${name}=${encodeSegment(value)}`)
    .join("&");
}

/** Adds the time, the version and the signature to the headers of a request. */
async function sign(
  method: "GET" | "PUT" | "DELETE",
  account: Account,
  url: string,
  session: Session,
  headers = new Headers(),
  length = 0,
): Promise<Headers> {
  headers.set("x-ms-date", new Date(session.now()).toUTCString());
  headers.set("x-ms-version", API_VERSION);
  headers.set("authorization", await authorization(method, account, url, headers, length));
  return headers;
}

/** https://learn.microsoft.com/en-us/rest/api/storageservices/authorize-with-shared-key */
async function authorization(
  method: "GET" | "PUT" | "DELETE",
  account: Account,
  url: string,
  headers: Headers,
  length: number,
): Promise<string> {
  const canonicalHeaders = [...headers]
    .filter(([name]) => name.startsWith("x-ms-"))
    .sort(([one], [other]) => (collationKey(one) < collationKey(other) ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`);
  const message =
    // Verb, Content-Encoding, -Language, -Length, -MD5 and -Type; Date; If-Modified-Since, If-Match, If-None-Match,
    // If-Unmodified-Since; Range.
    [
      method,
      "",
      "",
      length === 0 ? "" : String(length),
      "",
      headers.get("content-type") ?? "",
      "",
      "",
      headers.get("if-match") ?? "",
      headers.get("if-none-match") ?? "",
      "",
      "",
    ].join("\n") + `\n${canonicalHeaders.join("")}/${account.account}${resourceOf(new URL(url))}`;
  return `SharedKey ${account.account}:${base64(await hmacSha256(fromBase64(account.key), message))}`;
}

/** The path as it is sent, and every parameter of the query as it is meant, by name. */
function resourceOf({ pathname, searchParams }: URL): string {
  const parameters = [...searchParams].sort(([one], [other]) => (one < other ? -1 : 1));
  return pathname + parameters.map(([name, value]) => `\n${name}:${value}`).join("");
}

/** The store sorts by words, not by character codes: hyphens count for nothing, and an underscore is before a digit. */
function collationKey(name: string): string {
  return name.replaceAll("-", "").replaceAll("_", " ");
}
