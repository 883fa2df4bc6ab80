/** The S3 dialect; the Space is in the host name. */
import * as v from "valibot";

import { oneOf } from "../fields.ts";
import { credential, hostBucket, metadata, objectHeaders, objectPath, region } from "./attributes.ts";
import { encodeKey } from "./path.ts";
import { provider } from "./provider.ts";
import { signedBucket } from "./s3-bucket.ts";
import { CANNED_ACLS, pathStyleUrl, putSigned, type Signature } from "./s3.ts";
import type { Session } from "./session.ts";

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
    const url = addressOf(store, object.key, session);
    const acl = { named: store.acl, fallback: "public-read" };
    return putSigned(session, url, object, { ...store, acl }, store);
  },
  ...signedBucket(addressOf),
});

function addressOf(
  { bucket, region: place }: Signature & { readonly bucket: string },
  key: string,
  { base }: Session,
): string {
  return base === undefined
    ? `https://${bucket}.${place}.digitaloceanspaces.com/${encodeKey(key)}`
    : pathStyleUrl(base, bucket, key);
}
