/** S3 itself: Signature Version 4, the bucket in the host name. */
import * as v from "valibot";

import { dictionary, oneOf, text } from "../fields.ts";
import { MAX_OBJECT_TAGS, MAX_TAG_KEY_CHARACTERS, MAX_TAG_VALUE_CHARACTERS } from "../limits.ts";
import { credential, dottedBucket, metadata, OBJECT_HEADERS, objectHeaders, objectPath, region } from "./attributes.ts";
import { encodeKey } from "./path.ts";
import { provider } from "./provider.ts";
import { toldByS3 } from "./s3-kept.ts";
import { CANNED_ACLS, keptSigned, listSigned, pathStyleUrl, putSigned, removeSigned, signedGet } from "./s3.ts";

const CLASSES = {
  standard: undefined,
  "reduced-redundancy": "REDUCED_REDUNDANCY",
  "standard-ia": "STANDARD_IA",
  "onezone-ia": "ONEZONE_IA",
  "intelligent-tiering": "INTELLIGENT_TIERING",
  glacier: "GLACIER",
  "deep-archive": "DEEP_ARCHIVE",
} as const;
type ClassName = keyof typeof CLASSES;

const tags = v.pipe(
  dictionary(text(1, MAX_TAG_KEY_CHARACTERS), text(0, MAX_TAG_VALUE_CHARACTERS), "must be an object of texts"),
  v.check((members) => Object.keys(members).length <= MAX_OBJECT_TAGS, `must have at most ${MAX_OBJECT_TAGS} members`),
);

export const providerA = provider({
  summary: "Amazon S3.",
  code: "provider-a",
  aliases: ["aws", "aws-s3"],
  credentials: { key: credential(), secret: credential() },
  params: {
    bucket: dottedBucket(),
    region: region(),
    path: v.optional(objectPath()),
    acl: v.optional(oneOf(CANNED_ACLS)),
    class: v.optional(oneOf(Object.keys(CLASSES) as [ClassName, ...ClassName[]])),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Expires", ...OBJECT_HEADERS])),
    tags: v.optional(tags),
  },
  put: (store, object, session) =>
    putSigned(
      session,
      addressOf(store, object.key, session.base),
      object,
      { ...store, acl: { named: store.acl, fallback: "public-read" }, class: CLASSES[store.class ?? "standard"] },
      store,
    ),
  read: (store, key, session) => signedGet(addressOf(store, key, session.base), store, session.now()),
  list: (store, ask, session) => listSigned(session, addressOf(store, "", session.base), ask, store),
  cursorAfter: (key) => key,
  told: toldByS3,
  kept: (store, key, answered, session) => keptSigned(session, addressOf(store, key, session.base), answered, store),
  remove: (store, key, session) => removeSigned(session, addressOf(store, key, session.base), store),
});

function addressOf(store: { bucket: string; region: string }, key: string, base: string | undefined): string {
  const suffix = store.region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const host = `s3.${store.region}.${suffix}`;
  // The wildcard of the certificate stands for one label only, and host names have no underscores.
  if (base !== undefined || /[._]/.test(store.bucket))
    return pathStyleUrl(base ?? `https://${host}`, store.bucket, key);
  return `https://${store.bucket}.${host}/${encodeKey(key)}`;
}
