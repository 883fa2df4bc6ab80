/** The S3 dialect without its signature: an API key is exchanged for a bearer token. */
import * as v from "valibot";

import { oneOf } from "../fields.ts";
import { credential, dottedBucket, metadata, OBJECT_HEADERS, objectHeaders, objectPath, region } from "./attributes.ts";
import { provider, type ReadRequest } from "./provider.ts";
import { keptByS3, toldByS3 } from "./s3-kept.ts";
import { listedByS3, listQuery } from "./s3-list.ts";
import { getting, pathStyleUrl, removed, replacing, s3Headers, storeWithAcl } from "./s3.ts";
import { readJson, type Session } from "./session.ts";
import { type Grant, grantOf, withGrant } from "./tokens.ts";

export const providerF = provider({
  summary: "IBM Cloud Object Storage.",
  code: "provider-f",
  aliases: ["ibm", "softlayer"],
  credentials: { key: credential() },
  params: {
    bucket: dottedBucket(),
    region: region(),
    path: v.optional(objectPath()),
    acl: v.optional(oneOf(["private", "public-read", "public-read-write", "authenticated-read"])),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Expires", ...OBJECT_HEADERS])),
  },
  put: async (store, object, session) => {
    const url = addressOf(store, object.key, session);
    const { kept } = object;
    const acls = kept ? { named: undefined, fallback: undefined } : { named: store.acl, fallback: "public-read" };
    await storeWithAcl(session, acls, (acl) =>
      withGrant(
        session,
        identityOf(session, store.key),
        () => grantFor(store.key, session),
        ({ token }) =>
          session.send(() => {
            const headers = kept ? replacing(object, kept) : s3Headers(object, store);
            if (acl !== undefined) headers.set("x-amz-acl", acl);
            headers.set("authorization", `Bearer ${token}`);
            return { url, method: "PUT", headers, body: object.bytes };
          }),
      ),
    );
    return url;
  },
  read: (store, key, session) => bearing(store, addressOf(store, key, session), session),
  list: (store, ask, session) =>
    listedByS3(session, async () =>
      getting(await bearing(store, `${addressOf(store, "", session)}?${listQuery(ask)}`, session)),
    ),
  cursorAfter: (key) => key,
  told: toldByS3,
  kept: (store, key, answered, session) =>
    keptByS3(session, answered, async (query) =>
      getting(await bearing(store, `${addressOf(store, key, session)}?${query}`, session)),
    ),
  remove: (store, key, session) =>
    removed(session, async () => {
      const { url, headers } = await bearing(store, addressOf(store, key, session), session);
      return { url, method: "DELETE", headers };
    }),
});

/** A request for reading that carries a token. */
async function bearing({ key }: { readonly key: string }, url: string, session: Session): Promise<ReadRequest> {
  const { grant, forget } = await grantOf(session, identityOf(session, key), () => grantFor(key, session));
  return { url, headers: new Headers({ authorization: `Bearer ${grant.token}` }), isOpen: true, forget };
}

function addressOf(
  { bucket, region: place }: { bucket: string; region: string },
  key: string,
  session: Session,
): string {
  return pathStyleUrl(session.base ?? `https://s3.${place}.cloud-object-storage.appdomain.cloud`, bucket, key);
}

/** What a token was given for. */
function identityOf(session: Session, key: string): readonly string[] {
  return ["provider-f", session.base ?? "", key];
}

const Token = v.object({ access_token: v.string(), expires_in: v.number() });

/** @throws ApiError 422 when the key is refused */
async function grantFor(key: string, session: Session): Promise<Grant> {
  const answer = await session.send(() => ({
    url: `${session.base ?? "https://iam.cloud.ibm.com"}/identity/token`,
    method: "POST",
    headers: new Headers({ accept: "application/json" }),
    body: new URLSearchParams({
      grant_type: "urn:ibm:params:oauth:grant-type:apikey",
      response_type: "cloud_iam",
      apikey: key,
    }),
  }));
  const { access_token, expires_in } = readJson(session, answer, Token);
  return { token: access_token, expiresAt: session.now() + expires_in * 1_000 };
}
