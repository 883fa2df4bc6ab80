/** S3 itself: Signature Version 4, the bucket in the host name. */
import * as v from "valibot";

import { dictionary, oneOf, text } from "../fields.ts";
import { MAX_OBJECT_TAGS, MAX_TAG_KEY_CHARACTERS, MAX_TAG_VALUE_CHARACTERS } from "../limits/stores.ts";
import { credential, dottedBucket, metadata, OBJECT_HEADERS, objectHeaders, objectPath, region } from "./attributes.ts";
import { encodeKey } from "./path.ts";
import { provider } from "./provider.ts";
import { signedBucket } from "./s3-bucket.ts";
import { CANNED_ACLS, pathStyleUrl, putSigned, type Signature } from "./s3.ts";
import type { Session } from "./session.ts";

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
      addressOf(store, object.key, session),
      object,
      { ...store, acl: { named: store.acl, fallback: "public-read" }, class: CLASSES[store.class ?? "standard"] },
      store,
    ),
  ...signedBucket(addressOf),
});

function addressOf(store: Signature & { readonly bucket: string }, key: string, { base }: Session): string {
  const suffix = store.region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const host = `s3.${store.region}.${suffix}`;
  // The wildcard of the certificate stands for one label only, and host names have no underscores.
  if (base !== undefined || /[._]/.test(store.bucket))
    return pathStyleUrl(base ?? `https://${host}`, store.bucket, key);
  return `https://${store.bucket}.${host}/${encodeKey(key)}`;
}
