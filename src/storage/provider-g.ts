/** The S3 dialect; the Space is in the host name. */
import * as v from "valibot";

import { oneOf } from "../fields.ts";
import { credential, hostBucket, metadata, objectHeaders, objectPath, region } from "./attributes.ts";
import { encodeKey } from "./path.ts";
import { provider } from "./provider.ts";
import { toldByS3 } from "./s3-kept.ts";
import { CANNED_ACLS, keptSigned, listSigned, pathStyleUrl, putSigned, removeSigned, signedGet } from "./s3.ts";

export const providerG = provider({
  summary: "DigitalOcean Spaces.",
  code: "provider-g",
  aliases: ["digitalocean", "spaces"],
  credentials: { key: credential(), secret: credential() },
  params: {
    bucket: hostBucket(),
    region: region(),
    path: v.optional(objectPath()),
    acl: v.optional(oneOf(CANNED_ACLS)),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Cache-Control", "Content-Type", "Content-Encoding", "Content-Disposition"])),
  },
  put: (store, object, session) => {
    const url = addressOf(store, object.key, session.base);
    const acl = { named: store.acl, fallback: "public-read" };
    return putSigned(session, url, object, { ...store, acl }, store);
  },
  read: (store, key, session) => signedGet(addressOf(store, key, session.base), store, session.now()),
  list: (store, ask, session) => listSigned(session, addressOf(store, "", session.base), ask, store),
  cursorAfter: (key) => key,
  told: toldByS3,
  kept: (store, key, answered, session) => keptSigned(session, addressOf(store, key, session.base), answered, store),
  remove: (store, key, session) => removeSigned(session, addressOf(store, key, session.base), store),
});

function addressOf(
  { bucket, region: place }: { readonly bucket: string; readonly region: string },
  key: string,
  base: string | undefined,
): string {
  return base === undefined
    ? `https://${bucket}.${place}.digitaloceanspaces.com/${encodeKey(key)}`
    : pathStyleUrl(base, bucket, key);
}
